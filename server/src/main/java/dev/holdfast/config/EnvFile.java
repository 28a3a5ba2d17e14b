package dev.holdfast.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * Variables that can change while the process runs: those of a file in the form of systemd's
 * EnvironmentFile, over those of the process. A variable that the file had at the start is the
 * file's: taken out of it, it is gone, though the process was started with it. Thread-safe.
 */
public final class EnvFile {
  private static final String KEY = "env_file";
  private static final String NAME_BESIDE = "holdfast.env";
  private static final int BYTES_MAX = 256 * 1024;
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final Path file;
  private final Map<String, String> process;
  private final Set<String> atStart;
  private volatile Map<String, String> last;

  /**
   * @param process what the process was started with
   */
  public EnvFile(Path file, Map<String, String> process) {
    this.file = file;
    this.process = Map.copyOf(process);
    this.last = Map.of();
    this.last = read();
    this.atStart = Set.copyOf(last.keySet());
  }

  /**
   * The one that a configuration file names in {@code env_file}, or {@code holdfast.env} beside it.
   *
   * @param process what the process was started with
   */
  public static EnvFile beside(Path configFile, Map<String, String> process) {
    return new EnvFile(of(ConfigFile.read(configFile, process), configFile), process);
  }

  /**
   * The file that a configuration names in {@code env_file}, or {@code holdfast.env} beside it,
   * whether it exists or not. Asks for nothing else of it, so it may have problems.
   *
   * @throws InvalidPathException when what it names can be no file
   */
  public static Path of(LoadedConfig loaded, Path configFile) {
    return ConfigFile.folderOf(configFile).resolve(loaded.peek(KEY).orElse(NAME_BESIDE));
  }

  /** Asks for the key, so that it is known. */
  public static String named(Section root) {
    return root.text(KEY, NAME_BESIDE);
  }

  public Path file() {
    return file;
  }

  /** What is set now. The file is read at each call; one that cannot be read says what it did. */
  public Map<String, String> now() {
    last = read();
    Map<String, String> all = new LinkedHashMap<>(process);
    all.keySet().removeAll(atStart);
    all.putAll(last);
    return all;
  }

  private Map<String, String> read() {
    if (!Files.exists(file)) {
      return Map.of();
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(BYTES_MAX);
      return parse(new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException e) {
      // Here alone: a command that logs nothing must not wait until a logger is set up.
      LoggerFactory.getLogger(EnvFile.class)
          .warn("config: {} cannot be read: {}", file, e.getMessage());
      return last;
    }
  }

  /** Lines that are no assignment say nothing, as in systemd. */
  static Map<String, String> parse(String text) {
    Map<String, String> all = new LinkedHashMap<>();
    // A backslash at the end of a line continues it.
    for (String line : text.replace("\r\n", "\n").replace("\\\n", "").lines().toList()) {
      String bare = line.strip();
      int equals = bare.indexOf('=');
      if (bare.startsWith("#") || bare.startsWith(";") || equals < 0) {
        continue;
      }
      String name = bare.substring(0, equals).strip();
      if (NAME.matcher(name).matches()) {
        all.put(name, unquoted(bare.substring(equals + 1).strip()));
      }
    }
    return all;
  }

  private static String unquoted(String value) {
    if (value.length() >= 2) {
      char quote = value.charAt(0);
      if ((quote == '"' || quote == '\'') && value.charAt(value.length() - 1) == quote) {
        String inner = value.substring(1, value.length() - 1);
        return quote == '"' ? inner.replaceAll("\\\\(.)", "$1") : inner;
      }
    }
    return value;
  }
}
