package dev.holdfast.models.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.api.Failure;
import dev.holdfast.api.TokenUsage;
import java.util.HashMap;
import java.util.Map;

/** Carries what a failed call had used by then in its failure: it is paid for all the same. */
public final class UsageFacts {
  private static final String INPUT = "input_tokens";
  private static final String OUTPUT = "output_tokens";
  private static final String CACHE_READ = "cache_read_tokens";
  private static final String CACHE_WRITE = "cache_write_tokens";

  private static final long COUNT_MAX = 100_000_000;

  private UsageFacts() {}

  public static Failure write(Failure failure, TokenUsage usage) {
    if (usage.equals(TokenUsage.NONE)) {
      return failure;
    }
    Map<String, String> facts = new HashMap<>(failure.context());
    facts.put(INPUT, Long.toString(usage.input()));
    facts.put(OUTPUT, Long.toString(usage.output()));
    facts.put(CACHE_READ, Long.toString(usage.cacheRead()));
    facts.put(CACHE_WRITE, Long.toString(usage.cacheWrite()));
    return failure.withContext(facts);
  }

  /** {@link TokenUsage#NONE} when the failure carries none. */
  public static TokenUsage read(Failure failure) {
    Map<String, String> facts = failure.context();
    return new TokenUsage(
        number(facts, INPUT),
        number(facts, OUTPUT),
        number(facts, CACHE_READ),
        number(facts, CACHE_WRITE));
  }

  private static long number(Map<String, String> facts, String name) {
    String text = facts.getOrDefault(name, "0");
    return text.matches("\\d{1,9}") ? Long.parseLong(text) : 0;
  }

  /** A count as a provider told it; what cannot be one is none. */
  public static long count(JsonNode told) {
    return Math.clamp(told.asLong(0), 0, COUNT_MAX);
  }
}
