package dev.holdfast.agents.context;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;

/** The {@code context} section of holdfast.yaml. */
public record ContextConfig(int reserveTokens, int keepRecentTokens) {
  public ContextConfig {
    Check.inRange("reserve_tokens", reserveTokens, 256, 10_000_000);
    Check.inRange("keep_recent_tokens", keepRecentTokens, 256, 10_000_000);
  }

  public static ContextConfig from(Section context) {
    return new ContextConfig(
        context.whole("reserve_tokens", 16_384), context.whole("keep_recent_tokens", 20_000));
  }
}
