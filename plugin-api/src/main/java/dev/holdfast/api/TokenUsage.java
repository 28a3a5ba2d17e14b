package dev.holdfast.api;

/**
 * What a model call used, in tokens, each number from 0 to 1,000,000,000. {@code input} excludes
 * what was read from or written to a cache.
 */
public record TokenUsage(long input, long output, long cacheRead, long cacheWrite) {
  public static final TokenUsage NONE = new TokenUsage(0, 0, 0, 0);

  private static final long TOKENS_MAX = 1_000_000_000;

  public TokenUsage {
    Bounds.number("input", input, TOKENS_MAX);
    Bounds.number("output", output, TOKENS_MAX);
    Bounds.number("cacheRead", cacheRead, TOKENS_MAX);
    Bounds.number("cacheWrite", cacheWrite, TOKENS_MAX);
  }
}
