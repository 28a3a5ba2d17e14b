package dev.holdfast.ingress.login;

import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.time.Time;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Logins of the page: one-time codes and signed cookies. A cookie is {@code
 * name|expiry|nonce|signature} and outlives a restart; nothing of it is kept here but the nonces of
 * those that logged out. Thread-safe.
 */
public final class Sessions {
  public static final String COOKIE = "holdfast_session";
  public static final Duration LIFE = Duration.ofDays(7);
  private static final Duration CODE_LIFE = Duration.ofMinutes(10);
  private static final int CODES_MAX = 16;
  private static final int LOGOUTS_MAX = 10_000;

  private final Tokens tokens;
  private final Time time;
  private final SecureRandom random = new SecureRandom();
  private final ArrayDeque<Code> codes = new ArrayDeque<>();
  private final Map<String, Instant> loggedOut = new LinkedHashMap<>();

  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Code(byte[] digest, Instant until) {}

  public Sessions(Tokens tokens, Time time) {
    this.tokens = tokens;
    this.time = time;
  }

  /** A code that logs in once within ten minutes, with the rights of the operator's token. */
  public String issueCode() {
    String code = randomText();
    synchronized (codes) {
      if (codes.size() == CODES_MAX) {
        codes.removeFirst();
      }
      codes.addLast(
          new Code(
              Tokens.sha256(code.getBytes(StandardCharsets.UTF_8)), time.now().plus(CODE_LIFE)));
    }
    return code;
  }

  /** The cookie's value for whoever has the code; the code is spent. */
  public Optional<String> openByCode(String code) {
    byte[] digest = Tokens.sha256(code.getBytes(StandardCharsets.UTF_8));
    boolean spent = false;
    synchronized (codes) {
      for (Iterator<Code> each = codes.iterator(); each.hasNext(); ) {
        Code known = each.next();
        if (!known.until.isAfter(time.now())) {
          each.remove();
        } else if (MessageDigest.isEqual(known.digest, digest)) {
          each.remove();
          spent = true;
        }
      }
    }
    return spent ? tokens.operator().flatMap(token -> open(token.name())) : Optional.empty();
  }

  public Optional<String> openByToken(String token) {
    return tokens.find(token).flatMap(caller -> open(caller.name()));
  }

  private Optional<String> open(String name) {
    String claim = name + "|" + time.now().plus(LIFE).getEpochSecond() + "|" + randomText();
    return tokens.sign(name, claim).map(mac -> claim + "|" + encode(mac));
  }

  public Optional<Caller> find(String cookie) {
    String[] parts = cookie.split("\\|", -1);
    if (parts.length != 4) {
      return Optional.empty();
    }
    String claim = parts[0] + "|" + parts[1] + "|" + parts[2];
    byte[] expected = tokens.sign(parts[0], claim).orElse(null);
    byte[] given = decode(parts[3]);
    if (expected == null || given == null || !MessageDigest.isEqual(expected, given)) {
      return Optional.empty();
    }
    // Signed by us, so the number is one.
    if (Long.parseLong(parts[1]) <= time.now().getEpochSecond() || isLoggedOut(parts[2])) {
      return Optional.empty();
    }
    return tokens.named(parts[0]).map(token -> new Caller(token.name(), token.scope(), true));
  }

  /** Ends a session; an invalid cookie is none. */
  public void close(String cookie) {
    if (find(cookie).isPresent()) {
      synchronized (loggedOut) {
        loggedOut.values().removeIf(until -> !until.isAfter(time.now()));
        if (loggedOut.size() < LOGOUTS_MAX) {
          loggedOut.put(cookie.split("\\|", -1)[2], time.now().plus(LIFE));
        }
      }
    }
  }

  private boolean isLoggedOut(String nonce) {
    synchronized (loggedOut) {
      return loggedOut.containsKey(nonce);
    }
  }

  private String randomText() {
    byte[] bytes = new byte[18];
    random.nextBytes(bytes);
    return encode(bytes);
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte @Nullable [] decode(String text) {
    try {
      return Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }
}
