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
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Logins of the page: one-time codes and signed cookies. A cookie is {@code
 * name|expiry|nonce|signature} and outlives a restart, as its end does: the nonces of those that
 * logged out are written down. Thread-safe.
 */
public final class Sessions {
  public static final String COOKIE = "holdfast_session";
  public static final Duration LIFE = Duration.ofDays(7);
  public static final Duration CODE_LIFE = Duration.ofMinutes(10);
  private static final int CODES_MAX = 16;
  private static final String ALL = "";

  /** Of one token: at more of them, all its sessions end, so that none comes back. */
  private static final int LOGOUTS_MAX = 1000;

  private final Tokens tokens;
  private final Time time;
  private final SecureRandom random = new SecureRandom();
  private final ArrayDeque<Code> codes = new ArrayDeque<>();
  private final Logouts logouts;
  private volatile Consumer<String> whenEnded = _ -> {};

  /** The ends of sessions by the name of the token and the nonce; an empty nonce ends them all. */
  private final Map<String, Map<String, Long>> ended = new HashMap<>();

  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Code(byte[] digest, Instant until, String name) {}

  /** Blocks. */
  public Sessions(Tokens tokens, Logouts logouts, Time time) {
    this.tokens = tokens;
    this.logouts = logouts;
    this.time = time;
    logouts.load().forEach(this::remember);
  }

  /** {@code listener}: hears the name of the token when one of its sessions ends; at once. */
  public void whenEnded(Consumer<String> listener) {
    whenEnded = listener;
  }

  /** A code that logs in once within ten minutes, with the rights of the token of that name. */
  public String issueCode(String name) {
    String code = randomText();
    synchronized (codes) {
      if (codes.size() == CODES_MAX) {
        codes.removeFirst();
      }
      codes.addLast(
          new Code(
              Tokens.sha256(code.getBytes(StandardCharsets.UTF_8)),
              time.now().plus(CODE_LIFE),
              name));
    }
    return code;
  }

  /** The cookie's value for whoever has the code; the code is spent. */
  public Optional<String> openByCode(String code) {
    byte[] digest = Tokens.sha256(code.getBytes(StandardCharsets.UTF_8));
    @Nullable String name = null;
    synchronized (codes) {
      for (Iterator<Code> each = codes.iterator(); each.hasNext(); ) {
        Code known = each.next();
        if (!known.until.isAfter(time.now())) {
          each.remove();
        } else if (MessageDigest.isEqual(known.digest, digest)) {
          each.remove();
          name = known.name;
        }
      }
    }
    return name == null ? Optional.empty() : open(name);
  }

  public Optional<String> openByToken(String token) {
    return tokens.find(token).flatMap(caller -> open(caller.name()));
  }

  private Optional<String> open(String name) {
    String claim = name + "|" + time.now().plus(LIFE).getEpochSecond() + "|" + randomText();
    return tokens.sign(name, claim).map(mac -> claim + "|" + encode(mac));
  }

  public Optional<Caller> find(String cookie) {
    return signed(cookie)
        .filter(session -> !isEnded(session))
        .flatMap(session -> tokens.named(session.name()))
        .map(token -> new Caller(token.name(), token.scope(), true));
  }

  /** A cookie of ours that has not expired, ended or not. */
  private Optional<Logouts.Logout> signed(String cookie) {
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
    long expires = Long.parseLong(parts[1]); // signed by us, so it is a number
    return expires <= time.now().getEpochSecond()
        ? Optional.empty()
        : Optional.of(new Logouts.Logout(parts[0], parts[2], expires));
  }

  /**
   * Ends a session; an invalid cookie is none. It has ended on return; the future completes when
   * that is durable, on any thread.
   */
  public CompletableFuture<?> close(String cookie) {
    return signed(cookie)
        .<CompletableFuture<?>>map(this::end)
        .orElse(CompletableFuture.completedFuture(""));
  }

  private CompletableFuture<?> end(Logouts.Logout session) {
    boolean isNew = !isEnded(session);
    Logouts.Logout toWrite = remember(session);
    if (isNew) {
      whenEnded.accept(session.name());
    }
    return logouts.write(toWrite);
  }

  /** Returns what is to be written down: this end, or that of all sessions of its token. */
  private Logouts.Logout remember(Logouts.Logout session) {
    synchronized (ended) {
      Map<String, Long> ofToken = ended.computeIfAbsent(session.name(), _ -> new HashMap<>());
      long old = time.now().minus(LIFE).getEpochSecond(); // a clock may be set back
      ofToken.values().removeIf(expires -> expires <= old);
      ofToken.merge(session.nonce(), session.expires(), Math::max);
      if (ofToken.size() <= LOGOUTS_MAX) {
        return session;
      }
      long last = Collections.max(ofToken.values());
      ofToken.clear();
      ofToken.put(ALL, last);
      return new Logouts.Logout(session.name(), ALL, last);
    }
  }

  private boolean isEnded(Logouts.Logout session) {
    synchronized (ended) {
      Map<String, Long> ofToken = ended.getOrDefault(session.name(), Map.of());
      return ofToken.containsKey(session.nonce())
          || session.expires() <= ofToken.getOrDefault(ALL, 0L);
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
