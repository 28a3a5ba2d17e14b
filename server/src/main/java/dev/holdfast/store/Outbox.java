package dev.holdfast.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The durable queue of replies to post. Every change is durable when its method returns. Thread-safe. */
public final class Outbox {
  Outbox() {}

  /** Hears of each thread that got a reply to post, after the commit, on the writer's thread: hand over and return. */
  public void onPlanned(Consumer<String> threadIds) {
    throw new UnsupportedOperationException(threadIds.toString());
  }

  /** Plans replies outside of a turn's end, for example a notice that the answer comes later. */
  public void plan(List<NewReply> replies) throws StoreException {
    throw new UnsupportedOperationException(replies.toString());
  }

  /** Open replies of a thread, in their order. */
  public List<Reply> openOf(String threadId, int limit) {
    throw new UnsupportedOperationException(threadId + limit);
  }

  /** Open replies of all threads after {@code afterSeq}. */
  public List<Reply> open(long afterSeq, int limit) {
    throw new UnsupportedOperationException("" + afterSeq + limit);
  }

  /** All replies of an event, in their order. */
  public List<Reply> ofEvent(String eventId) {
    throw new UnsupportedOperationException(eventId);
  }

  /** All replies of a thread after {@code afterSeq}, whatever their state. */
  public List<Reply> ofThread(String threadId, long afterSeq, int limit) {
    throw new UnsupportedOperationException(threadId + afterSeq + limit);
  }

  public Optional<Reply> find(String replyId) {
    throw new UnsupportedOperationException(replyId);
  }

  /** Before the first byte goes out. {@code resend}: an earlier send may have arrived. */
  public void sending(long seq, boolean resend) throws StoreException {
    throw new UnsupportedOperationException(seq + "" + resend);
  }

  public void sent(long seq, String platformId) throws StoreException {
    throw new UnsupportedOperationException(seq + platformId);
  }

  /** Surely not delivered, and no further try helps: becomes a dead letter, and so does its event. */
  public void rejected(long seq, String why) throws StoreException {
    throw new UnsupportedOperationException(seq + why);
  }

  /** Surely not delivered; to be tried again. {@code counts}: whether the try counts against the reply. */
  public void retryAt(long seq, Instant at, String why, boolean counts) throws StoreException {
    throw new UnsupportedOperationException(seq + why + at + counts);
  }

  /** The answer to a send was lost. */
  public void unknown(long seq, String why) throws StoreException {
    throw new UnsupportedOperationException(seq + why);
  }

  /** Kept for the operator; the event becomes held. */
  public void held(long seq, String why) throws StoreException {
    throw new UnsupportedOperationException(seq + why);
  }

  public long depth() {
    throw new UnsupportedOperationException();
  }
}
