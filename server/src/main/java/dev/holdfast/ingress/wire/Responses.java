package dev.holdfast.ingress.wire;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes answers, all with the headers that keep a browser from making more of them than they are.
 */
public final class Responses {
  public static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  public static final CharSequence RETRY_AFTER = HttpHeaders.createOptimized("retry-after");
  private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");
  private static final CharSequence X_CONTENT_TYPE_OPTIONS =
      HttpHeaders.createOptimized("x-content-type-options");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");
  static final String CORRELATION_HEADER = "x-correlation-id";
  private static final Pattern CORRELATION = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src"
          + " 'none'";

  private Responses() {}

  /** The headers that even the shortest answer carries. */
  public static HttpServerResponse start(HttpServerRequest request, int status) {
    HttpServerResponse response = request.response().setStatusCode(status);
    response.headers().set(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    return response;
  }

  /** As {@link #start}, for what a browser may show. */
  public static HttpServerResponse startPage(HttpServerRequest request, int status) {
    HttpServerResponse response = start(request, status);
    response
        .headers()
        .set("content-security-policy", CONTENT_SECURITY_POLICY)
        .set("referrer-policy", "no-referrer")
        .set("x-frame-options", "DENY")
        .set("cross-origin-opener-policy", "same-origin")
        .set("cross-origin-resource-policy", "same-origin");
    return response;
  }

  /** As {@link #startPage}, for a stream of server-sent events. */
  public static HttpServerResponse startEvents(HttpServerRequest request) {
    HttpServerResponse response = startPage(request, 200);
    response
        .headers()
        .set(HttpHeaders.CONTENT_TYPE, "text/event-stream")
        .set(HttpHeaders.CACHE_CONTROL, NO_STORE)
        // A proxy that gathers answers would keep the events for itself.
        .set("x-accel-buffering", "no");
    return response.setChunked(true);
  }

  public static void json(HttpServerRequest request, int status, JsonObject body) {
    Future<Void> _ = json(request, status, body.toBuffer());
  }

  /** Ends when the answer has been written, or never will be. */
  public static Future<Void> json(HttpServerRequest request, int status, Buffer body) {
    if (isOver(request)) {
      return Future.succeededFuture();
    }
    HttpServerResponse response = startPage(request, status);
    response.headers().set(HttpHeaders.CONTENT_TYPE, JSON).set(HttpHeaders.CACHE_CONTROL, NO_STORE);
    return response.end(body);
  }

  /** A text to be saved. Ends as {@link #json(HttpServerRequest, int, Buffer)} does. */
  public static Future<Void> document(
      HttpServerRequest request, ApiAnswer.Document document, Buffer text) {
    if (isOver(request)) {
      return Future.succeededFuture();
    }
    HttpServerResponse response = startPage(request, 200);
    response
        .headers()
        .set(HttpHeaders.CONTENT_TYPE, document.mediaType() + "; charset=utf-8")
        .set("content-disposition", "attachment; filename=\"" + document.name() + '"')
        .set(HttpHeaders.CACHE_CONTROL, NO_STORE);
    return response.end(text);
  }

  /** A stranger's file: shown as an image or saved, but never run as a page of ours. */
  public static void file(HttpServerRequest request, ApiAnswer.Served served) {
    if (isOver(request)) {
      return;
    }
    HttpServerResponse response = startPage(request, 200);
    response
        .headers()
        .set("content-security-policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
        .set(HttpHeaders.CONTENT_TYPE, served.mediaType())
        .set("content-disposition", served.isImage() ? "inline" : "attachment")
        .set(HttpHeaders.CACHE_CONTROL, NO_STORE); // it may be deleted, and its reader log out
    response
        .sendFile(served.file().toString())
        .onFailure(
            _ -> {
              if (!isOver(request)) { // it went away since it was looked at
                response.headers().remove("content-disposition");
                json(request, 404, error("ACTOR_NOT_FOUND", "no such file"));
              }
            });
  }

  public static void empty(HttpServerRequest request, int status) {
    if (!isOver(request)) {
      start(request, status).end();
    }
  }

  static void refusal(HttpServerRequest request, RefusedRequestException refused) {
    if (isOver(request)) {
      return;
    }
    HttpServerResponse response = request.response();
    if (refused.retryAfterSecs() > 0) {
      response.headers().set(RETRY_AFTER, Long.toString(refused.retryAfterSecs()));
    }
    if (refused.status() == 401) {
      response.headers().set("www-authenticate", "Bearer");
    }
    json(request, refused.status(), error(refused, correlationId(request)));
  }

  public static JsonObject error(RefusedRequestException refused, String correlationId) {
    JsonObject body = error(refused.code(), refused.said());
    body.getJsonObject("error").put("details", refused.details());
    return body.put("correlation_id", correlationId);
  }

  public static JsonObject error(String code, String message) {
    return new JsonObject()
        .put(
            "error",
            new JsonObject()
                .put("code", code)
                .put("message", message)
                .put("details", new JsonObject()));
  }

  /** The client's own id of the exchange, if it is a plain word; else a new one. */
  public static String correlationId(HttpServerRequest request) {
    return correlationId(request.getHeader(CORRELATION_HEADER));
  }

  /** {@code given}: the client's own id, if it is a plain word; else a new one. */
  public static String correlationId(@Nullable String given) {
    return given != null && CORRELATION.matcher(given).matches()
        ? given
        : UUID.randomUUID().toString();
  }

  /** Whether nobody waits for an answer any more. */
  public static boolean isOver(HttpServerRequest request) {
    return request.response().ended() || request.response().closed();
  }
}
