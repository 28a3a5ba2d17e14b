package dev.holdfast.discord;

import dev.holdfast.api.MessageSink;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What outlives the connections of one account: its session, and whether messages may have been
 * missed. For one thread at a time.
 */
final class GatewayState {
  /** After so many tries Discord has forgotten the session, whatever it says. */
  private static final int RESUMES_MAX = 3;

  /** Where to connect to for the session may be no more. */
  private static final Duration UNREACHABLE_MAX = Duration.ofMinutes(5);

  private @Nullable GatewaySession session;
  private boolean isRead;
  private int resumes;

  /** Since when no connection could be opened, in nanoseconds. */
  private @Nullable Long unreachableSince;

  /** Connections that have ended soon, without one that has lasted between. */
  private int shortLived;

  private boolean missed;
  private long savedSeq;

  /** What to go on with; of an earlier run what that has saved. */
  Optional<GatewaySession> session(MessageSink sink) {
    if (!isRead) {
      isRead = true;
      session = sink.position().flatMap(GatewaySession::of).orElse(null);
      missed = session == null;
    }
    return Optional.ofNullable(session);
  }

  /** Discord was asked to resume the session, and ended the connection without having done so. */
  void refused() {
    resumes++;
  }

  /** A connection was opened. */
  void opened() {
    unreachableSince = null;
  }

  /** None could be opened: when that lasts, the session is given up. */
  void unreachable(long nanos) {
    if (unreachableSince == null) {
      unreachableSince = nanos;
    } else if (nanos - unreachableSince >= UNREACHABLE_MAX.toNanos()) {
      ended(true);
    }
  }

  void resumed() {
    resumes = 0;
  }

  /** It cannot be resumed, or could not be so often. */
  void ended(boolean isOver) {
    if (isOver || resumes >= RESUMES_MAX) {
      session = null;
      missed = true;
      resumes = 0;
    }
  }

  /** A new session. What was written between the last one and this has to be looked for. */
  void begun(GatewaySession now) {
    session = now;
    resumes = 0;
    savedSeq = -1;
  }

  boolean hasMissed() {
    return missed;
  }

  /** All that was missed is on disk: from now on the session is worth resuming. */
  void caughtUp() {
    missed = false;
  }

  String sessionId() {
    return session == null ? "" : session.id();
  }

  long seq() {
    return session == null ? -1 : session.seq();
  }

  void committed(long seq) {
    if (session != null && seq > session.seq()) {
      session = session.at(seq);
    }
  }

  /** Saves how far it is, unless a part of what was missed is not there yet. */
  void save(MessageSink sink) throws InterruptedException {
    if (session != null && !missed && session.seq() != savedSeq) {
      sink.savePosition(session.position());
      savedSeq = session.seq();
    }
  }

  int shortLived() {
    return shortLived;
  }

  void lived(boolean isLong) {
    shortLived = isLong ? 0 : shortLived + 1;
  }
}
