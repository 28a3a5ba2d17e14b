package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.net.EventReader;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.net.HttpFailedException;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Keeps the stream open on which a remote server says what it was not asked for. */
final class NotificationStream implements HttpTransport.Work {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

  /** A connection that died silently is noticed by then. */
  private static final Duration QUIET_MAX = Duration.ofMinutes(5);

  private static final Duration TOTAL_MAX = Duration.ofHours(1);
  private static final long BYTES_MAX = 64L << 20;

  /** One that lasts so long is sound, and so is one that says where to go on from. */
  private static final Duration SOUND_MIN = Duration.ofSeconds(5);

  private static final Backoff WAITS = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(60));

  /** The longest wait that a server can ask for. */
  private static final Duration ASKED_MAX = Duration.ofHours(1);

  private static final Limits LIMITS =
      new Limits(CONNECT_MAX, QUIET_MAX, QUIET_MAX, TOTAL_MAX, BYTES_MAX);

  /** Stands for what may have been said while nobody listened. */
  private static final Inbound CHANGED =
      Inbound.of(
          new JsonObject().put("jsonrpc", "2.0").put("method", "notifications/tools/list_changed"));

  private final Opening opening;
  private final int messageBytesMax;
  private final InboundQueue inbound;
  private final Time time;
  private String lastEvent = "";

  /** Asks for the stream. */
  interface Opening {
    /**
     * @param lastEvent where the stream before it ended; empty for one from now on
     */
    Streamed open(String lastEvent, Limits limits) throws HttpFailedException, InterruptedException;
  }

  NotificationStream(Opening opening, int messageBytesMax, InboundQueue inbound, Time time) {
    this.opening = opening;
    this.messageBytesMax = messageBytesMax;
    this.inbound = inbound;
    this.time = time;
  }

  /** Returns when the server offers no such stream. */
  @Override
  public void run() throws InterruptedException {
    int early = 0;
    for (boolean isFirst = true; ; isFirst = false) {
      long begun = time.nanos();
      String lastBefore = lastEvent;
      Duration asked = Duration.ZERO;
      try {
        Streamed answer = opening.open(lastEvent, LIMITS);
        if (HttpAnswers.isAccepted(answer) && HttpAnswers.isStream(answer)) {
          asked = pass(answer, isFirst);
        } else {
          answer.body().close();
          Failure refusal = HttpAnswers.refusal(answer, false, time.now()).failure();
          if (!refusal.isPassing()) {
            return;
          }
          asked = refusal.retryAfter();
        }
      } catch (CallFailedException _) {
        // It could not be reached, or broke off: it is asked for again all the same.
      }
      boolean wasSound =
          time.nanos() - begun >= SOUND_MIN.toNanos() || !lastEvent.equals(lastBefore);
      early = wasSound ? 1 : early + 1;
      time.sleep(between(WAITS.after(early), asked, ASKED_MAX));
    }
  }

  /** {@code asked}, but at least and at most so long. */
  private static Duration between(Duration least, Duration asked, Duration most) {
    Duration enough = asked.compareTo(least) < 0 ? least : asked;
    return enough.compareTo(most) > 0 ? most : enough;
  }

  /** Hands on what comes; returns how long the server wants to be left alone. */
  private Duration pass(Streamed answer, boolean isFirst)
      throws CallFailedException, InterruptedException {
    if (!isFirst && lastEvent.isEmpty()) {
      inbound.put(CHANGED, 0);
    }
    EventReader reader = new EventReader(answer.body(), false, messageBytesMax);
    try (var _ = answer.body()) {
      EventReader.@Nullable Event event = reader.next();
      while (event != null) {
        inbound.put(Inbound.of(event.data()), event.data().length());
        event = reader.next();
      }
    } catch (IOException e) {
      throw HttpAnswers.broken(e);
    } finally {
      lastEvent = reader.lastId().isEmpty() ? lastEvent : reader.lastId();
    }
    return reader.retry();
  }
}
