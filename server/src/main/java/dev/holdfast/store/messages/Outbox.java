package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.ReplyRows.Standing;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The durable queue of replies to post. Every change is durable when its method returns.
 * Thread-safe.
 */
public final class Outbox {
  private final Engine engine;
  private final ReplyRows replies;
  private final EventEndings endings;
  private final DeadLetterRows letters;
  private final Quarantine quarantine;

  /** A change of an open reply. */
  private interface Change {
    void of(Transaction tx, Standing reply) throws SQLException;
  }

  Outbox(
      Engine engine,
      ReplyRows replies,
      EventEndings endings,
      DeadLetterRows letters,
      Quarantine quarantine) {
    this.engine = engine;
    this.replies = replies;
    this.endings = endings;
    this.letters = letters;
    this.quarantine = quarantine;
  }

  /**
   * Hears of each thread that got a reply to post, after the commit, on the writer's thread: hand
   * over and return.
   */
  public void onPlanned(Consumer<String> threadIds) {
    replies.onPlanned(threadIds);
  }

  /** Asks {@code posts} from now on which replies are planned as being sent. */
  public void onPlanning(FirstPosts posts) {
    replies.onPlanning(posts);
  }

  /** What is written in the same commit as something else. */
  public interface Beside {
    void write(Transaction tx) throws SQLException;
  }

  /** Plans replies outside of a turn's end, for example a notice that the answer comes later. */
  public void plan(List<NewReply> wanted) throws StoreException {
    plan(wanted, _ -> {});
  }

  /** As {@link #plan(List)}; both are kept, or neither. */
  public void plan(List<NewReply> wanted, Beside beside) throws StoreException {
    engine.<Boolean>call(
        tx -> {
          beside.write(tx);
          for (NewReply reply : wanted) {
            replies.plan(tx, reply, false);
          }
          return true;
        });
  }

  /** Open replies of a thread, in their order. */
  public List<Reply> openOf(String threadId, int limit) {
    return list(
        "r."
            + ReplyState.OPEN
            + " and r.thread = (select no from threads where thread_id = ?)"
            + " order by r.seq limit ?",
        threadId,
        limit);
  }

  /** Open replies of all threads after {@code afterSeq}. */
  public List<Reply> open(long afterSeq, int limit) {
    return list("r." + ReplyState.OPEN + " and r.seq > ? order by r.seq limit ?", afterSeq, limit);
  }

  /** What waits for one account, {@code channel:account}, of whatever thread. */
  public OpenReplies openTo(String source) {
    return engine
        .read(
            sql ->
                sql.first(
                    row -> new OpenReplies(row.getLong(1), Instant.ofEpochMilli(row.getLong(2))),
                    "select count(*), coalesce(min(r.planned_at), 0) from replies r where r."
                        + ReplyState.OPEN
                        + " and r.damaged = 0 and r.source = ?",
                    source))
        .orElseThrow();
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
    return engine
        .read(sql -> sql.list(ReplyRows::read, ReplyRows.SELECT + where, parameters))
        .stream()
        .flatMap(found -> quarantine.whole(found).stream())
        .toList();
  }

  /**
   * Before the first byte goes out, unless it was planned so. {@code resend}: an earlier send may
   * have arrived.
   */
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
        (tx, reply) -> {
          ReplyRows.move(
              tx, reply, reply.resent() ? ReplyState.RESENT : ReplyState.SENT, platformId);
          replies.sent(tx, seq);
          ReplyRows.forgetChoices(tx, reply);
        });
  }

  /**
   * Surely not delivered, and no further try helps: becomes a dead letter, and so does its event.
   */
  public void rejected(long seq, String why) throws StoreException {
    giveUp(seq, ReplyState.REJECTED, why);
  }

  /**
   * Surely not delivered; to be tried again.
   *
   * @param counts whether the try counts against the reply
   * @param paced how long the platform has asked to wait
   */
  public void retryAt(long seq, Instant at, String why, boolean counts, Duration paced)
      throws StoreException {
    change(
        seq,
        (tx, reply) -> {
          int back = !counts && reply.state() == ReplyState.SENDING ? 1 : 0;
          ReplyRows.change(
              tx,
              reply,
              ReplyState.RETRY_AT,
              "detail = ?, next_at = ?, attempts = max(attempts - ?, 0),"
                  + " paced_ms = paced_ms + ?, ",
              why,
              Timestamps.of(at),
              back,
              paced.toMillis());
        });
  }

  /** The answer to a send was lost. {@code at}: when it is due again. */
  public void unknown(long seq, Instant at, String why) throws StoreException {
    change(
        seq,
        (tx, reply) -> {
          ReplyRows.change(
              tx,
              reply,
              ReplyState.UNKNOWN,
              "detail = ?, next_at = ?, unknowns = unknowns + 1, ",
              why,
              Timestamps.of(at));
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
          letters.ofReply(tx, seq, why);
          endings.judge(tx, reply.eventId());
        });
  }

  /** A reply that is final stays as it is: a straggler changes nothing. */
  private void change(long seq, Change change) throws StoreException {
    engine.<Boolean>call(
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
    return engine.counted(MessageCounters.OPEN_REPLIES);
  }
}
