package dev.holdfast.store.threads;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;

/**
 * How much is kept in the folder of one chat thread.
 *
 * @param logBytesMax {@code threads.log_max_bytes}: at this size {@code log.jsonl} is compressed
 *     and begun anew
 * @param oldFilesMax {@code threads.old_files_max}: how many earlier logs, and how many earlier
 *     contexts, are kept
 */
public record ThreadFilesConfig(long logBytesMax, int oldFilesMax) {
  public ThreadFilesConfig {
    Check.inRange("log_max_bytes", logBytesMax, 65_536, 1L << 30);
    Check.inRange("old_files_max", oldFilesMax, 1, 10_000);
  }

  /** Reads its two keys of the {@code threads} section. */
  public static ThreadFilesConfig from(Section threads) {
    return new ThreadFilesConfig(
        threads.wholeLong("log_max_bytes", 4_194_304L), threads.whole("old_files_max", 50));
  }
}
