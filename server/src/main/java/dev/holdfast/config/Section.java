package dev.holdfast.config;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * One mapping of holdfast.yaml while it is read. Each key that is asked for is known; what is left
 * over in the end is reported as unknown, with its line and the nearest known key. A value of the
 * wrong type is reported and the default is returned, so that all problems come out at once. For
 * one thread.
 */
public final class Section {
  private static final int ROUNDS_MAX = 1000;
  private static final long SECONDS_MAX = Duration.ofDays(36500).toSeconds();

  private final ReadingState reading;
  private final String path;
  private final int line;
  private final Map<String, NodeTuple> given = new LinkedHashMap<>();
  private final Map<String, Object> values = new LinkedHashMap<>();

  /** Keys whose value a record refused; the default is returned for them from then on. */
  private final Set<String> refused = new HashSet<>();

  private boolean allRefused;

  Section(ReadingState reading, String path, @Nullable MappingNode node, int line) {
    this.reading = reading;
    this.path = path;
    this.line = line;
    if (node != null) {
      node.getValue().forEach(this::take);
    }
    reading.sections.add(this);
  }

  /** A section without a key: every default holds. */
  public static Section empty() {
    return ConfigFile.text("empty", "", Map.of()).root();
  }

  public int whole(String key, int fallback) {
    return whole(key, fallback, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /** As {@link #whole(String, int)}; what is outside the range is reported with it. */
  public int whole(String key, int fallback, int min, int max) {
    return (int) whole(key, (long) fallback, min, max);
  }

  public long wholeLong(String key, long fallback) {
    return whole(key, fallback, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** A number with a fraction, for example an amount of money. */
  public double number(String key, double fallback) {
    return scalar(key, fallback, Scalars::number);
  }

  public boolean flag(String key, boolean fallback) {
    return scalar(key, fallback, Scalars::flag);
  }

  public String text(String key, String fallback) {
    return scalar(key, fallback, Scalars.Raw::filled);
  }

  /** One of the names of an enum, in lower case. */
  public <E extends Enum<E>> E choice(String key, Class<E> type, E fallback) {
    E value = scalar(key, fallback, raw -> Scalars.choice(raw, type));
    values.put(key, value.name().toLowerCase(Locale.ROOT));
    return value;
  }

  /** Empty when it is absent. The value is remembered in {@link LoadedConfig#secrets()}. */
  public Secret secret(String key) {
    Secret secret = scalar(key, new Secret(""), raw -> new Secret(raw.filled()));
    reading.secrets.add(secret);
    return secret;
  }

  /**
   * A mapping from names chosen by the operator to secrets. Where one has several words, as {@code
   * Bearer TOKEN} has, the last is a secret by itself too.
   */
  public Map<String, Secret> namedSecrets(String key) {
    Section names = namesOf(key);
    Map<String, Secret> named = new LinkedHashMap<>();
    for (String name : names.given.keySet()) {
      Secret secret = names.secret(name);
      reading.secrets.add(secret.reveal().substring(secret.reveal().lastIndexOf(' ') + 1));
      named.put(name, secret);
    }
    values.put(key, named);
    return isRefused(key) ? Map.of() : named;
  }

  public Duration seconds(String key, long fallback) {
    return Duration.ofSeconds(whole(key, fallback, -SECONDS_MAX, SECONDS_MAX));
  }

  public Duration millis(String key, long fallback) {
    return Duration.ofMillis(whole(key, fallback, -SECONDS_MAX * 1000, SECONDS_MAX * 1000));
  }

  /** What is outside the range is reported with it. */
  public Duration hours(String key, long fallback, long min, long max) {
    return Duration.ofHours(whole(key, fallback, min, max));
  }

  public Duration hours(String key, long fallback) {
    return Duration.ofHours(whole(key, fallback, -SECONDS_MAX / 3600, SECONDS_MAX / 3600));
  }

  public List<String> texts(String key, List<String> fallback) {
    List<String> texts = find(key).map(node -> textsOf(key, node)).orElse(fallback);
    List<String> value = isRefused(key) ? fallback : texts;
    values.put(key, value);
    return value;
  }

  /** Shows this value instead of the file's, which is not in force. */
  void override(String key, String value) {
    given.remove(key);
    values.put(key, value);
  }

  /** The mapping under {@code key}; an empty one when it is absent. The same one at each call. */
  public Section section(String key) {
    if (values.get(key) instanceof Section known) {
      return known;
    }
    Section child = child(key, at(key), find(key).orElse(null), lineOf(key));
    values.put(key, child);
    return child;
  }

  /**
   * A mapping whose keys are names chosen by the operator, for example accounts; in the order of
   * the file.
   */
  public Map<String, Section> named(String key) {
    Map<String, Section> named = new LinkedHashMap<>();
    Section names = namesOf(key);
    for (String name : names.given.keySet()) {
      named.put(name, names.section(name));
    }
    values.put(key, named);
    return isRefused(key) ? Map.of() : named;
  }

  /**
   * The same as records. One that cannot be made, not even of the defaults, is reported and left
   * out, so that the others are looked at too.
   */
  public <T> Map<String, T> named(String key, Function<Section, T> maker) {
    Map<String, T> made = new LinkedHashMap<>();
    named(key).forEach((name, section) -> section.tryRead(maker).ifPresent(t -> made.put(name, t)));
    return made;
  }

  /** A mapping from names chosen by the operator to lists of texts, for example levels. */
  public Map<String, List<String>> namedTexts(String key, Map<String, List<String>> fallback) {
    Section names = namesOf(key);
    Map<String, List<String>> named = new LinkedHashMap<>();
    for (String name : names.given.keySet()) {
      named.put(name, names.texts(name, List.of()));
    }
    Map<String, List<String>> value = find(key).isEmpty() || isRefused(key) ? fallback : named;
    values.put(key, value);
    return value;
  }

  /**
   * Leaves the mappings of all other keys to whoever they belong to, who reads them with {@link
   * LoadedConfig#part}. A key that is nearly one of those that were asked for is still unknown.
   */
  public Set<String> leaveOthers() {
    Set<String> left = new LinkedHashSet<>();
    for (String key : given.keySet()) {
      if (values.containsKey(key) || NearestName.nearest(key, values.keySet()).isPresent()) {
        continue;
      }
      find(key)
          .filter(node -> !(node instanceof MappingNode))
          .ifPresent(node -> wrongType(key, "must be a mapping (key: value)", node));
      left.add(key);
    }
    left.forEach(key -> values.put(key, "(read by its plugin)"));
    return left;
  }

  /**
   * All that nobody has asked for yet, as values of JSON: maps, lists, texts, numbers and flags.
   * From now on it has been asked for.
   */
  public Map<String, Object> rest() {
    Map<String, Object> rest = new LinkedHashMap<>();
    for (String key : List.copyOf(given.keySet())) {
      if (!values.containsKey(key)) {
        Optional<Node> node = find(key);
        node.ifPresent(found -> rest.put(key, plain(key, found)));
        values.put(key, node.isPresent() ? rest.get(key) : "");
      }
    }
    return rest;
  }

  private Object plain(String key, Node node) {
    return switch (node) {
      case MappingNode mapping -> {
        Map<String, Object> object = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
          if (tuple.getKeyNode() instanceof ScalarNode name) {
            object.put(name.getValue(), plain(key, tuple.getValueNode()));
          }
        }
        yield object;
      }
      case SequenceNode sequence ->
          sequence.getValue().stream().map(item -> plain(key, item)).toList();
      case ScalarNode scalar -> {
        try {
          yield Scalars.plain(Scalars.raw(scalar, reading.substitution));
        } catch (Scalars.WrongException e) {
          reading.report(lineOf(key), path, key + " " + e.getMessage());
          yield "";
        }
      }
      default -> "";
    };
  }

  /** Whether the key stands here and says something. */
  public boolean has(String key) {
    return find(key).isPresent();
  }

  /** Whether the file has it. */
  public boolean isPresent() {
    return line > 0;
  }

  /** Reports a value that whoever reads this section cannot use. */
  public void problem(String key, String sentence) {
    reading.report(lineOf(key), path, sentence);
  }

  /** A mapping from names chosen by the operator to names of an enum, in lower case. */
  public <E extends Enum<E>> Map<String, E> namedChoices(String key, Class<E> type, E fallback) {
    Section names = namesOf(key);
    Map<String, E> named = new LinkedHashMap<>();
    for (String name : names.given.keySet()) {
      named.put(name, names.choice(name, type, fallback));
    }
    Map<String, String> shown = new LinkedHashMap<>();
    named.forEach((name, choice) -> shown.put(name, choice.name().toLowerCase(Locale.ROOT)));
    values.put(key, shown);
    return isRefused(key) ? Map.of() : named;
  }

  /** A list of mappings. */
  public List<Section> list(String key) {
    List<Section> items = new ArrayList<>();
    find(key)
        .ifPresent(
            node -> {
              if (node instanceof SequenceNode sequence) {
                for (Node item : sequence.getValue()) {
                  String itemPath = at(key) + "[" + items.size() + "]";
                  items.add(child(key, itemPath, item, item.getStartMark().getLine() + 1));
                }
              } else {
                wrongType(key, "must be a list of mappings", node);
              }
            });
    values.put(key, items);
    return isRefused(key) ? List.of() : items;
  }

  /** The same as records; one that cannot be made is reported and left out. */
  public <T> List<T> list(String key, Function<Section, T> maker) {
    return list(key).stream().flatMap(item -> item.tryRead(maker).stream()).toList();
  }

  /**
   * Makes a record of this section. A value that the record refuses ({@link RefusedValueException})
   * is reported with file, line and section, and the record is made again with that key's default;
   * after any other {@link IllegalArgumentException}, of defaults only.
   *
   * @throws RuntimeException when the record refuses its defaults too; {@link LoadedConfig#make}
   *     and the methods of this class that take a maker know what to do with it
   */
  public <T> T read(Function<Section, T> maker) {
    for (int round = 0; round < ROUNDS_MAX; round++) {
      try {
        return maker.apply(this);
      } catch (RefusedSectionException e) {
        if (allRefused) {
          throw e;
        }
        refuseAll();
      } catch (RefusedValueException e) {
        if (allRefused) {
          throw new RefusedSectionException(path, e);
        }
        refuse(e.key(), String.valueOf(e.getMessage()));
      } catch (IllegalArgumentException e) { // of no key that we know
        if (allRefused) {
          throw new RefusedSectionException(path, e);
        }
        reading.report(line, path, e.getMessage() == null ? e.toString() : e.getMessage());
        refuseAll();
      }
    }
    throw new IllegalStateException(path + ": read too often");
  }

  private <T> Optional<T> tryRead(Function<Section, T> maker) {
    try {
      return Optional.of(read(maker));
    } catch (RefusedSectionException _) {
      return Optional.empty();
    }
  }

  String path() {
    return path;
  }

  Set<String> given() {
    return given.keySet();
  }

  Set<String> asked() {
    return values.keySet();
  }

  Map<String, Object> values() {
    return values;
  }

  /** From 1; the line of the section when the key is not in the file; 0 when neither is. */
  int lineOf(String key) {
    NodeTuple tuple = given.get(key);
    return tuple == null ? line : lineOf(tuple);
  }

  private void take(NodeTuple tuple) {
    if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
      reading.report(lineOf(tuple), path, "a key must be a text");
      return;
    }
    NodeTuple earlier = given.putIfAbsent(key.getValue(), tuple);
    if (earlier != null) {
      reading.report(
          lineOf(tuple),
          path,
          key.getValue() + " stands here twice; the first is in line " + lineOf(earlier));
    }
  }

  private static int lineOf(NodeTuple tuple) {
    return tuple.getKeyNode().getStartMark().getLine() + 1;
  }

  private String at(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private boolean isRefused(String key) {
    return allRefused || refused.contains(key);
  }

  /** The value; empty when the key is absent or says nothing, as in {@code key:}. */
  private Optional<Node> find(String key) {
    return Optional.ofNullable(given.get(key))
        .map(NodeTuple::getValueNode)
        .filter(n -> !Scalars.isNull(n));
  }

  private Section child(String key, String childPath, @Nullable Node node, int childLine) {
    MappingNode mapping = node instanceof MappingNode map ? map : null;
    if (node != null && mapping == null) {
      wrongType(key, "must be a mapping (key: value)", node);
    }
    Section child = new Section(reading, childPath, mapping, childLine);
    child.allRefused = allRefused;
    return child;
  }

  private Section namesOf(String key) {
    return child(key, at(key), find(key).orElse(null), lineOf(key));
  }

  private long whole(String key, long fallback, long min, long max) {
    return scalar(
        key,
        fallback,
        raw -> {
          BigInteger number = Scalars.whole(raw);
          if (number.compareTo(BigInteger.valueOf(min)) < 0
              || number.compareTo(BigInteger.valueOf(max)) > 0) {
            throw new Scalars.WrongException("must be from " + min + " to " + max);
          }
          return number.longValueExact();
        });
  }

  private <T> T scalar(String key, T fallback, Scalars.Parser<T> parser) {
    T value = find(key).map(node -> parsed(key, node, fallback, parser)).orElse(fallback);
    T accepted = isRefused(key) ? fallback : value;
    values.put(key, accepted);
    return accepted;
  }

  private <T> T parsed(String key, Node node, T fallback, Scalars.Parser<T> parser) {
    if (!(node instanceof ScalarNode scalar)) {
      wrongType(key, "must be a single value", node);
      return fallback;
    }
    try {
      return parser.parse(Scalars.raw(scalar, reading.substitution));
    } catch (Scalars.WrongException e) {
      reading.report(lineOf(key), path, key + " " + e.getMessage());
      return fallback;
    }
  }

  private List<String> textsOf(String key, Node node) {
    if (!(node instanceof SequenceNode sequence)) {
      wrongType(key, "must be a list", node);
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    for (Node item : sequence.getValue()) {
      try {
        texts.add(Scalars.item(item, reading.substitution));
      } catch (Scalars.WrongException e) {
        reading.report(item.getStartMark().getLine() + 1, path, key + " " + e.getMessage());
      }
    }
    return List.copyOf(texts);
  }

  private void wrongType(String key, String expected, Node node) {
    reading.report(lineOf(key), path, key + " " + expected + ", got " + Scalars.kind(node));
  }

  /** Reports a refusal where its key stands: here, or in a section that the same record read. */
  private void refuse(String refusedKey, String message) {
    List<String> keys = List.of(refusedKey.split("\\."));
    Section owner = owner(keys);
    if (owner == null && keys.size() == 1) {
      owner = reading.lastAsked(keys.getFirst());
    }
    String key = keys.getLast();
    if (owner == null || !owner.refused.add(key)) {
      reading.report(line, path, message);
      refuseAll();
      return;
    }
    if (owner.values.get(key) instanceof Section child) {
      child.refuseAll();
    }
    reading.report(owner.lineOf(key), keys.size() > 1 ? path : owner.path, message);
  }

  private @Nullable Section owner(List<String> keys) {
    String first = keys.getFirst();
    if (keys.size() > 1) {
      return values.get(first) instanceof Section child
          ? child.owner(keys.subList(1, keys.size()))
          : null;
    }
    if (given.containsKey(first) && values.containsKey(first)) {
      return this;
    }
    for (Object value : values.values()) {
      Section owner = value instanceof Section child ? child.owner(keys) : null;
      if (owner != null) {
        return owner;
      }
    }
    return null;
  }

  private void refuseAll() {
    allRefused = true;
    for (Object value : values.values()) {
      if (value instanceof Section child) {
        child.refuseAll();
      }
    }
  }
}
