package dev.holdfast.replies;

import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.OpenReplies;
import dev.holdfast.store.messages.Outbox;
import dev.holdfast.store.messages.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The part of the outbox that posting needs. Every change is durable when its method returns. */
interface PostingOutbox {
  /** Open replies of a thread, in their order. */
  List<Reply> openOf(String threadId, int limit);

  /** Open replies of all threads after {@code afterSeq}. */
  List<Reply> open(long afterSeq, int limit);

  /** Open replies of an account. */
  OpenReplies openTo(String source);

  void sending(long seq, boolean resend) throws StoreException;

  void sent(long seq, String platformId) throws StoreException;

  void rejected(long seq, String why) throws StoreException;

  void retryAt(long seq, Instant at, String why, boolean counts, Duration paced)
      throws StoreException;

  void unknown(long seq, Instant at, String why) throws StoreException;

  void held(long seq, String why) throws StoreException;

  /** The outbox itself. */
  record OfStore(Outbox outbox) implements PostingOutbox {
    @Override
    public List<Reply> openOf(String threadId, int limit) {
      return outbox.openOf(threadId, limit);
    }

    @Override
    public List<Reply> open(long afterSeq, int limit) {
      return outbox.open(afterSeq, limit);
    }

    @Override
    public OpenReplies openTo(String source) {
      return outbox.openTo(source);
    }

    @Override
    public void sending(long seq, boolean resend) throws StoreException {
      outbox.sending(seq, resend);
    }

    @Override
    public void sent(long seq, String platformId) throws StoreException {
      outbox.sent(seq, platformId);
    }

    @Override
    public void rejected(long seq, String why) throws StoreException {
      outbox.rejected(seq, why);
    }

    @Override
    public void retryAt(long seq, Instant at, String why, boolean counts, Duration paced)
        throws StoreException {
      outbox.retryAt(seq, at, why, counts, paced);
    }

    @Override
    public void unknown(long seq, Instant at, String why) throws StoreException {
      outbox.unknown(seq, at, why);
    }

    @Override
    public void held(long seq, String why) throws StoreException {
      outbox.held(seq, why);
    }
  }
}
