package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Crc;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.time.Time;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Replies as rows and back. */
final class ReplyRows {
  /** The columns that {@link #read} wants; damaged rows are never among them. */
  static final String SELECT =
      "select r.seq, r.id, r.event_id, r.source, t.thread_id, r.address, r.in_reply_to, r.text,"
          + " r.part, r.parts, r.delivered, r.state, r.attempts, r.unknowns, r.planned_at,"
          + " r.next_at, r.detail, r.crc, r.files, r.paced_ms, r.choices"
          + " from replies r left join threads t on t.no = r.thread where r.damaged = 0 and ";

  private static final String INSERT =
      "insert into replies (seq, id, event_id, source, thread, address, in_reply_to, text, part,"
          + " parts, delivered, crc, ends, state, attempts, planned_at, next_at, files, choices)"
          + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
          + " on conflict (id) do nothing";

  /** Buttons are not taken for files. */
  private static final String CHOICES = "choices";

  private final NumberedNames names;
  private final Time time;
  private volatile Consumer<String> planned = _ -> {};
  private volatile FirstPosts firstPosts = FirstPosts.NONE;
  private volatile Companion companion = Companion.NONE;

  ReplyRows(NumberedNames names, Time time) {
    this.names = names;
    this.time = time;
  }

  /** A row that was read: the reply, or what is left of it. */
  sealed interface Found {
    record Whole(Reply reply) implements Found {}

    /** Its bytes are not those that were written. */
    record Bad(long seq) implements Found {}
  }

  /** The changing part of a reply. */
  record Standing(long seq, String eventId, ReplyState state, boolean resent, boolean hasChoices) {}

  void onPlanned(Consumer<String> listener) {
    planned = listener;
  }

  void onPlanning(FirstPosts posts) {
    firstPosts = posts;
  }

  void accompany(Companion with) {
    companion = with;
  }

  static Found read(ResultSet row) throws SQLException {
    long seq = row.getLong(1);
    Reply reply = reply(row, seq);
    return reply != null && crc(reply.reply()) == row.getLong(18)
        ? new Found.Whole(reply)
        : new Found.Bad(seq);
  }

  private static @Nullable Reply reply(ResultSet row, long seq) throws SQLException {
    for (int column = 2; column <= 8; column++) {
      if (row.getString(column) == null) {
        return null;
      }
    }
    Optional<ReplyState> state = ReplyState.of(row.getInt(12));
    if (state.isEmpty()) {
      return null;
    }
    NewReply planned =
        new NewReply(
            row.getString(2),
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getString(6),
            row.getString(7),
            row.getString(8),
            row.getInt(9),
            row.getInt(10),
            row.getInt(11) != 0,
            String.valueOf(row.getString(19)),
            String.valueOf(row.getString(21)));
    return new Reply(
        seq,
        planned,
        state.get(),
        row.getInt(13),
        row.getInt(14),
        Instant.ofEpochMilli(row.getLong(15)),
        Instant.ofEpochMilli(row.getLong(16)),
        Duration.ofMillis(row.getLong(20)),
        String.valueOf(row.getString(17)));
  }

  private static long crc(NewReply reply) {
    Crc crc =
        new Crc()
            .add(reply.id())
            .add(reply.eventId())
            .add(reply.source())
            .add(reply.threadId())
            .add(reply.address())
            .add(reply.inReplyTo())
            .add(reply.text())
            .add(reply.part())
            .add(reply.parts())
            .add(reply.delivered() ? 1 : 0);
    // Rows from before there were files and buttons keep their sum.
    crc = reply.files().isEmpty() ? crc : crc.add(reply.files());
    return (reply.choices().isEmpty() ? crc : crc.add(CHOICES).add(reply.choices())).value();
  }

