package dev.holdfast.replies;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.FirstPosts;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.OpenReplies;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** An outbox in memory. */
final class FakeOutbox implements PostingOutbox {
  private final TreeMap<Long, Reply> rows = new TreeMap<>();
  private final List<String> changes = new ArrayList<>();
  private FirstPosts posts = FirstPosts.NONE;
  private int failures;
  private int biggestPage;
  private int counted;
  private boolean uncountable;

  synchronized void onPlanning(FirstPosts asked) {
    posts = asked;
  }

  synchronized Reply plan(NewReply reply, Instant at) {
    long seq = rows.size() + 1L;
    boolean begins = openOf(reply.threadId(), 1).isEmpty() && posts.begin(seq, reply);
    Reply row =
        begins
            ? new Reply(seq, reply, ReplyState.SENDING, 1, 0, at, at, Duration.ZERO, "")
            : new Reply(seq, reply, ReplyState.PLANNED, 0, 0, at, at, Duration.ZERO, "");
    rows.put(seq, row);
    return row;
  }

  synchronized void put(Reply reply) {
    rows.put(reply.seq(), reply);
  }

  /** The next {@code count} changes fail: the disk is full. */
  synchronized void failsNext(int count) {
    failures = count;
  }

  /** Nothing is written any more, until {@link #revive}. */
  synchronized void die() {
    failures = Integer.MAX_VALUE;
  }

  synchronized void revive() {
    failures = 0;
  }

  synchronized Reply row(long seq) {
    Reply row = rows.get(seq);
    if (row == null) {
      throw new IllegalArgumentException("no reply " + seq);
    }
    return row;
  }

  synchronized List<Reply> all() {
    return List.copyOf(rows.values());
  }

  synchronized List<String> changes() {
    return List.copyOf(changes);
  }

  synchronized int biggestPage() {
    return biggestPage;
  }

  synchronized void cannotCount() {
    uncountable = true;
  }

  /** How often what waits for an account was counted. */
  synchronized int counted() {
    return counted;
  }

  @Override
  public synchronized List<Reply> openOf(String threadId, int limit) {
    return rows.values().stream()
        .filter(row -> row.state().isOpen() && row.reply().threadId().equals(threadId))
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized List<Reply> open(long afterSeq, int limit) {
    List<Reply> page =
        rows.tailMap(afterSeq, false).values().stream()
            .filter(row -> row.state().isOpen())
            .limit(limit)
            .toList();
    biggestPage = Math.max(biggestPage, page.size());
    return page;
  }

  @Override
  public synchronized OpenReplies openTo(String source) {
    counted++;
    if (uncountable) {
      throw new IllegalStateException("no row can be read");
    }
    List<Reply> open =
        rows.values().stream()
            .filter(row -> row.state().isOpen() && row.reply().source().equals(source))
            .toList();
    return new OpenReplies(
        open.size(),
        open.stream().map(Reply::plannedAt).min(Instant::compareTo).orElse(Instant.EPOCH));
  }

  @Override
  public void sending(long seq, boolean resend) throws StoreException {
    change(
        seq,
        resend ? "resending" : "sending",
        row -> with(row, ReplyState.SENDING, 1, 0, row.nextAt(), ""));
  }

  @Override
  public void sent(long seq, String platformId) throws StoreException {
    change(
        seq,
        "sent",
        row ->
            with(
                row,
                row.unknowns() > 0 ? ReplyState.RESENT : ReplyState.SENT,
                0,
                0,
                row.nextAt(),
                platformId));
  }

  @Override
  public void rejected(long seq, String why) throws StoreException {
    change(seq, "rejected", row -> with(row, ReplyState.REJECTED, 0, 0, row.nextAt(), why));
  }

  @Override
  public void retryAt(long seq, Instant at, String why, boolean counts, Duration paced)
      throws StoreException {
    change(
        seq,
        counts ? "retry" : "wait",
        row -> paced(with(row, ReplyState.RETRY_AT, counts ? 0 : -1, 0, at, why), paced));
  }

  @Override
  public void unknown(long seq, Instant at, String why) throws StoreException {
    change(seq, "unknown", row -> with(row, ReplyState.UNKNOWN, 0, 1, at, why));
  }

  @Override
  public void held(long seq, String why) throws StoreException {
    change(seq, "held", row -> with(row, ReplyState.HELD, 0, 0, row.nextAt(), why));
  }

  private synchronized void change(long seq, String what, UnaryOperator<Reply> change)
      throws StoreException {
    if (failures > 0) {
      failures--;
      throw new StoreException(Failure.of(FailureCode.IO, "no space left on device"));
    }
    rows.put(seq, change.apply(row(seq)));
    changes.add(seq + " " + what);
  }

  private static Reply with(
      Reply row, ReplyState state, int attempts, int unknowns, Instant nextAt, String detail) {
    return new Reply(
        row.seq(),
        row.reply(),
        state,
        row.attempts() + attempts,
        row.unknowns() + unknowns,
        row.plannedAt(),
        nextAt,
        row.paced(),
        detail);
  }

  private static Reply paced(Reply row, Duration by) {
    return new Reply(
        row.seq(),
        row.reply(),
        row.state(),
        row.attempts(),
        row.unknowns(),
        row.plannedAt(),
        row.nextAt(),
        row.paced().plus(by),
        row.detail());
  }
}
