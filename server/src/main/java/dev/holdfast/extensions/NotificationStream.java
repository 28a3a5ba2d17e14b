package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.net.EventReader;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.net.HttpFailedException;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps the stream open on which a remote server says what it was not asked for. */
final class NotificationStream implements HttpTransport.Work {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

  /** A connection that died silently is noticed by then. */
  private static final Duration QUIET_MAX = Duration.ofMinutes(5);

  private static final Duration TOTAL_MAX = Duration.ofHours(1);
  private static final long BYTES_MAX = 64L << 20;
  private static final Duration WAIT_MIN = Duration.ofSeconds(1);
  private static final Duration WAIT_MAX = Duration.ofSeconds(60);

  /** Stands for what may have been said while nobody listened. */
  private static final Inbound CHANGED =
      new Inbound(
          Optional.of(
              new JsonObject()
                  .put("jsonrpc", "2.0")
                  .put("method", "notifications/tools/list_changed")),
          false);

  private final Opening opening;
  private final int messageBytesMax;
  private final InboundQueue inbound;
  private final Time time;

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
    Limits limits = new Limits(CONNECT_MAX, QUIET_MAX, QUIET_MAX, TOTAL_MAX, BYTES_MAX);
    String lastEvent = "";
    Duration wait = WAIT_MIN;
    for (boolean isFirst = true; ; isFirst = false) {
      try {
        Streamed answer = opening.open(lastEvent, limits);
        if (!HttpAnswers.isAccepted(answer) || !HttpAnswers.isStream(answer)) {
          answer.body().close();
          if (!HttpAnswers.refusal(answer, false, time.now()).failure().isPassing()) {
            return;
          }
        } else {
          if (!isFirst && lastEvent.isEmpty()) {
            inbound.put(CHANGED, 0);
          }
          EventReader reader = new EventReader(answer.body(), false, messageBytesMax);
          pass(answer, reader);
          lastEvent = reader.lastId().isEmpty() ? lastEvent : reader.lastId();
          wait = longer(WAIT_MIN, reader.retry());
        }
      } catch (CallFailedException e) {
        boolean wasQuiet =
            e.failure().code() == FailureCode.TIMEOUT
                || e.failure().code() == FailureCode.STREAM_TIMEOUT;
        wait = wasQuiet ? WAIT_MIN : wait.multipliedBy(2);
      }
      wait = wait.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wait;
      time.sleep(wait);
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private void pass(Streamed answer, EventReader reader)
      throws CallFailedException, InterruptedException {
    try (var _ = answer.body()) {
      EventReader.@Nullable Event event = reader.next();
      while (event != null) {
        inbound.put(Inbound.of(event.data()), event.data().length());
        event = reader.next();
      }
    } catch (IOException e) {
      throw HttpAnswers.broken(e);
    }
  }
}
