package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.time.Time;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers within bounds and in memory: after a restart the events' own dedupe keys still hold.
 */
final class MemoryIdempotency implements Idempotency {
  private static final Duration KEPT = Duration.ofHours(24);
  private static final int ENTRIES_MAX = 10_000;
  private static final long BYTES_MAX = 32L * 1024 * 1024;

  private final Time time;
  private final LinkedHashMap<String, Entry> entries = new LinkedHashMap<>();
  private long bytes;

  /** {@code answer}: null while the first request with this key runs. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Entry(byte[] contentDigest, long sinceNanos, @Nullable Kept answer) {
    long bytes() {
      return answer == null ? 0 : answer.body().length();
    }
  }

  MemoryIdempotency(Time time) {
    this.time = time;
  }

  @Override
  public synchronized Optional<Kept> begin(String scope, byte[] content)
      throws RefusedRequestException {
    forgetOld();
    byte[] digest = Tokens.sha256(content);
    Entry known = entries.get(scope);
    if (known == null) {
      put(scope, new Entry(digest, time.nanos(), null));
      return Optional.empty();
    }
    if (!MessageDigest.isEqual(known.contentDigest, digest)) {
      throw new RefusedRequestException(
          409, FailureCode.INVALID_REQUEST, "this Idempotency-Key was used with another request");
    }
    if (known.answer == null) {
      throw new RefusedRequestException(
          409,
          FailureCode.INVALID_REQUEST,
          "a request with this Idempotency-Key is still running",
          Duration.ofSeconds(1));
    }
    return Optional.of(known.answer);
  }

  @Override
  public synchronized void end(String scope, int status, String body) {
    Entry begun = entries.get(scope);
    if (begun == null) {
      return; // pushed out by newer ones
    }
    remove(scope);
    if (status < 500 && status != 429 && status != 409) {
      put(scope, new Entry(begun.contentDigest, begun.sinceNanos, new Kept(status, body)));
    }
  }

  private void put(String scope, Entry entry) {
    entries.put(scope, entry);
    bytes += entry.bytes() + 2L * scope.getBytes(StandardCharsets.UTF_8).length;
    while (entries.size() > ENTRIES_MAX || bytes > BYTES_MAX) {
      String oldest = entries.keySet().iterator().next();
      remove(oldest);
    }
  }

  private void remove(String scope) {
    Entry gone = entries.remove(scope);
    if (gone != null) {
      bytes -= gone.bytes() + 2L * scope.getBytes(StandardCharsets.UTF_8).length;
    }
  }

  private void forgetOld() {
    long now = time.nanos();
    for (Iterator<Map.Entry<String, Entry>> each = entries.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<String, Entry> oldest = each.next();
      if (now - oldest.getValue().sinceNanos <= KEPT.toNanos()) {
        return;
      }
      bytes -=
          oldest.getValue().bytes() + 2L * oldest.getKey().getBytes(StandardCharsets.UTF_8).length;
      each.remove();
    }
  }
}
