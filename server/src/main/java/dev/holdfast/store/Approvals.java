package dev.holdfast.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Questions to people about calls that wait. Every change is durable when its method returns. Thread-safe. */
public final class Approvals {
  Approvals() {}

  /** The question about a call, whatever its state. */
  public Optional<Approval> ofCall(String key) {
    throw new UnsupportedOperationException(key);
  }

  /** Writes the question down; the same call asked again keeps its first question. */
  public void ask(Approval question) throws StoreException {
    throw new UnsupportedOperationException(question.toString());
  }

  public Optional<Approval> find(String id) {
    throw new UnsupportedOperationException(id);
  }

  /** The one that waits in a thread under that code, in any case of letters. */
  public Optional<Approval> waiting(String threadId, String code) {
    throw new UnsupportedOperationException(threadId + code);
  }

  /** Newest first; only those that wait when {@code open}. */
  public List<Approval> list(boolean open, int limit) {
    throw new UnsupportedOperationException("" + open + limit);
  }

  /** False when it does not wait any more or its time is over. */
  public boolean decide(String id, boolean yes, String by, Instant now) throws StoreException {
    throw new UnsupportedOperationException(id + yes + by + now);
  }

  /** Spends a yes: true once, and only for the same call and arguments. */
  public boolean use(String key, String argumentsHash) throws StoreException {
    throw new UnsupportedOperationException(key + argumentsHash);
  }

  /** Its time is over. */
  public void expire(String id) throws StoreException {
    throw new UnsupportedOperationException(id);
  }
}
