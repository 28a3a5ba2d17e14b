package dev.holdfast.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/** A file that was parsed and now waits to be read by the records. For one thread. */
public final class LoadedConfig {
  private final ReadingState reading;
  private final @Nullable MappingNode tree;
  private final Section root;
  private final String text;
  private final boolean present;

  LoadedConfig(ReadingState reading, @Nullable MappingNode tree, String text, boolean present) {
    this.reading = reading;
    this.tree = tree;
    this.root = new Section(reading, "", tree, 0);
    this.text = text;
    this.present = present;
  }

  public Section root() {
    return root;
  }

  /** The secrets that were read so far; the same object for ever. */
  public Secrets secrets() {
    return reading.secrets;
  }

  /** The file as it stands on the disk. */
  public String text() {
    return text;
  }

  /** Whether there is such a file. Without it all defaults hold. */
  public boolean present() {
    return present;
  }

  /**
   * Makes the record of the whole file, and then looks for keys that nothing asked for.
   *
   * @throws ConfigException with every problem of the file
   */
  public <T> T make(Function<Section, T> maker) throws ConfigException {
    try {
      T made = root.read(maker);
      finish();
      return made;
    } catch (RefusedSectionException e) {
      finish();
      throw new IllegalStateException("the defaults of the configuration are refused", e);
    }
  }

  /**
   * To be called when everything was asked for.
   *
   * @throws ConfigException when a value was refused or a key is unknown
   */
  public void finish() throws ConfigException {
    UnknownKeys.report(reading);
    List<Problem> problems = reading.problems();
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
  }

  /**
   * One value as it would be read, without a trace: for what must be known even of a file with
   * problems, such as where the data is. Empty when it is absent or cannot be read.
   */
  public Optional<String> peek(String... path) {
    Node node = tree;
    for (String key : path) {
      node = node instanceof MappingNode mapping ? valueOf(mapping, key) : null;
    }
    if (!(node instanceof ScalarNode scalar) || Scalars.isNull(scalar)) {
      return Optional.empty();
    }
    try {
      return Optional.of(reading.substitution.fill(scalar.getValue()));
    } catch (Substitution.FailedException _) {
      return Optional.empty();
    }
  }

  /**
   * One mapping of the file, apart from the rest; an empty one when it is absent.
   *
   * @param environment where {@code ${NAME}} is looked up
   */
  public ConfigPart part(Map<String, String> environment, String... path) {
    Substitution now = new Substitution(environment, reading.substitution.folder(), new Secrets());
    ReadingState apart = new ReadingState(reading.file, now);
    Node node = tree;
    int line = 0;
    for (String key : path) {
      NodeTuple tuple = node instanceof MappingNode mapping ? tupleOf(mapping, key) : null;
      node = tuple == null ? null : tuple.getValueNode();
      line = tuple == null ? 0 : tuple.getKeyNode().getStartMark().getLine() + 1;
    }
    MappingNode mapping = node instanceof MappingNode map ? map : null;
    return new ConfigPart(apart, new Section(apart, String.join(".", path), mapping, line), node);
  }

  private static @Nullable NodeTuple tupleOf(MappingNode mapping, String key) {
    for (NodeTuple tuple : mapping.getValue()) {
      if (tuple.getKeyNode() instanceof ScalarNode name && name.getValue().equals(key)) {
        return tuple;
      }
    }
    return null;
  }

  private static @Nullable Node valueOf(MappingNode mapping, String key) {
    NodeTuple tuple = tupleOf(mapping, key);
    return tuple == null ? null : tuple.getValueNode();
  }

  /** What the command line gives instead of the file; only shown, and only after {@link #make}. */
  public void override(String section, String key, String value) {
    root.section(section).override(key, value);
  }

  /** Every key that was asked for with its value, in that order; secrets as {@code ***}. */
  public Map<String, Object> effective() {
    return EffectiveConfig.tree(root, reading.secrets);
  }

  /** The same as YAML; a value that comes from the file has its line as a comment. */
  public String effectiveYaml() {
    return EffectiveConfig.yaml(root, reading.secrets);
  }
}
