package dev.holdfast.store;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.store.engine.EngineConfig;
import dev.holdfast.store.messages.InboxConfig;
import dev.holdfast.store.threads.ThreadFilesConfig;

/**
 * What the store is told by the configuration.
 *
 * @param freeBytesMin {@code server.min_free_bytes}: below this much free disk new events are
 *     refused
 * @param files two keys of the {@code threads} section
 */
public record StoreConfig(InboxConfig inbox, long freeBytesMin, ThreadFilesConfig files) {
  public StoreConfig {
    Check.inRange("min_free_bytes", freeBytesMin, 0, Long.MAX_VALUE);
  }

  EngineConfig engine() {
    return new EngineConfig(inbox.commitEventsMax(), inbox.commitWaitMax(), freeBytesMin);
  }

  /**
   * Reads {@code min_free_bytes} of the {@code server} section, the whole {@code inbox} section,
   * and of the {@code threads} section what is about files.
   */
  public static StoreConfig from(Section server, Section inbox, Section threads) {
    return new StoreConfig(
        inbox.read(InboxConfig::from),
        server.wholeLong("min_free_bytes", 268_435_456L),
        threads.read(ThreadFilesConfig::from));
  }
}
