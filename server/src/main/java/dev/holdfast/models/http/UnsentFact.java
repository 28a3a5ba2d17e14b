package dev.holdfast.models.http;

import dev.holdfast.api.Failure;
import dev.holdfast.net.HttpFailedException;
import java.util.HashMap;
import java.util.Map;

/**
 * Carries in a failure that nothing of the request has reached the provider: then what was asked
 * cannot be the cause.
 */
public final class UnsentFact {
  private static final String NAME = "unsent";

  private UnsentFact() {}

  static Failure write(HttpFailedException failed) {
    if (!failed.surelyNotSent()) {
      return failed.failure();
    }
    Map<String, String> facts = new HashMap<>(failed.failure().context());
    facts.put(NAME, "true");
    return failed.failure().withContext(facts);
  }

  public static boolean read(Failure failure) {
    return failure.context().containsKey(NAME);
  }
}
