package dev.holdfast.net;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Request;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.net.WebAddress.RefusedException;
import dev.holdfast.time.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Fetches what strangers and models name: each address, that of every redirect too, is resolved
 * once, judged, and then connected to as it was judged. No proxy, no cookie, no credential, no
 * compression. Blocks the calling virtual thread; interrupting it aborts the request. Thread-safe.
 */
public final class WebFetcher {
  private static final int REDIRECTS_MAX = 3;
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final Duration IDLE_MAX = Duration.ofSeconds(10);
  private static final int CHUNK = 16 * 1024;

  /** What may have come before a body is found to be too long. */
  private static final long AHEAD_BYTES = 4L * 1024 * 1024;

  private final HttpCaller http;
  private final NameResolver resolver;
  private final WebPolicy policy;
  private final Time time;

  public WebFetcher(HttpCaller http, NameResolver resolver, WebPolicy policy, Time time) {
    this.http = http;
    this.resolver = resolver;
    this.policy = policy;
    this.time = time;
  }

  /** {@code total}: with all redirects. {@code accept}: the header of that name. */
  public record Bounds(Duration total, long bytesMax, String accept) {}

  /**
   * What was found.
   *
   * @param url the last of the redirects
   * @param contentType the header as it came; empty when there was none
   * @param cut whether there was more than was asked for
   */
  @SuppressWarnings("ArrayRecordComponent") // bytes as they came
  public record Fetched(String url, int status, String contentType, byte[] body, boolean cut) {}

  /**
   * Every status but a redirect is an answer.
   *
   * @throws HttpFailedException INVALID_REQUEST when the address, or one it leads to, is refused
   */
  public Fetched fetch(String url, Bounds bounds) throws HttpFailedException, InterruptedException {
    long end = time.nanos() + bounds.total().toNanos();
    try {
      WebAddress address = WebAddress.of(url);
      for (int redirects = 0; ; redirects++) {
        Duration left = Duration.ofNanos(end - time.nanos());
        if (!left.isPositive()) {
          throw late(address, bounds);
        }
        Streamed answer = open(address, bounds, left);
        String location = redirect(answer);
        if (location.isEmpty()) {
          return read(address, answer, bounds.bytesMax());
        }
        answer.body().close();
        if (redirects == REDIRECTS_MAX) {
          throw new RefusedException("more than " + REDIRECTS_MAX + " redirects");
        }
        address = address.resolve(location);
      }
    } catch (RefusedException e) {
      throw new HttpFailedException(Failure.of(FailureCode.INVALID_REQUEST, e.why()), true, e);
    }
  }

  /**
   * What to connect to for an address; nothing is sent.
   *
   * @throws HttpFailedException INVALID_REQUEST when it must not be connected to
   */
  InetSocketAddress judge(String url) throws HttpFailedException, InterruptedException {
    try {
      WebAddress address = WebAddress.of(url);
      return new InetSocketAddress(resolve(address, CONNECT_MAX), address.port());
    } catch (RefusedException e) {
      throw new HttpFailedException(Failure.of(FailureCode.INVALID_REQUEST, e.why()), true, e);
    }
  }

  private Streamed open(WebAddress address, Bounds bounds, Duration left)
      throws RefusedException, HttpFailedException, InterruptedException {
    InetAddress to = resolve(address, left.compareTo(CONNECT_MAX) < 0 ? left : CONNECT_MAX);
    Limits limits =
        new Limits(CONNECT_MAX, bounds.total(), IDLE_MAX, left, bounds.bytesMax() + AHEAD_BYTES);
    Map<String, String> headers =
        Map.of(
            "accept", bounds.accept(),
            "accept-encoding", "identity",
            "user-agent", "Holdfast");
    Request request = new Request("GET", address.url(), headers, new byte[0]);
    return http.stream(request, limits, new InetSocketAddress(to, address.port()));
  }

  /** The address to connect to; all that the name stands for are judged. */
  private InetAddress resolve(WebAddress address, Duration limit)
      throws RefusedException, HttpFailedException, InterruptedException {
    policy.judgeName(address);
    List<InetAddress> found =
        address.literal().isPresent()
            ? List.of(address.literal().get())
            : lookUp(address.host(), limit);
    policy.judge(address, found);
    return AddressPolicy.plain(found.getFirst());
  }

  /**
   * On a thread of its own: the machine's resolver hears no interrupt. And on one of the machine's:
   * a slow server of names would take a carrier from all virtual threads.
   */
  private List<InetAddress> lookUp(String host, Duration limit)
      throws HttpFailedException, InterruptedException {
    FutureTask<List<InetAddress>> task = new FutureTask<>(() -> resolver.resolve(host));
    Thread.ofPlatform().daemon().name("resolve").start(task);
    try {
      List<InetAddress> found = task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
      if (!found.isEmpty()) {
        return found;
      }
      throw new HttpFailedException(unresolved(host), true);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownHostException) {
        throw new HttpFailedException(unresolved(host), true, e);
      }
      throw new IllegalStateException("a resolver failed unexpectedly", e.getCause());
    } catch (TimeoutException e) {
      Failure failure =
          Failure.of(FailureCode.TIMEOUT, "the name " + host + " was not resolved in time");
      throw new HttpFailedException(failure, true, e);
    } finally {
      task.cancel(true);
    }
  }

  private static Failure unresolved(String host) {
    return Failure.of(FailureCode.NETWORK, "the name " + host + " cannot be resolved");
  }

  /** Where a redirect leads; empty when the answer is none. */
  private static String redirect(Streamed answer) {
    return switch (answer.status()) {
      case 301, 302, 303, 307, 308 -> header(answer, "location");
      default -> "";
    };
  }

  private static Fetched read(WebAddress address, Streamed answer, long bytesMax)
      throws HttpFailedException, InterruptedException {
    String coding = header(answer, "content-encoding").toLowerCase(Locale.ROOT);
    if (!coding.isEmpty() && !coding.equals("identity")) {
      answer.body().close();
      String why = address.host() + " answered compressed although that was not asked for";
      throw new HttpFailedException(
          Failure.of(FailureCode.BACKEND_FAILURE, why).as(FailureKind.INVALID), false);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] chunk = new byte[CHUNK];
    try (var in = answer.body()) {
      boolean cut = false;
      for (int count = in.read(chunk); count >= 0 && !cut; count = cut ? -1 : in.read(chunk)) {
        long room = bytesMax - body.size();
        body.write(chunk, 0, (int) Math.min(count, room));
        cut = count > room;
      }
      return new Fetched(
          address.url(), answer.status(), header(answer, "content-type"), body.toByteArray(), cut);
    } catch (BodyFailedException e) {
      throw e.failure();
    } catch (InterruptedIOException _) {
      Thread.interrupted();
      throw new InterruptedException("interrupted while fetching");
    } catch (IOException e) {
      Failure failure = Failure.of(FailureCode.NETWORK, address.host() + " broke off");
      throw new HttpFailedException(failure, false, e);
    }
  }

  private static String header(Streamed answer, String name) {
    return answer.headers().getOrDefault(name, List.of("")).getFirst();
  }

  private static HttpFailedException late(WebAddress address, Bounds bounds) {
    String why = address.host() + " took longer than " + bounds.total().toMillis() + " ms";
    return new HttpFailedException(Failure.of(FailureCode.TIMEOUT, why), false);
  }
}
