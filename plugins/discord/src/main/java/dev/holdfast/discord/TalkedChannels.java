package dev.holdfast.discord;

import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedByInterruptException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Channels of one account in which something may be answered, and the last message of each that is
 * on disk: from there on its history is read when a session was lost. At most 500; those in which
 * nothing was said for longest are forgotten. What is not written yet is only read once more. For
 * one thread at a time.
 */
final class TalkedChannels {
  static final int CHANNELS_MAX = 500;

  private final PluginContext context;
  private final StateFile file;
  private final String account;
  private final LinkedHashMap<String, Long> last = new LinkedHashMap<>(16, 0.75f, true);
  private boolean isChanged;
  private boolean hasNew;

  TalkedChannels(PluginContext context, StateFile file, String account) {
    this.context = context;
    this.file = file;
    this.account = account;
    Map<String, Object> saved = file.find(account).orElse(Map.of());
    saved.keySet().forEach(channel -> last.put(channel, JsonText.whole(saved, channel, 0)));
  }

  /** A message of it is on disk. */
  void taken(String channel, String message) {
    if (last.put(channel, Math.max(Snowflake.number(message), last.getOrDefault(channel, 0L)))
        == null) {
      hasNew = true;
      while (last.size() > CHANNELS_MAX) {
        Map.Entry<String, Long> _ = last.pollFirstEntry();
      }
    }
    isChanged = true;
  }

  boolean has(String channel) {
    return last.containsKey(channel);
  }

  /** The bot is not there any more. */
  void forget(String channel) {
    isChanged |= last.remove(channel) != null;
  }

  /** The last messages by their channels. */
  Map<String, Long> all() {
    return new LinkedHashMap<>(last);
  }

  /** Writes them if there is one that is on disk nowhere yet. */
  void saveNew() {
    if (hasNew) {
      save();
    }
  }

  void save() {
    if (!isChanged) {
      return;
    }
    try {
      file.put(account, last);
      isChanged = false;
      hasNew = false;
    } catch (ClosedByInterruptException _) {
      // The server stops: what is read once more is known.
    } catch (IOException e) {
      context
          .logger()
          .log(Level.WARNING, "the list of channels could not be written: {0}", e.toString());
    }
  }
}
