package dev.holdfast;

import dev.holdfast.time.TimedWait;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Extensions of the configuration beside those of plugins, in a real server. */
@Timeout(120)
class ConfiguredExtensionsTest {
  private static final String DICE =
      "{id: dice, protocol: action, command: [bash], actions: [{name: roll}]}\n";

  @TempDir Path folder;

  private static Path jar(Path plugins) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    Map.of("Plugin-Id", "games", "Plugin-Version", "1.0.0", "Holdfast-Api", "1")
        .forEach(main::putValue);
    Path jar = plugins.resolve("games.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      out.putNextEntry(new JarEntry("META-INF/holdfast/extension.yaml"));
      out.write(DICE.getBytes(StandardCharsets.UTF_8));
    }
    return jar;
  }

  private static String get(Server server, String path) {
    try {
      return ServerRunner.get(server, path).body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitSource(Server server, String source) {
    TimedWait.until(
        "dice of " + source,
        () -> get(server, "/api/v1/extensions").contains("\"source\":\"" + source + "\""));
  }

  @Test
  void anIdThatAPluginGivesUpIsTheConfigurationsThen() throws Exception {
    Path plugins = Files.createDirectories(folder.resolve("plugins"));
    Path jar = jar(plugins);
    String yaml =
        "http: {port: 0}\nmetrics: {port: 0}\nserver: {plugins_dir: %s}\n".formatted(plugins);
    Server server = new ServerRunner(folder, yaml).start(new Opened(_ -> {}));
    try {
      awaitSource(server, "plugin:games");
      Files.writeString(folder.resolve("holdfast.yaml"), yaml + "extensions: [" + DICE + "]\n");
      TimedWait.until(
          "a condition that names who has the id",
          () -> get(server, "/ready").contains("plugin:games has that id"));
      Files.delete(jar);
      awaitSource(server, "configuration");
      TimedWait.until(
          "the end of the condition", () -> !get(server, "/ready").contains("has that id"));
    } finally {
      server.stop(() -> true);
    }
  }
}
