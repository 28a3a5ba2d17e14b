package dev.holdfast.tools.memory;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;

/**
 * The {@code tools.memory} section of holdfast.yaml.
 *
 * @param globalWrites whether whoever writes in any chat thread may add to what all threads know
 * @param bytesMax of one MEMORY.md
 */
public record MemoryConfig(boolean enabled, boolean globalWrites, int bytesMax) {
  public MemoryConfig {
    Check.inRange("max_bytes", bytesMax, 256, 1_000_000);
  }

  public static MemoryConfig from(Section memory) {
    return new MemoryConfig(
        memory.flag("enabled", true),
        memory.flag("global_writes", false),
        memory.whole("max_bytes", 16_384));
  }
}
