package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Count;
import dev.holdfast.store.engine.Counters;
import dev.holdfast.store.engine.Readers;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.engine.Writer;
import dev.holdfast.store.messages.ReplyRows.Found;
import dev.holdfast.store.messages.ReplyRows.Standing;
import dev.holdfast.time.Time;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The durable queue of replies to post. Every change is durable when its method returns.
 * Thread-safe.
 */
public final class Outbox {
  private final Writer writer;
  private final Readers readers;
  private final Counters counters;
  private final Time time;
  private final Rows rows;

  /** How rows are made and given up. */
  public record Rows(
      ReplyRows replies, EventEndings endings, DeadLetterRows letters, Quarantine quarantine) {}

  /** A change of an open reply. */
  private interface Change {
    void of(Transaction tx, Standing reply) throws SQLException;
  }

  public Outbox(Writer writer, Readers readers, Counters counters, Time time, Rows rows) {
    this.writer = writer;
    this.readers = readers;
    this.counters = counters;
    this.time = time;
    this.rows = rows;
  }

  /**
   * Hears of each thread that got a reply to post, after the commit, on the writer's thread: hand
   * over and return.
   */
  public void onPlanned(Consumer<String> threadIds) {
    rows.replies.onPlanned(threadIds);
  }

  /** Plans replies outside of a turn's end, for example a notice that the answer comes later. */
  public void plan(List<NewReply> replies) throws StoreException {
    writer.<Boolean>call(
        tx -> {
          for (NewReply reply : replies) {
            rows.replies.plan(tx, reply, false);
          }
          return true;
        });
  }

  /** Open replies of a thread, in their order. */
  public List<Reply> openOf(String threadId, int limit) {
    return list(
        "r.state in (0, 1, 4, 5) and r.thread = (select no from threads where thread_id = ?)"
            + " order by r.seq limit ?",
        threadId,
        limit);
  }

  /** Open replies of all threads after {@code afterSeq}. */
  public List<Reply> open(long afterSeq, int limit) {
    return list("r.state in (0, 1, 4, 5) and r.seq > ? order by r.seq limit ?", afterSeq, limit);
  }

  /** All replies of an event, in their order. */
  public List<Reply> ofEvent(String eventId) {
    return list("r.event_id = ? order by r.seq", eventId);
  }

  /** All replies of a thread after {@code afterSeq}, whatever their state. */
  public List<Reply> ofThread(String threadId, long afterSeq, int limit) {
    return list(
        "r.thread = (select no from threads where thread_id = ?) and r.seq > ?"
            + " order by r.seq limit ?",
        threadId,
        afterSeq,
        limit);
  }

  public Optional<Reply> find(String replyId) {
    return list("r.id = ?", replyId).stream().findFirst();
  }

  private List<Reply> list(String where, Object... parameters) {
    return readers
        .read(sql -> sql.list(ReplyRows::read, ReplyRows.SELECT + where, parameters))
        .stream()
        .flatMap(found -> whole(found).stream())
        .toList();
  }

  private Optional<Reply> whole(Found found) {
    return switch (found) {
      case Found.Whole(Reply reply) -> Optional.of(reply);
      case Found.Bad(long seq) -> {
        rows.quarantine.reply(seq);
        yield Optional.empty();
      }
    };
  }

  /** Before the first byte goes out. {@code resend}: an earlier send may have arrived. */
  public void sending(long seq, boolean resend) throws StoreException {
    change(
        seq,
        (tx, reply) -> {
          ReplyRows.change(
              tx,
              reply,
              ReplyState.SENDING,
              "detail = '', attempts = attempts + 1, resent = max(resent, ?), ",
              resend ? 1 : 0);
        });
  }

  /** It arrived; as RESENT when an earlier send may have arrived too. */
  public void sent(long seq, String platformId) throws StoreException {
    change(
        seq,
        (tx, reply) ->
            ReplyRows.move(
                tx, reply, reply.resent() ? ReplyState.RESENT : ReplyState.SENT, platformId));
  }

  /**
   * Surely not delivered, and no further try helps: becomes a dead letter, and so does its event.
   */
  public void rejected(long seq, String why) throws StoreException {
    giveUp(seq, ReplyState.REJECTED, why);
  }

  /**
   * Surely not delivered; to be tried again. {@code counts}: whether the try counts against the
   * reply.
   */
  public void retryAt(long seq, Instant at, String why, boolean counts) throws StoreException {
    change(
        seq,
        (tx, reply) -> {
          int back = !counts && reply.state() == ReplyState.SENDING ? 1 : 0;
          ReplyRows.change(
              tx,
              reply,
              ReplyState.RETRY_AT,
              "detail = ?, next_at = ?, attempts = max(attempts - ?, 0), ",
              why,
              Timestamps.of(at),
              back);
        });
  }

  /** The answer to a send was lost. */
  public void unknown(long seq, String why) throws StoreException {
    change(
        seq,
        (tx, reply) -> {
          ReplyRows.change(
              tx, reply, ReplyState.UNKNOWN, "detail = ?, unknowns = unknowns + 1, ", why);
        });
  }

  /** Kept for the operator; the event becomes held. */
  public void held(long seq, String why) throws StoreException {
    giveUp(seq, ReplyState.HELD, why);
  }

  private void giveUp(long seq, ReplyState state, String why) throws StoreException {
    change(
        seq,
        (tx, reply) -> {
          ReplyRows.move(tx, reply, state, why);
          rows.letters.ofReply(tx, seq, why, time.now());
          rows.endings.judge(tx, reply.eventId());
        });
  }

  /** A reply that is final stays as it is: a straggler changes nothing. */
  private void change(long seq, Change change) throws StoreException {
    writer.<Boolean>call(
        tx -> {
          Optional<Standing> reply =
              ReplyRows.standing(tx, seq).filter(found -> found.state().isOpen());
          if (reply.isPresent()) {
            change.of(tx, reply.get());
          }
          return reply.isPresent();
        });
  }

  /** How many replies are open. */
  public long depth() {
    return counters.get(Count.OPEN_REPLIES);
  }
}
