package dev.holdfast.api;

/**
 * What a model call used, in tokens. {@code input} excludes what was read from or written to a
 * cache.
 */
public record TokenUsage(long input, long output, long cacheRead, long cacheWrite) {
  public static final TokenUsage NONE = new TokenUsage(0, 0, 0, 0);

  public TokenUsage plus(TokenUsage other) {
    return new TokenUsage(
        input + other.input,
        output + other.output,
        cacheRead + other.cacheRead,
        cacheWrite + other.cacheWrite);
  }
}
