package dev.holdfast.codingagent;

import dev.holdfast.kit.JsonText;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What work has taken, as far as the program says.
 *
 * @param turns of its model, or of the conversation with it where it does not count them
 * @param toolCalls that it has made
 * @param tokens what they count
 * @param tokensIn zero when it does not say
 * @param cost of the session up to now, all tasks together; zero when it does not say
 * @param currency of the cost
 */
record SessionUsage(
    long turns,
    long toolCalls,
    Tokens tokens,
    long tokensIn,
    long tokensOut,
    double cost,
    String currency) {
  static final SessionUsage NONE = new SessionUsage(0, 0, Tokens.OF_RUN, 0, 0, 0, "USD");

  /** What a program counts. */
  enum Tokens {
    OF_RUN("tokens"),

    /** Of all runs of the session up to now. */
    OF_SESSION("session_tokens");

    private final String key;

    Tokens(String key) {
      this.key = key;
    }
  }

  /** Of two runs of one session, this one the earlier. */
  SessionUsage plus(SessionUsage later) {
    return new SessionUsage(
        turns + later.turns,
        toolCalls + later.toolCalls,
        later.tokens,
        later.tokens == Tokens.OF_RUN ? tokensIn + later.tokensIn : later.tokensIn,
        later.tokens == Tokens.OF_RUN ? tokensOut + later.tokensOut : later.tokensOut,
        Math.max(cost, later.cost),
        later.currency);
  }

  static SessionUsage read(Map<String, Object> object) {
    String currency = JsonText.text(object, "currency");
    Tokens tokens =
        object.containsKey(Tokens.OF_SESSION.key + "_in") ? Tokens.OF_SESSION : Tokens.OF_RUN;
    return new SessionUsage(
        JsonText.whole(object, "turns", 0),
        JsonText.whole(object, "tool_calls", 0),
        tokens,
        JsonText.whole(object, tokens.key + "_in", 0),
        JsonText.whole(object, tokens.key + "_out", 0),
        JsonText.number(object, "session_cost", 0),
        currency.isEmpty() ? NONE.currency : currency);
  }

  /** As it is told; what is not known is left out. */
  Map<String, Object> written() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("turns", turns);
    object.put("tool_calls", toolCalls);
    if (tokensIn + tokensOut > 0) {
      object.put(tokens.key + "_in", tokensIn);
      object.put(tokens.key + "_out", tokensOut);
    }
    if (cost > 0) {
      object.put("session_cost", cost);
      object.put("currency", currency);
    }
    return object;
  }
}
