package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How a server is to be started: configuration, folder, ports, flags, environment. Ports stay the
 * same over restarts, so that clients find it again.
 */
public final class Setup {
  private final Path folder;
  private Path dataDir;
  private Path configFile;
  private String remark = "";
  private String umask = "";
  private final Instant since = Instant.now();
  private volatile int scale = 1;
  private static final int PORT_MIN = 12_000;
  private static final int PORT_MAX = 31_999;
  private static final AtomicInteger PORTS =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(PORT_MIN, PORT_MAX));

  private final int httpPort = freePort();
  private final int metricsPort = freePort();
  private final ObjectNode config = Json.object();
  private final List<String> jvmFlags =
      new ArrayList<>(
          List.of(
              System.getProperty(
                      "holdfast.java_flags", "--enable-native-access=ALL-UNNAMED -Xmx512m")
                  .split(" ", -1)));
  private final List<String> arguments = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();

  /**
   * @param folder an empty folder of this setup's own: configuration, data and output go there,
   *     unless they are told to go elsewhere
   */
  public Setup(Path folder) {
    this.folder = folder;
    this.dataDir = folder.resolve("data");
    this.configFile = folder.resolve("holdfast.yaml");
    set("http.port", httpPort);
    set("metrics.port", metricsPort);
  }

  /** The jar under test: {@code -Dholdfast.jar}, or the one that the build just made. */
  public static Path jar() {
    Path jar = Path.of(System.getProperty("holdfast.jar", "../server/target/holdfast.jar"));
    if (!Files.exists(jar)) {
      throw new IllegalStateException(
          jar.toAbsolutePath() + " is missing: these tests need 'mvn package' of the server first");
    }
    return jar.toAbsolutePath().normalize();
  }

  /** Puts a bundled plugin into the server's folder of plugins. */
  public Setup plugin(String name) {
    String file = name + "-0.1.0.jar";
    Path bundled = jar().resolve("../../../plugins/bundled").normalize();
    try {
      Path plugins = Files.createDirectories(folder.resolve("plugins"));
      Files.copy(bundled.resolve(file), plugins.resolve(file), StandardCopyOption.REPLACE_EXISTING);
      return set("server.plugins_dir", plugins.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The java command of the JVM that runs the tests. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Sets one key of holdfast.yaml, named by its path with dots. */
  public Setup set(String path, Object value) {
    List<String> names = List.of(path.split("\\.", -1));
    ObjectNode at = config;
    for (String name : names.subList(0, names.size() - 1)) {
      at = at.withObjectProperty(name);
    }
    at.set(names.getLast(), Json.of(value));
    return this;
  }

  /** Takes back what {@link #set} did at the top of holdfast.yaml. */
  public Setup unset(String name) {
    config.remove(name);
    return this;
  }

  /** Sets an entry whose name may hold dots and colons. */
  public Setup setNamed(String path, String name, Object value) {
    ObjectNode at = config;
    for (String step : path.split("\\.", -1)) {
      at = at.withObjectProperty(step);
    }
    at.set(name, Json.of(value));
    return this;
  }

  public Setup dataDir(Path dir) {
    this.dataDir = dir;
    return this;
  }

  public Setup configFile(Path file) {
    this.configFile = file;
    return this;
  }

  /** Puts a comment into the configuration: words that nobody but a reader of the file can know. */
  public Setup remark(String words) {
    this.remark = "\n# " + words + "\n";
    return this;
  }

  public Setup heap(String flag) {
    jvmFlags.removeIf(old -> old.startsWith("-Xmx"));
    return flag(flag);
  }

  public Setup flag(String flag) {
    jvmFlags.add(flag);
    return this;
  }

  /**
   * Has time pass {@code scale} times as fast in the server: for tests that would wait for limits
   * of many seconds. Its clocks go on over restarts.
   *
   * <p>The server is then ahead of this machine: in one minute of the machine, a scale of 10 makes
   * it nine minutes. Signatures with times have to be made at {@link #now}, as the rig's {@link
   * WebhookSender} makes them; what others sign or date for the server may be refused as old.
   * Limits on what is outside shrink too: a call that may take 60 s has 6 s of the machine for its
   * connection, its process or its disk, and a process that the machine keeps waiting for 25 ms
   * looks as if it had stood still for 250. So it is for rigs that wait for long limits, with the
   * smallest scale that helps.
   */
  public Setup timeScale(int scale) {
    this.scale = scale;
    jvmFlags.removeIf(flag -> flag.startsWith("-Dholdfast.t"));
    return flag("-Dholdfast.testing=true")
        .flag("-Dholdfast.time_scale=" + scale)
        .flag("-Dholdfast.time_since=" + since.toEpochMilli());
  }

  /** The time that the server's clock shows. */
  public Instant now() {
    return since.plus(Duration.between(since, Instant.now()).multipliedBy(scale));
  }

  /** A server that begins cold. */
  public Setup withoutStartCache() {
    jvmFlags.removeIf(flag -> flag.startsWith("-XX:AOTCache="));
    return this;
  }

  public Setup argument(String argument) {
    arguments.add(argument);
    return this;
  }

  /** Three octal digits; by itself the umask of whoever runs the tests. */
  public Setup umask(String digits) {
    this.umask = digits;
    return this;
  }

  public Setup env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public Path folder() {
    return folder;
  }

  public Path dataDir() {
    return dataDir;
  }

  Path configFile() {
    return configFile;
  }

  public int httpPort() {
    return httpPort;
  }

  public int metricsPort() {
    return metricsPort;
  }

  public String url(String path) {
    return "http://127.0.0.1:" + httpPort + path;
  }

  Path outputFile() {
    return folder.resolve("output.log");
  }

  Map<String, String> environment() {
    return environment;
  }

  /** The configuration as it would be written down now. */
  String written() {
    return Json.write(config) + remark;
  }

  /** Writes the configuration down (JSON is YAML); a start does it too. */
  public Setup write() throws IOException {
    Files.writeString(configFile, written());
    return this;
  }

  /** Writes the configuration down and names the whole command. */
  List<String> command(List<String> moreFlags) throws IOException {
    write();
    List<String> command = new ArrayList<>();
    if (!umask.isEmpty()) {
      command.addAll(List.of("/bin/sh", "-c", "umask " + umask + "; exec \"$@\"", "umask"));
    }
    command.add(java());
    command.addAll(moreFlags);
    command.addAll(jvmFlags);
    command.addAll(List.of("-jar", jar().toString(), "run"));
    command.addAll(List.of("--config", configFile.toString()));
    command.addAll(List.of("--data", dataDir.toString()));
    command.addAll(arguments);
    return command;
  }

  /**
   * Below those that the kernel gives to whoever connects: between this look and the server's start
   * a connection of another test must not take it. No two setups of this process get the same.
   */
  static int freePort() {
    while (true) {
      int port = PORTS.getAndUpdate(last -> last == PORT_MAX ? PORT_MIN : last + 1);
      try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return port;
      } catch (BindException _) {
        // Somebody has it: the next one.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
