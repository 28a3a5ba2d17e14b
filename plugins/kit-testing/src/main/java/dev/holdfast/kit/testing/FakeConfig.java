package dev.holdfast.kit.testing;

import dev.holdfast.api.PluginConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A section that is a map; its lists hold texts, its maps are sections. For one thread. */
public final class FakeConfig implements PluginConfig {
  private final Map<String, ?> values;
  private final List<String> problems;
  private final Set<String> unread = new TreeSet<>();

  public FakeConfig(Map<String, ?> values) {
    this(values, new ArrayList<>());
  }

  private FakeConfig(Map<String, ?> values, List<String> problems) {
    this.values = values;
    this.problems = problems;
    unread.addAll(values.keySet());
  }

  /** What was reported of this section and those in it, as {@code key: sentence}. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** Keys of this section that nobody has asked for. */
  public Set<String> unread() {
    return new TreeSet<>(unread);
  }

  private @Nullable Object read(String key) {
    unread.remove(key);
    return values.get(key);
  }

  @Override
  public boolean isPresent() {
    return !values.isEmpty();
  }

  @Override
  public String text(String key, String fallback) {
    return read(key) instanceof String text ? text : fallback;
  }

  @Override
  public int whole(String key, int fallback) {
    return read(key) instanceof Integer number ? number : fallback;
  }

  @Override
  public boolean flag(String key, boolean fallback) {
    return read(key) instanceof Boolean flag ? flag : fallback;
  }

  @Override
  public Duration seconds(String key, long fallback) {
    return Duration.ofSeconds(read(key) instanceof Integer number ? number : fallback);
  }

  @Override
  public List<String> texts(String key, List<String> fallback) {
    return read(key) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : fallback;
  }

  @Override
  public String secret(String key) {
    return text(key, "");
  }

  @Override
  public PluginConfig section(String key) {
    return new FakeConfig(asMap(read(key)), problems);
  }

  @Override
  public Map<String, PluginConfig> named(String key) {
    Map<String, PluginConfig> named = new LinkedHashMap<>();
    asMap(read(key))
        .forEach((name, value) -> named.put(name, new FakeConfig(asMap(value), problems)));
    return named;
  }

  private static Map<String, Object> asMap(@Nullable Object value) {
    Map<String, Object> found = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, each) -> found.put(String.valueOf(key), each));
    }
    return found;
  }

  @Override
  public void problem(String key, String sentence) {
    problems.add(key + ": " + sentence);
  }
}
