package dev.holdfast.ingress.wire;

import dev.holdfast.api.FailureCode;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** Requests that bring a file: the only ones whose body is no JSON, and larger. Thread-safe. */
public final class Uploads {
  public static final String TYPE = "application/octet-stream";

  /** How many are held in memory at once, over all event loops. */
  private static final int AT_ONCE = 4;

  private static final String PREFIX = "/api/v1/threads/";
  private static final String SUFFIX = "/attachments";

  private final Semaphore places = new Semaphore(AT_ONCE);

  public static boolean isOne(HttpServerRequest request) {
    return request.method().equals(HttpMethod.POST) && isPath(request.path());
  }

  /** {@code target}: of a request's first line. */
  static boolean isPath(String target) {
    int end = target.indexOf('?');
    String path = end < 0 ? target : target.substring(0, end);
    return path.startsWith(PREFIX) && path.endsWith(SUFFIX);
  }

  /**
   * Takes a place until the request is answered or its connection is gone.
   *
   * @throws RefusedRequestException 503 when there is none
   */
  public void enter(HttpServerRequest request) throws RefusedRequestException {
    if (!places.tryAcquire()) {
      throw new RefusedRequestException(
          503, FailureCode.OVERLOADED, "too many uploads at once", Duration.ofSeconds(1));
    }
    AtomicBoolean left = new AtomicBoolean(); // both ways of ending may be told
    Runnable leave =
        () -> {
          if (left.compareAndSet(false, true)) {
            places.release();
          }
        };
    request.response().endHandler(_ -> leave.run());
    request.response().closeHandler(_ -> leave.run());
  }
}