  /** A known id changes nothing. {@code ends}: whether its fate decides about its event. */
  void plan(Transaction tx, NewReply reply, boolean ends) throws SQLException {
    long now = Timestamps.of(time.now());
    long seq = tx.counted(MessageCounters.REPLIES) + 1;
    long thread = names.thread(tx, reply.threadId());
    FirstPosts posts = firstPosts;
    boolean begins = !reply.delivered() && isFirst(tx, thread) && posts.begin(seq, reply);
    if (begins) {
      tx.afterRollback(() -> posts.forget(seq));
    }
    int inserted =
        tx.sql()
            .update(
                INSERT,
                seq,
                reply.id(),
                reply.eventId(),
                reply.source(),
                thread,
                reply.address(),
                reply.inReplyTo(),
                reply.text(),
                reply.part(),
                reply.parts(),
                reply.delivered() ? 1 : 0,
                crc(reply),
                ends ? 1 : 0,
                state(reply, begins).code(),
                begins ? 1 : 0,
                now,
                now,
                reply.files(),
                reply.choices());
    if (inserted == 0) {
      if (begins) {
        posts.forget(seq);
      }
      return;
    }
    tx.count(MessageCounters.REPLIES, 1);
    if (reply.delivered()) {
      sent(tx, seq);
    } else {
      tx.count(MessageCounters.OPEN_REPLIES, 1);
      announce(tx, reply.threadId());
    }
  }

  /** What belongs to a reply that has arrived is written with it. */
  void sent(Transaction tx, long seq) throws SQLException {
    if (companion == Companion.NONE) {
      return; // the row need not be read
    }
    Optional<Found> row = tx.sql().first(ReplyRows::read, SELECT + "r.seq = ?", seq);
    if (row.isPresent() && row.get() instanceof Found.Whole(Reply reply)) {
      companion.sent(tx, reply);
    }
  }

  /** Whether nothing of the thread is open before it. */
  private static boolean isFirst(Transaction tx, long thread) throws SQLException {
    return tx.sql()
        .first(
            row -> row.getLong(1),
            "select seq from replies where thread = ? and " + ReplyState.OPEN + " limit 1",
            thread)
        .isEmpty();
  }

  private static ReplyState state(NewReply reply, boolean begins) {
    if (reply.delivered()) {
      return ReplyState.SENT;
    }
    return begins ? ReplyState.SENDING : ReplyState.PLANNED;
  }

  /** Tells the poster of a thread's replies, once the transaction is durable. */
  void announce(Transaction tx, String threadId) {
    tx.afterCommit(() -> planned.accept(threadId));
  }

  static Optional<Standing> standing(Transaction tx, long seq) throws SQLException {
    return tx.sql()
        .first(
            row ->
                new Standing(
                    row.getLong(1),
                    row.getString(2),
                    ReplyState.of(row.getInt(3)).orElse(ReplyState.REJECTED),
                    row.getInt(4) != 0,
                    row.getInt(5) != 0),
            "select seq, event_id, state, resent, choices <> '' from replies"
                + " where seq = ? and damaged = 0",
            seq);
  }

  /** Changes a state, its detail, and the count of open replies with it. */
  static void move(Transaction tx, Standing reply, ReplyState to, String detail)
      throws SQLException {
    change(tx, reply, to, "detail = ?, ", detail);
  }

  /**
   * Changes a state together with other columns: one row is written once.
   *
   * @param set {@code column = ?} for each of the parameters, with a comma behind each; a constant
   */
  static void change(
      Transaction tx, Standing reply, ReplyState to, String set, Object... parameters)
      throws SQLException {
    Object[] all = Arrays.copyOf(parameters, parameters.length + 2);
    all[parameters.length] = to.code();
    all[parameters.length + 1] = reply.seq();
    tx.sql().update("update replies set " + set + "state = ? where seq = ?", all);
    if (reply.state().isOpen() != to.isOpen()) {
      tx.count(MessageCounters.OPEN_REPLIES, to.isOpen() ? 1 : -1);
    }
  }

  /** It is not posted again, and nobody needs the tokens of its buttons here any more. */
  static void forgetChoices(Transaction tx, Standing reply) throws SQLException {
    Optional<Found> row =
        reply.hasChoices()
            ? tx.sql().first(ReplyRows::read, SELECT + "r.seq = ?", reply.seq())
            : Optional.empty();
    if (row.isPresent() && row.get() instanceof Found.Whole(Reply whole)) {
      tx.sql()
          .update(
              "update replies set choices = '', crc = ? where seq = ?",
              crc(whole.reply().withoutChoices()),
              reply.seq());
    }
  }

  boolean anyEnding(Transaction tx, String eventId, ReplyState state) throws SQLException {
    return tx.sql()
        .first(
            row -> row.getLong(1),
            "select seq from replies where event_id = ? and ends = 1 and state = ? limit 1",
            eventId,
            state.code())
        .isPresent();
  }
}
