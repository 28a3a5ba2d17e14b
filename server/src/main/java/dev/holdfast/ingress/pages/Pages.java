package dev.holdfast.ingress.pages;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.wire.BodyReader;
import dev.holdfast.ingress.wire.HostNames;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.ingress.wire.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The chat page, its files, and logging in and out of it. Thread-safe. */
public final class Pages {
  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  private final Assets assets = new Assets();
  private final Authenticator authenticator;
  private final Sessions sessions;
  private final HostNames names;
  private final Refusals refusals;

  public Pages(Authenticator authenticator, Sessions sessions, HostNames names, Refusals refusals) {
    this.authenticator = authenticator;
    this.sessions = sessions;
    this.names = names;
    this.refusals = refusals;
  }

  public void handle(HttpServerRequest request) throws RefusedRequestException {
    String path = request.path();
    switch (path) {
      case "/login" -> {
        require(request, HttpMethod.POST);
        readLogin(request);
      }
      case "/logout" -> {
        require(request, HttpMethod.POST);
        logOut(request);
      }
      case "/" -> {
        requireReading(request);
        Responses.startPage(request, 303).putHeader(HttpHeaders.LOCATION, "/chat").end();
      }
      case "/chat" -> {
        request.response().putHeader(HttpHeaders.VARY, HttpHeaders.COOKIE);
        send(request, assets.page(isOpen(request)));
      }
      default ->
          send(
              request,
              assets.find(path).orElseThrow(() -> RefusedRequestException.unknown("not found")));
    }
  }

  /**
   * Whether somebody who is logged in asks for the page, and not with a code to be logged in by.
   */
  private boolean isOpen(HttpServerRequest request) {
    String cookie = Authenticator.cookie(request);
    return request.query() == null && cookie != null && authenticator.admits(cookie);
  }

  private static void send(HttpServerRequest request, Assets.Asset asset)
      throws RefusedRequestException {
    requireReading(request);
    boolean known = asset.etag().equals(request.getHeader(HttpHeaders.IF_NONE_MATCH));
    HttpServerResponse response = Responses.startPage(request, known ? 304 : 200);
    response
        .headers()
        .set(HttpHeaders.ETAG, asset.etag())
        .set(
            HttpHeaders.CACHE_CONTROL,
            asset.isForGood() ? "public, max-age=31536000, immutable" : "no-cache");
    if (known) {
      response.end();
      return;
    }
    response.headers().set(HttpHeaders.CONTENT_TYPE, asset.type());
    response.end(Buffer.buffer(asset.bytes()));
  }

  private void readLogin(HttpServerRequest request) throws RefusedRequestException {
    authenticator.beginLogin(request);
    BodyReader.read(
        request,
        new BodyReader.Reader() {
          @Override
          public void onBody(byte[] body) {
            authenticator.endLogin(request);
            try {
              logIn(request, body);
            } catch (RefusedRequestException | RuntimeException e) {
              refusals.send(request, e);
            }
          }

          @Override
          public void onGone() {
            authenticator.endLogin(request);
          }
        });
  }

  private void logIn(HttpServerRequest request, byte[] body) throws RefusedRequestException {
    StrictJson.check(body);
    JsonObject login = new JsonObject(Buffer.buffer(body));
    String code = text(login, "code");
    String token = text(login, "token");
    Optional<String> cookie = Optional.empty();
    if (code != null) {
      cookie = sessions.openByCode(code);
    } else if (token != null) {
      cookie = sessions.openByToken(token);
    }
    if (cookie.isEmpty()) {
      throw authenticator.wrongLogin(request);
    }
    request.response().addCookie(cookie(request, cookie.get(), Sessions.LIFE.toSeconds()));
    Responses.empty(request, 204);
  }

  private static @Nullable String text(JsonObject object, String key) {
    return object.getValue(key) instanceof String text ? text : null;
  }

  private void logOut(HttpServerRequest request) {
    String cookie = Authenticator.cookie(request);
    if (cookie == null) {
      loggedOut(request);
      return;
    }
    Future.fromCompletionStage(sessions.close(cookie), Vertx.currentContext())
        .onSuccess(_ -> loggedOut(request))
        .onFailure(_ -> refusals.send(request, notWrittenDown())); // the cookie stays, to try again
  }

  private void loggedOut(HttpServerRequest request) {
    request.response().addCookie(cookie(request, "", 0));
    Responses.empty(request, 204);
  }

  private static RefusedRequestException notWrittenDown() {
    return new RefusedRequestException(
        503,
        FailureCode.OVERLOADED,
        "logged out, but the disk takes nothing, so a restart may forget it; try again",
        RETRY_LATER);
  }

  private Cookie cookie(HttpServerRequest request, String value, long secs) {
    return Cookie.cookie(Sessions.COOKIE, value)
        .setPath("/")
        .setHttpOnly(true)
        .setSameSite(CookieSameSite.STRICT)
        .setSecure(names.isSecure(request.getHeader(HttpHeaders.HOST)))
        .setMaxAge(secs);
  }

  private static void requireReading(HttpServerRequest request) throws RefusedRequestException {
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      throw notAllowed(request, "GET, HEAD");
    }
  }

  private static void require(HttpServerRequest request, HttpMethod method)
      throws RefusedRequestException {
    if (!request.method().equals(method)) {
      throw notAllowed(request, method.name());
    }
  }

  private static RefusedRequestException notAllowed(HttpServerRequest request, String allowed) {
    request.response().putHeader(HttpHeaders.ALLOW, allowed);
    return new RefusedRequestException(405, FailureCode.ACTION_NOT_SUPPORTED, "method not allowed");
  }
}
