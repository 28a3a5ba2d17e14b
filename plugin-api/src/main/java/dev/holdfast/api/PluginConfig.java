package dev.holdfast.api;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A section of the configuration as its plugin reads it, in {@link Plugin#start}. A value that is
 * absent is its default. One of the wrong type counts as a problem and is its default too, so that
 * all problems are told at once, with file and line; so does each key that was never asked for.
 * With a problem the plugin does not start. For one thread.
 */
public interface PluginConfig {
  /** Whether the file has this section at all. */
  boolean isPresent();

  String text(String key, String fallback);

  int whole(String key, int fallback);

  boolean flag(String key, boolean fallback);

  /** A number of seconds; the key should end in {@code _secs}. */
  Duration seconds(String key, long fallback);

  List<String> texts(String key, List<String> fallback);

  /** A text that is hidden wherever the server writes; empty when it is absent. */
  String secret(String key);

  /** The mapping under a key; an empty one when it is absent. */
  PluginConfig section(String key);

  /** A mapping from names that the operator chose, accounts for example, in the file's order. */
  Map<String, PluginConfig> named(String key);

  /**
   * Reports a value that cannot be used.
   *
   * @param sentence names the key and says what it must be
   */
  void problem(String key, String sentence);
}
