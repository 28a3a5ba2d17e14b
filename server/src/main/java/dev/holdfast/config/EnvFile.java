package dev.holdfast.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

  /**
   * Lines that say nothing or not what was meant, for people: file, line and fault. Values do not
   * occur in it.
   */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    try {
      Map<String, String> _ =
          parse(text(), (line, fault) -> problems.add(file + ":" + line + ": " + fault));
    } catch (IOException e) {
      problems.add(file + " cannot be read: " + e.getMessage());
    }
    return problems;
  }

  private String text() throws IOException {
    if (!Files.exists(file)) {
      return "";
    }
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(BYTES_MAX), StandardCharsets.UTF_8);
    }
  }

  private Map<String, String> read() {
    try {
      return parse(text());
    } catch (IOException e) {
      // Here alone: a command that logs nothing must not wait until a logger is set up.
      LoggerFactory.getLogger(EnvFile.class)
          .warn("config: {} cannot be read: {}", file, e.getMessage());
      return last;
    }
  }

  /** Lines that are no assignment say nothing, as in systemd. */
  static Map<String, String> parse(String text) {
    return parse(text, (_, _) -> {});
  }

  private interface Faults {
    /**
     * @param line counts from 1
     */
    void found(int line, String fault);
  }

  private static Map<String, String> parse(String text, Faults faults) {
    Map<String, String> all = new LinkedHashMap<>();
    int next = 1;
    // A backslash at the end of a line continues it.
    for (String line : text.replace("\r\n", "\n").split("(?<!\\\\)\n", -1)) {
      int number = next;
      next += 1 + (int) line.chars().filter(c -> c == '\n').count();
      String bare = line.replace("\\\n", "").strip();
      if (bare.isEmpty() || bare.startsWith("#") || bare.startsWith(";")) {
        continue;
      }
      int equals = bare.indexOf('=');
      String name = equals < 0 ? "" : bare.substring(0, equals).strip();
      if (equals < 0) {
        faults.found(number, "there is no = in it: write NAME=value");
      } else if (name.startsWith("export ")) {
        faults.found(number, "write NAME=value, without export");
      } else if (!NAME.matcher(name).matches()) {
        faults.found(number, "before the = stands no name: letters, digits and _, no digit first");
      } else {
        String value = bare.substring(equals + 1).strip();
        if (isOpen(value)) {
          faults.found(number, "the quotation mark of " + name + " is not closed");
        }
        all.put(name, unquoted(value));
      }
    }
    return all;
  }

  private static boolean isOpen(String value) {
    boolean isQuoted = value.startsWith("\"") || value.startsWith("'");
    return isQuoted && (value.length() == 1 || value.charAt(0) != value.charAt(value.length() - 1));
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
