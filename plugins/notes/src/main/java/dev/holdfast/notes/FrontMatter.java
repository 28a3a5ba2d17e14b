package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.kit.JsonText;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * The YAML at the beginning of a note. Keys are set line by line: whatever is not set stays byte
 * for byte as somebody wrote it.
 *
 * @param opening the first line; empty when there is none
 * @param inner the lines between
 * @param closing the last line
 */
record FrontMatter(String opening, String inner, String closing) {
  private static final FrontMatter NONE = new FrontMatter("", "", "");
  private static final int UNITS_MAX = 65_536;
  private static final int DEPTH_MAX = 20;

  /** As in YAML 1.2: no dates, no {@code yes} and {@code no}, no numbers of base 60. */
  private static final class PlainResolver extends Resolver {
    @Override
    protected void addImplicitResolvers() {
      addImplicitResolver(Tag.BOOL, Pattern.compile("true|True|TRUE|false|False|FALSE"), "tTfF");
      addImplicitResolver(Tag.INT, Pattern.compile("[-+]?(0|[1-9][0-9]{0,17})"), "-+0123456789");
      addImplicitResolver(
          Tag.FLOAT, Pattern.compile("[-+]?[0-9]+\\.[0-9]+([eE][-+]?[0-9]{1,3})?"), "-+0123456789");
      addImplicitResolver(Tag.NULL, Pattern.compile("~|null|Null|NULL"), "~nN\0");
      addImplicitResolver(Tag.NULL, EMPTY, null);
    }
  }

  /** That with which a text begins. */
  static FrontMatter at(String content) {
    int begun = content.indexOf('\n') + 1;
    if (begun == 0 || !content.substring(0, begun).stripTrailing().equals("---")) {
      return NONE;
    }
    int at = begun;
    while (at < Math.min(content.length(), UNITS_MAX)) {
      int end = content.indexOf('\n', at) + 1;
      int next = end == 0 ? content.length() : end;
      String line = content.substring(at, next).stripTrailing();
      if (line.equals("---") || line.equals("...")) {
        return new FrontMatter(
            content.substring(0, begun), content.substring(begun, at), content.substring(at, next));
      }
      at = next;
    }
    return NONE;
  }

  /** All of it, as it stands in the note. */
  String block() {
    return opening + inner + closing;
  }

  boolean isEmpty() {
    return opening.isEmpty();
  }

  /**
   * What it says.
   *
   * @throws ActionRefusedException when it is no mapping that can be read
   */
  Map<String, Object> values() throws ActionRefusedException {
    Map<String, Object> values = new LinkedHashMap<>();
    if (!isEmpty()) {
      try {
        Object loaded = yaml().load(inner);
        if (loaded instanceof Map<?, ?> map) {
          map.forEach((key, value) -> values.put(String.valueOf(key), plain(value)));
        } else if (loaded != null) {
          throw unreadable("it is no mapping");
        }
      } catch (YAMLException e) {
        throw unreadable(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
      }
    }
    return values;
  }

  /** As JSON can say it. */
  private static Object plain(@Nullable Object value) {
    return switch (value) {
      case null -> JsonText.NULL;
      case Map<?, ?> map -> {
        Map<String, Object> members = new LinkedHashMap<>();
        map.forEach((key, member) -> members.put(String.valueOf(key), plain(member)));
        yield members;
      }
      case Iterable<?> items -> {
        List<Object> list = new ArrayList<>();
        items.forEach(item -> list.add(plain(item)));
        yield list;
      }
      case Integer number -> Long.valueOf(number);
      case Number number -> number;
      case Boolean flag -> flag;
      default -> String.valueOf(value);
    };
  }

  /**
   * The same with other values; null removes a key.
   *
   * @param newLine how lines of the note end
   */
  FrontMatter with(Map<String, Object> changes, String newLine) throws ActionRefusedException {
    Map<String, Object> expected = values();
    FrontMatter changed = this;
    for (Map.Entry<String, Object> change : changes.entrySet()) {
      boolean isRemoved = change.getValue() == JsonText.NULL;
      if (isRemoved) {
        expected.remove(change.getKey());
      } else {
        expected.put(change.getKey(), change.getValue());
      }
      String lines =
          isRemoved
              ? ""
              : yaml().dump(Map.of(change.getKey(), change.getValue())).replace("\n", newLine);
      changed = changed.replaced(change.getKey(), lines, newLine);
    }
    if (!Objects.equals(changed.values(), expected)) {
      throw unreadable("these keys cannot be set without touching others");
    }
    return changed;
  }

  private FrontMatter replaced(String key, String lines, String newLine)
      throws ActionRefusedException {
    if (isEmpty()) {
      return lines.isEmpty() ? this : new FrontMatter("---" + newLine, lines, "---" + newLine);
    }
    List<String> all = new ArrayList<>(List.of(inner.split("(?<=\n)")));
    all.removeIf(String::isEmpty);
    int from = all.size();
    int to = all.size();
    List<NodeTuple> tuples = tuples();
    for (int at = 0; at < tuples.size(); at++) {
      Node name = tuples.get(at).getKeyNode();
      if (name instanceof ScalarNode scalar && scalar.getValue().equals(key)) {
        from = name.getStartMark().getLine();
        to =
            at + 1 < tuples.size()
                ? tuples.get(at + 1).getKeyNode().getStartMark().getLine()
                : all.size();
        while (to > from + 1 && isBetween(all.get(to - 1))) {
          to--;
        }
        break;
      }
    }
    if (from < to) {
      all.subList(from, to).clear();
    }
    if (!lines.isEmpty()) {
      all.add(from, lines);
    }
    return new FrontMatter(opening, String.join("", all), closing);
  }

  /** A comment or an empty line belongs to what follows. */
  private static boolean isBetween(String line) {
    return line.isBlank() || line.startsWith("#");
  }

  private List<NodeTuple> tuples() throws ActionRefusedException {
    Node root = yaml().compose(new StringReader(inner));
    if (root == null) {
      return List.of();
    }
    if (root instanceof MappingNode mapping
        && mapping.getFlowStyle() == DumperOptions.FlowStyle.BLOCK) {
      return mapping.getValue();
    }
    throw unreadable("its keys do not stand on lines of their own");
  }

  private static ActionRefusedException unreadable(String why) {
    return new ActionRefusedException(
        ActionRefusedException.UNREADABLE, "The front matter cannot be used: " + why + ".");
  }

  private static Yaml yaml() {
    LoaderOptions loading = new LoaderOptions();
    loading.setNestingDepthLimit(DEPTH_MAX);
    loading.setMaxAliasesForCollections(DEPTH_MAX);
    loading.setAllowDuplicateKeys(false);
    DumperOptions dumping = new DumperOptions();
    dumping.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    dumping.setSplitLines(false);
    dumping.setIndicatorIndent(2);
    dumping.setIndentWithIndicator(true);
    return new Yaml(
        new SafeConstructor(loading),
        new Representer(dumping),
        dumping,
        loading,
        new PlainResolver());
  }
}
