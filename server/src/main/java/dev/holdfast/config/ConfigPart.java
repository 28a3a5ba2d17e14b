package dev.holdfast.config;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * One mapping of a file that is read apart from the rest, by whoever it belongs to. For one thread.
 */
public final class ConfigPart {
  private final ReadingState reading;
  private final Section section;
  private final @Nullable Node node;

  ConfigPart(ReadingState reading, Section section, @Nullable Node node) {
    this.reading = reading;
    this.section = section;
    this.node = node;
  }

  public Section section() {
    return section;
  }

  /** The secrets that were read so far. */
  public Secrets secrets() {
    return reading.secrets;
  }

  /** What is wrong with it, when everything was asked for: also keys that nobody asked for. */
  public List<Problem> problems() {
    UnknownKeys.report(reading);
    return reading.problems();
  }

  /** All of it with what stands for the variables of now: differs when anything of it does. */
  public String content() {
    StringBuilder out = new StringBuilder();
    write(node, out);
    return out.toString();
  }

  private void write(@Nullable Node each, StringBuilder out) {
    switch (each) {
      case MappingNode mapping -> {
        out.append('{');
        mapping
            .getValue()
            .forEach(
                tuple -> {
                  write(tuple.getKeyNode(), out);
                  write(tuple.getValueNode(), out);
                });
        out.append('}');
      }
      case SequenceNode sequence -> {
        out.append('[');
        sequence.getValue().forEach(item -> write(item, out));
        out.append(']');
      }
      case ScalarNode scalar -> out.append(filled(scalar)).append('\0');
      case null, default -> out.append('-');
    }
  }

  private String filled(ScalarNode scalar) {
    try {
      return reading.substitution.fill(scalar.getValue());
    } catch (Substitution.FailedException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
