package dev.holdfast.ingress.login;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.time.Time;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out who asks: by the token in the Authorization header or by the page's cookie, nowhere
 * else. Thread-safe.
 */
public final class Authenticator {
  private static final Logger LOG = LoggerFactory.getLogger(Authenticator.class);
  private static final String SCHEME = "Bearer ";

  /** For whom the page asks. */
  private static final String READER = "Holdfast-Reader";

  private final Tokens tokens;
  private final Sessions sessions;
  private final LoginThrottle throttle;

  public Authenticator(Tokens tokens, Sessions sessions, Time time) {
    this.tokens = tokens;
    this.sessions = sessions;
    this.throttle = new LoginThrottle(time);
  }

  /**
   * What is right passes however much others of its address guess: behind one proxy all have the
   * same.
   *
   * @throws RefusedRequestException 401, or 429 to an address that guessed too often
   */
  public Caller admit(HttpServerRequest request) throws RefusedRequestException {
    Optional<Caller> caller = find(request);
    if (caller.isPresent()) {
      return caller.get();
    }
    checkThrottle(address(request));
    // A stale cookie is a page left open, not a guess: its signature cannot be guessed.
    if (request.headers().contains(HttpHeaders.AUTHORIZATION)) {
      failed(address(request));
    }
    throw RefusedRequestException.unauthorized();
  }

  /** As {@link #admit}; the page's cookie opens nothing that is meant for programs. */
  public Caller admitProgram(HttpServerRequest request) throws RefusedRequestException {
    Caller caller = admit(request);
    if (caller.byCookie()) {
      throw RefusedRequestException.unauthorized();
    }
    return caller;
  }

  /**
   * As {@link #admitProgram}, for a request that came over no connection of its own.
   *
   * @param headers each Authorization header that it has
   * @param way by which it came: who guesses there counts as one address
   */
  public Caller admitProgram(List<String> headers, String way) throws RefusedRequestException {
    Optional<Caller> caller = byTokens(headers);
    if (caller.isPresent()) {
      return caller.get();
    }
    checkThrottle(way);
    if (!headers.isEmpty()) {
      failed(way);
    }
    throw RefusedRequestException.unauthorized();
  }

  /** Whether what opened a stream for somebody still opens it, and for nobody else. */
  public boolean stillAdmits(HttpServerRequest request, Caller opened, Scope scope) {
    return find(request).filter(opened::equals).map(now -> now.scope().covers(scope)).orElse(false);
  }

  /** Whether a cookie still opens anything. */
  public boolean admits(String cookie) {
    return sessions.find(cookie).isPresent();
  }

  private void checkThrottle(String address) throws RefusedRequestException {
    Duration wait = throttle.wait(address);
    if (!wait.isZero()) {
      throw new RefusedRequestException(
          429, FailureCode.RATE_LIMITED, "too many failed logins from this address", wait);
    }
  }

  /**
   * Begins to read a login; to be ended with {@link #endLogin}.
   *
   * @throws RefusedRequestException 429 to an address that guessed too often and sends several
   */
  public void beginLogin(HttpServerRequest request) throws RefusedRequestException {
    if (!throttle.enters(address(request))) {
      checkThrottle(address(request));
    }
  }

  public void endLogin(HttpServerRequest request) {
    throttle.left(address(request));
  }

  /**
   * A login was wrong. Returns what to answer: 401, or 429 to an address that guessed too often.
   */
  public RefusedRequestException wrongLogin(HttpServerRequest request) {
    try {
      checkThrottle(address(request));
    } catch (RefusedRequestException throttled) {
      return throttled;
    }
    failed(address(request));
    return RefusedRequestException.unauthorized();
  }

  private void failed(String address) {
    if (throttle.failed(address)) {
      LOG.warn("login from {}: too many failures, refused for a while", address);
    }
  }

  private Optional<Caller> find(HttpServerRequest request) {
    List<String> headers = request.headers().getAll(HttpHeaders.AUTHORIZATION);
    if (!headers.isEmpty()) {
      return byTokens(headers);
    }
    String cookie = cookie(request);
    return cookie == null
        ? Optional.empty()
        : sessions.find(cookie).filter(caller -> isMeant(request, caller));
  }

  /** A browser has one cookie for all tabs: a tab must not act as whoever logged in in another. */
  private static boolean isMeant(HttpServerRequest request, Caller caller) {
    String reader = request.getHeader(READER);
    return reader == null || reader.equals(caller.name());
  }

  private Optional<Caller> byTokens(List<String> headers) {
    return headers.size() == 1 ? byToken(headers.getFirst()) : Optional.empty();
  }

  private Optional<Caller> byToken(String header) {
    if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Optional.empty();
    }
    String token = header.substring(SCHEME.length());
    boolean word = !token.isEmpty() && token.chars().allMatch(c -> c > ' ' && c <= '~');
    return word ? tokens.find(token) : Optional.empty();
  }

  public static @Nullable String cookie(HttpServerRequest request) {
    Cookie cookie = request.getCookie(Sessions.COOKIE);
    return cookie == null ? null : cookie.getValue();
  }

  /** The other end of the connection; a forwarded-for header is anybody's word. */
  private static String address(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    String host = remote == null ? null : remote.hostAddress();
    return host == null ? "unknown" : host;
  }
}
