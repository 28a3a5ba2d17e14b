package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.net.BodyStream;
import dev.holdfast.net.EventReader;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.net.HttpFailedException;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One request to a remote server until its answer is there: all that comes with it goes into the
 * queue. A stream that breaks off is taken up again where the server allows it.
 */
final class HttpRequest {
  private static final int ERROR_BYTES_MAX = 64 << 10;

  /**
   * Whoever waits gives up first, so that the server is told; and its time does not run while a
   * person is asked.
   */
  private static final Duration MARGIN = PersonInputs.WAIT_MAX.plusSeconds(5);

  private static final int RESUMPTIONS_MAX = 10;
  private static final Duration RESUME_MIN = Duration.ofMillis(100);
  private static final Duration RESUME_USUAL = Duration.ofSeconds(1);
  private static final Duration RESUME_MAX = Duration.ofSeconds(30);

  private final McpEndpoint endpoint;
  private final JsonObject message;
  private final long id;
  private final Limits limits;
  private final int messageBytesMax;
  private final Semaphore gate;
  private final InboundQueue inbound;
  private final Time time;

  private String lastEvent = "";
  private Duration wait = RESUME_USUAL;

  HttpRequest(
      McpEndpoint endpoint,
      JsonObject message,
      Duration timeout,
      int messageBytesMax,
      Semaphore gate,
      InboundQueue inbound,
      Time time) {
    this.endpoint = endpoint;
    this.message = message;
    this.id = message.getLong("id");
    this.limits = HttpAnswers.limits(timeout.plus(MARGIN), messageBytesMax);
    this.messageBytesMax = messageBytesMax;
    this.gate = gate;
    this.inbound = inbound;
    this.time = time;
  }

  /**
   * Returns when the answer is in the queue.
   *
   * @throws CallFailedException when none can come
   */
  void run() throws CallFailedException, InterruptedException {
    Streamed answer;
    try {
      answer = endpoint.post(message, limits);
    } catch (HttpFailedException e) {
      throw HttpAnswers.sorted(e);
    }
    if (!HttpAnswers.isAccepted(answer)) {
      put(refused(answer));
    } else if (HttpAnswers.isStream(answer)) {
      follow(answer);
    } else if (HttpAnswers.isJson(answer)) {
      read(answer);
    } else {
      answer.body().close();
      throw unanswered("did not answer with JSON or a stream of events");
    }
  }

  private void read(Streamed answer) throws CallFailedException, InterruptedException {
    try (BodyStream whole = answer.body();
        GatedBody body = new GatedBody(whole, gate)) {
      String text = HttpAnswers.text(body, messageBytesMax);
      Inbound came = Inbound.of(text);
      hand(came, text.length());
      if (!came.answers(id)) {
        throw unanswered("answered with something else");
      }
    }
  }

  private void hand(Inbound came, int units) throws InterruptedException {
    if ("tools/list".equals(message.getString("method"))) {
      came.result().ifPresent(endpoint::learn);
    }
    inbound.put(came, units);
  }

  private void put(JsonObject error) throws InterruptedException {
    inbound.put(Inbound.of(error), ERROR_BYTES_MAX);
  }

  /** The error that stands in an answer, if it is one of this protocol. */
  private JsonObject refused(Streamed answer) throws CallFailedException, InterruptedException {
    Instant now = time.now();
    CallFailedException refusal = HttpAnswers.refusal(answer, !endpoint.session().isEmpty(), now);
    if (refusal instanceof SessionEndedException || refusal.failure().isPassing()) {
      answer.body().close();
      throw refusal;
    }
    Inbound said;
    try (BodyStream body = answer.body()) {
      said = Inbound.of(HttpAnswers.text(body, ERROR_BYTES_MAX));
    }
    JsonObject error =
        said.message().filter(sent -> sent.getValue("error") instanceof JsonObject).orElse(null);
    if (error == null || (error.getValue("id") != null && !said.answers(id))) {
      throw refusal;
    }
    return error.put("id", id); // a server that could not read the request does not know it
  }

  private void follow(Streamed answer) throws CallFailedException, InterruptedException {
    Streamed open = answer;
    for (int resumptions = 0; !isAnswered(open); resumptions++) {
      if (resumptions == RESUMPTIONS_MAX || lastEvent.isEmpty() || !endpoint.hasGreeted()) {
        throw unanswered("ended the stream before its answer");
      }
      time.sleep(wait);
      open = resumed();
    }
  }

  private Streamed resumed() throws CallFailedException, InterruptedException {
    Streamed open;
    try {
      open = endpoint.listen(lastEvent, limits);
    } catch (HttpFailedException e) {
      throw unanswered("broke off and could not be reached again");
    }
    if (!HttpAnswers.isAccepted(open) || !HttpAnswers.isStream(open)) {
      open.body().close();
      throw unanswered("broke off and does not go on (status " + open.status() + ")");
    }
    return open;
  }

  /** False when the stream ends, or breaks off, before the answer. */
  private boolean isAnswered(Streamed open) throws CallFailedException, InterruptedException {
    GatedBody body = new GatedBody(open.body(), gate);
    EventReader reader = new EventReader(body, false, messageBytesMax);
    boolean answered = false;
    try (body) {
      EventReader.@Nullable Event event = reader.next();
      while (event != null && !answered) {
        Inbound came = Inbound.of(event.data());
        hand(came, event.data().length());
        body.next();
        answered = came.answers(id);
        event = answered ? event : reader.next();
      }
      return answered;
    } catch (EventReader.TooLongException e) {
      open.body().close();
      throw new CallFailedException(HttpAnswers.tooLong(messageBytesMax), e);
    } catch (IOException e) {
      CallFailedException broken = HttpAnswers.broken(e);
      if (broken.failure().code() == FailureCode.BACKEND_FAILURE && broken.failure().isPassing()) {
        return false;
      }
      throw broken;
    } finally {
      if (!reader.lastId().isEmpty()) {
        lastEvent = reader.lastId();
      }
      if (reader.retry().isPositive()) {
        wait = clamped(reader.retry());
      }
      open.body().release();
    }
  }

  private static Duration clamped(Duration asked) {
    Duration atLeast = asked.compareTo(RESUME_MIN) < 0 ? RESUME_MIN : asked;
    return atLeast.compareTo(RESUME_MAX) > 0 ? RESUME_MAX : atLeast;
  }

  private static CallFailedException unanswered(String why) {
    return new CallFailedException(Failure.of(FailureCode.BACKEND_FAILURE, why));
  }
}
