package dev.holdfast.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * Loads holdfast.yaml. Never throws: what is wrong with the file comes out of {@link
 * LoadedConfig#make} together with what the records refuse.
 */
public final class ConfigFile {
  private static final int BYTES_MAX = 1 << 20;
  private static final int DEPTH_MAX = 30;
  private static final int ALIASES_MAX = 50;

  private ConfigFile() {}

  /**
   * Reads a file. A missing or empty one is the same as one with all defaults.
   *
   * @param environment where {@code ${NAME}} is looked up
   */
  public static LoadedConfig read(Path file, Map<String, String> environment) {
    return read(file, environment, false);
  }

  /** Reads a file that somebody named: it is a problem when it does not exist. */
  public static LoadedConfig readExisting(Path file, Map<String, String> environment) {
    return read(file, environment, true);
  }

  /** Reads a text that has a name; paths of {@code ${file:...}} begin at the working folder. */
  public static LoadedConfig text(String name, String text, Map<String, String> environment) {
    return parse(
        new ReadingState(name, new Substitution(environment, Path.of(""), new Secrets())),
        text,
        true);
  }

  /** The same of a text that the operator did not write: it may name variables and no files. */
  public static LoadedConfig foreign(String name, String text, Map<String, String> environment) {
    return parse(
        new ReadingState(name, new Substitution(environment, null, new Secrets())), text, true);
  }

  /** Reads {@code text} under the name of {@code file}, with its relative paths. */
  static LoadedConfig text(Path file, Path folder, String text, Map<String, String> environment) {
    return parse(
        new ReadingState(file.toString(), new Substitution(environment, folder, new Secrets())),
        text,
        true);
  }

  static Path folderOf(Path file) {
    Path parent = file.getParent();
    return parent == null ? Path.of("") : parent;
  }

  private static LoadedConfig read(Path file, Map<String, String> environment, boolean mustExist) {
    ReadingState reading =
        new ReadingState(
            file.toString(), new Substitution(environment, folderOf(file), new Secrets()));
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(BYTES_MAX + 1);
      if (bytes.length > BYTES_MAX) {
        return broken(reading, "is larger than " + BYTES_MAX + " bytes");
      }
      return parse(reading, decode(bytes), true);
    } catch (NoSuchFileException _) {
      return mustExist ? broken(reading, "does not exist") : parse(reading, "", false);
    } catch (CharacterCodingException _) {
      return broken(reading, "is not a UTF-8 text");
    } catch (IOException e) {
      String reason = Files.isDirectory(file) ? "is a folder" : e.toString();
      return broken(reading, "cannot be read: " + reason);
    }
  }

  private static String decode(byte[] bytes) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  private static LoadedConfig broken(ReadingState reading, String problem) {
    reading.report(0, "", problem);
    return new LoadedConfig(reading, null, "", true);
  }

  private static LoadedConfig parse(ReadingState reading, String text, boolean present) {
    return new LoadedConfig(reading, tree(reading, text), text, present);
  }

  /** Null when the file says nothing, or when it is broken: that is reported. */
  private static @Nullable MappingNode tree(ReadingState reading, String text) {
    try {
      if (hasTooManyAliases(text)) {
        reading.report(0, "", "has more than " + ALIASES_MAX + " aliases (*name)");
        return null;
      }
      Node node = new Yaml(options()).compose(new java.io.StringReader(text));
      if (node instanceof MappingNode mapping) {
        return mapping;
      }
      if (node != null && !(node instanceof ScalarNode && Tag.NULL.equals(node.getTag()))) {
        reading.report(node.getStartMark().getLine() + 1, "", "must be a mapping (key: value)");
      }
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
      String context = e.getContext() == null ? "" : " (" + e.getContext() + ")";
      reading.report(line, "", "is not valid YAML: " + e.getProblem() + context);
    } catch (ReaderException e) {
      int line = (int) text.codePoints().limit(e.getPosition()).filter(c -> c == '\n').count() + 1;
      reading.report(line, "", "is not valid YAML: it has a character that is not allowed");
    } catch (YAMLException e) {
      reading.report(0, "", "is not valid YAML: " + e.getMessage());
    }
    return null;
  }

  private static LoaderOptions options() {
    LoaderOptions options = new LoaderOptions();
    options.setNestingDepthLimit(DEPTH_MAX);
    options.setCodePointLimit(BYTES_MAX);
    options.setAllowRecursiveKeys(false);
    return options;
  }

  /** Aliases that nest make a small file grow without end. */
  private static boolean hasTooManyAliases(String text) {
    int aliases = 0;
    for (Event event : new Yaml(options()).parse(new java.io.StringReader(text))) {
      aliases += event instanceof AliasEvent ? 1 : 0;
    }
    return aliases > ALIASES_MAX;
  }
}
