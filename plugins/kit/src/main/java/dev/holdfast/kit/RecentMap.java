package dev.holdfast.kit;

import java.util.LinkedHashMap;
import java.util.Optional;

/** What was put or looked at most recently, at most 10,000 entries. Thread-safe. */
public final class RecentMap<V> {
  public static final int ENTRIES_MAX = 10_000;

  private final LinkedHashMap<String, V> entries = new LinkedHashMap<>(16, 0.75f, true);

  public synchronized void put(String key, V value) {
    entries.put(key, value);
    if (entries.size() > ENTRIES_MAX) {
      entries.pollFirstEntry();
    }
  }

  public synchronized Optional<V> find(String key) {
    return Optional.ofNullable(entries.get(key));
  }

  public synchronized boolean has(String key) {
    return entries.containsKey(key);
  }
}
