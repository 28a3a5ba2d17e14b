package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.api.RetryAfter;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.time.Time;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;

/** The server's client behind the guards of one plugin. Thread-safe. */
record HostedHttp(
    HttpCaller http, GuardedWeb web, HostGuards guards, HostedSockets sockets, Time time)
    implements PluginHttp {
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration TIMEOUT_MIN = Duration.ofSeconds(1);
  private static final Duration TIMEOUT_MAX = Duration.ofMinutes(10);
  private static final Duration CONNECT_TIMEOUT_MAX = Duration.ofSeconds(60);

  /** In the guard, besides the handshake's own time. */
  private static final Duration PLACE_WAIT = Duration.ofSeconds(1);

  private static final int ANSWER_BYTES_MAX = 16 * 1024 * 1024;
  private static final Set<Integer> PASSING = Set.of(408, 425, 429, 500, 502, 503, 504);

  @Override
  public Answer send(Request request) throws CallFailedException, InterruptedException {
    return send(request, HostGuards.Use.CALLS);
  }

  @Override
  public Answer download(Request request) throws CallFailedException, InterruptedException {
    return send(request, HostGuards.Use.FILES);
  }

  private Answer send(Request request, HostGuards.Use use)
      throws CallFailedException, InterruptedException {
    Duration timeout = request.timeout();
    check(timeout.compareTo(TIMEOUT_MIN) >= 0 && timeout.compareTo(TIMEOUT_MAX) <= 0, "timeout");
    check(
        request.answerBytesMax() > 0 && request.answerBytesMax() <= ANSWER_BYTES_MAX,
        "answerBytesMax");
    HttpCaller.Limits limits =
        new HttpCaller.Limits(
            CONNECT_MAX.compareTo(timeout) < 0 ? CONNECT_MAX : timeout,
            timeout,
            timeout,
            timeout,
            request.answerBytesMax());
    HttpCaller.Request sent =
        new HttpCaller.Request(request.method(), request.url(), request.headers(), request.body());
    Deadline deadline = Deadline.in(time, timeout);
    return guards.call(
        request.url(),
        use,
        guard ->
            request.repeatable()
                ? guard.run(deadline, () -> answer(sent, limits, true))
                : guard.probe(deadline, () -> answer(sent, limits, false)));
  }

  @Override
  public PluginSocket connect(PluginSocket.Request request)
      throws CallFailedException, InterruptedException {
    Duration timeout = request.connectTimeout();
    check(
        timeout.compareTo(TIMEOUT_MIN) >= 0 && timeout.compareTo(CONNECT_TIMEOUT_MAX) <= 0,
        "connectTimeout");
    check(
        request.messageBytesMax() > 0 && request.messageBytesMax() <= ANSWER_BYTES_MAX,
        "messageBytesMax");
    Deadline deadline = Deadline.in(time, timeout.plus(PLACE_WAIT));
    return guards.call(
        request.url(), guard -> guard.probe(deadline, () -> sockets.open(http, request)));
  }

  @Override
  public InetSocketAddress judge(String url) throws CallFailedException, InterruptedException {
    return web.judge(url);
  }

  private Answer answer(HttpCaller.Request request, HttpCaller.Limits limits, boolean judged)
      throws CallFailedException, InterruptedException {
    HttpCaller.Response response = http.send(request, limits);
    if (judged && PASSING.contains(response.status())) {
      FailureCode code =
          response.status() == 429 ? FailureCode.RATE_LIMITED : FailureCode.BACKEND_FAILURE;
      throw new CallFailedException(
          Failure.of(code, "the other side answered " + response.status())
              .withRetryAfter(RetryAfter.ofHeaders(response.headers(), time.now())));
    }
    return new Answer(response.status(), response.headers(), response.body());
  }

  private static void check(boolean holds, String name) {
    if (!holds) {
      throw new IllegalArgumentException(name + " is out of its range");
    }
  }
}
