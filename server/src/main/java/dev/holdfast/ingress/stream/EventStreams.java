package dev.holdfast.ingress.stream;

import dev.holdfast.api.FailureCode;
import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.ingress.wire.Scope;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /api/v1/stream}: what happens, as server-sent events. One for all event loops.
 * Thread-safe.
 */
public final class EventStreams {
  public static final String OPERATION = "getStream";
  private static final Set<String> OF_PLANS = Set.of("plan.moved", "task.moved", "task.doing");

  private final Vertx vertx;
  private final News news;
  private final Authenticator authenticator;
  private final ThreadAccess access;
  private final Limits limits;

  /** Ids of news start anew with each run of the server; this tells the runs apart. */
  private final String boot = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());

  private final Set<Open> open = ConcurrentHashMap.newKeySet();

  /** {@code cookie}: what opened it; null for a token. */
  private record Open(StreamClient client, String name, @Nullable String cookie) {}

  /**
   * @param recheck how often it is looked whether the client may still listen, and whether it still
   *     reads
   * @param rechecksPerHeartbeat a comment goes out at each so-manieth
   * @param itemsMax waiting items of one client; at more it gets a gap instead
   */
  public record Limits(Duration recheck, int rechecksPerHeartbeat, int itemsMax, int streamsMax) {
    public static final Limits USUAL = new Limits(Duration.ofSeconds(5), 3, 1024, 1000);
  }

  public EventStreams(
      Vertx vertx, News news, Authenticator authenticator, ThreadAccess access, Limits limits) {
    this.access = access;
    this.vertx = vertx;
    this.news = news;
    this.authenticator = authenticator;
    this.limits = limits;
  }

  /** Where a stream would have to begin to miss nothing that happens from now on. */
  public String cursor() {
    return boot + "-" + news.lastId();
  }

  /** On the request's event loop, after the client was let in. */
  public void open(HttpServerRequest request, Caller caller, Scope scope)
      throws RefusedRequestException {
    if (open.size() >= limits.streamsMax) {
      throw new RefusedRequestException(
          503, FailureCode.OVERLOADED, "too many streams are open", Duration.ofSeconds(10));
    }
    String lastId = request.getHeader("last-event-id");
    if (lastId == null) {
      lastId = request.params(true).get("last_event_id");
    }
    String thread = request.params(true).get("thread");
    HttpServerResponse response = Responses.startEvents(request);
    StreamClient client =
        new StreamClient(
            vertx.getOrCreateContext(),
            response,
            boot,
            heard(caller, thread == null || thread.isEmpty() ? "" : ApiRequest.threadId(thread)),
            limits.itemsMax);
    String cookie = caller.byCookie() ? Authenticator.cookie(request) : null;
    Open opened = new Open(client, caller.name(), cookie);
    open.add(opened);
    if (!authenticator.stillAdmits(request, caller, scope)) {
      client.end(); // it ended since it was let in
    }
    begin(client, lastId); // first: who has read the greeting hears everything from then on
    response.write(": hello\n\n");
    int[] turn = {0};
    long timer =
        vertx.setPeriodic(
            limits.recheck.toMillis(),
            _ -> {
              if (!authenticator.stillAdmits(request, caller, scope)) {
                client.end();
              } else if (++turn[0] % limits.rechecksPerHeartbeat == 0) {
                client.heartbeat();
              }
            });
    response.closeHandler(_ -> close(opened, timer));
    response.endHandler(_ -> close(opened, timer));
  }

  /**
   * What a client hears of: what concerns no thread is heard by all, but for plans, which are an
   * operator's without one.
   */
  private Predicate<NewsItem> heard(Caller caller, String wanted) {
    return item -> {
      String threadId = item.threadId();
      return threadId.isEmpty()
          ? !OF_PLANS.contains(item.kind()) || caller.scope().covers(Scope.ADMIN)
          : (wanted.isEmpty() || wanted.equals(threadId)) && access.maySee(caller, threadId);
    };
  }

  private void begin(StreamClient client, @Nullable String lastId) {
    long after = numberOf(lastId);
    if (lastId != null && !lastId.isEmpty() && after < 0) {
      client.gap();
    }
    if (after < 0) {
      client.watchedBy(news.watch(client::offer, client::gap));
    } else {
      client.watchedBy(news.resume(after, client::offer, client::gap));
    }
  }

  /** -1 when it is no id of this run. */
  private long numberOf(@Nullable String lastId) {
    if (lastId == null || !lastId.startsWith(boot + "-")) {
      return -1;
    }
    try {
      return Math.max(-1, Long.parseLong(lastId.substring(boot.length() + 1)));
    } catch (NumberFormatException _) {
      return -1;
    }
  }

  private void close(Open closed, long timer) {
    vertx.cancelTimer(timer);
    closed.client().forget();
    open.remove(closed);
  }

  /** A session of this token has ended: so do its streams, at once. On any thread. */
  public void endEnded(String name) {
    for (Open each : open) {
      String cookie = each.cookie();
      if (cookie != null && each.name().equals(name) && !authenticator.admits(cookie)) {
        each.client().end();
      }
    }
  }

  /** Ends every stream: the server stops, and who comes back is told where to go on. */
  public void endAll() {
    open.forEach(each -> each.client().end());
  }

  int count() {
    return open.size();
  }
}
