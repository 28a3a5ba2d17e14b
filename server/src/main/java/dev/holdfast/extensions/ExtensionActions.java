package dev.holdfast.extensions;

import java.time.Duration;
import java.util.List;

/** What extensions do for tasks. Thread-safe. */
public interface ExtensionActions {
  /** Of the extensions that there are, in their order. */
  List<String> ids();

  /** What it does; empty when it is not there, or nothing is known of it yet. */
  List<ExtensionAction> actions(String id);

  /** Has what it keeps running start anew, between two calls. Returns at once. */
  void renew(String id);

  /** How long one call of it may take, as it says itself; zero when it is not there. */
  Duration callLimit(String id);

  /**
   * Makes one attempt: no retry, no breaker. Blocks until it has ended or {@link TaskCall#limit}
   * has passed; a child that was started for it has ended then, and so it has when this is
   * interrupted.
   */
  AttemptAnswer attempt(String id, TaskCall call) throws InterruptedException;
}
