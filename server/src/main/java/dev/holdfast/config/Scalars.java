package dev.holdfast.config;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Makes numbers, flags and names of the texts in a file, strictly. */
final class Scalars {
  private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9](_?[0-9])*");
  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+(\\.[0-9]+)?");
  private static final int DIGITS_MAX = 30;

  /** Fewer of them fit into a long. */
  private static final int LONG_DIGITS = 18;

  private static final int SHOWN_MAX = 60;

  private Scalars() {}

  /**
   * A scalar.
   *
   * @param filled with every {@code ${...}} filled in
   * @param shown what a message may repeat: as it stands in the file, so without secrets
   * @param quoted whether it is a text, whatever it looks like
   */
  record Raw(String filled, String shown, boolean quoted) {}

  /** Why a value is not what it should be: the end of a sentence that begins with its key. */
  static final class WrongException extends Exception {
    private static final long serialVersionUID = 1L;

    WrongException(String reason) {
      super(reason);
    }
  }

  interface Parser<T> {
    T parse(Raw raw) throws WrongException;
  }

  static Raw raw(ScalarNode node, Substitution substitution) throws WrongException {
    String text = node.getValue();
    try {
      String filled = substitution.fill(text);
      boolean plain = node.getScalarStyle() == ScalarStyle.PLAIN;
      return new Raw(filled, shown(text), !plain && filled.equals(text));
    } catch (Substitution.FailedException e) {
      throw new WrongException(String.valueOf(e.getMessage()));
    }
  }

  static boolean isNull(Node node) {
    return node instanceof ScalarNode scalar && Tag.NULL.equals(scalar.getTag());
  }

  /** What a node is, for a message. */
  static String kind(Node node) {
    return switch (node) {
      case MappingNode _ -> "a mapping";
      case SequenceNode _ -> "a list";
      default -> "a single value";
    };
  }

  /** One text of a list. */
  static String item(Node node, Substitution substitution) throws WrongException {
    if (!(node instanceof ScalarNode scalar) || isNull(node)) {
      throw new WrongException("must be a list of texts");
    }
    return raw(scalar, substitution).filled();
  }

  static BigInteger whole(Raw raw) throws WrongException {
    String text = raw.filled().strip();
    if (raw.quoted() || text.length() > DIGITS_MAX || !WHOLE.matcher(text).matches()) {
      throw new WrongException("must be a whole number, got " + raw.shown());
    }
    return new BigInteger(text.replace("_", "").replace("+", ""));
  }

  static double number(Raw raw) throws WrongException {
    String text = raw.filled().strip();
    if (raw.quoted() || text.length() > DIGITS_MAX || !NUMBER.matcher(text).matches()) {
      throw new WrongException("must be a number, got " + raw.shown());
    }
    return Double.parseDouble(text);
  }

  /** Only true and false: the yes and no of old YAML surprise people. */
  static boolean flag(Raw raw) throws WrongException {
    return switch (raw.quoted() ? "" : raw.filled().strip().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new WrongException("must be true or false, got " + raw.shown());
    };
  }

  /** A number or a flag where it looks like one, else a text. */
  static Object plain(Raw raw) {
    String text = raw.filled().strip();
    if (raw.quoted() || text.length() > DIGITS_MAX) {
      return raw.filled();
    }
    if (WHOLE.matcher(text).matches() && text.length() < LONG_DIGITS) {
      return Long.parseLong(text.replace("_", "").replace("+", ""));
    }
    if (NUMBER.matcher(text).matches()) {
      return Double.parseDouble(text);
    }
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> raw.filled();
    };
  }

  static <E extends Enum<E>> E choice(Raw raw, Class<E> type) throws WrongException {
    List<String> names =
        Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .toList();
    int index = names.indexOf(raw.filled().strip());
    if (index >= 0) {
      return type.getEnumConstants()[index];
    }
    String hint =
        NearestName.nearest(raw.shown(), names)
            .map(name -> "; did you mean " + name + "?")
            .orElse("");
    throw new WrongException(
        "must be one of " + String.join(", ", names) + ", got " + raw.shown() + hint);
  }

  private static String shown(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ");
    String part = line.length() > SHOWN_MAX ? line.substring(0, SHOWN_MAX) + "..." : line;
    return part.isEmpty() ? "\"\"" : part;
  }
}
