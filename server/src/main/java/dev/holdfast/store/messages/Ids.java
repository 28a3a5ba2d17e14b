package dev.holdfast.store.messages;

import dev.holdfast.time.Time;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * Makes UUIDs of version 7 that always grow, also when the clock goes back.
 *
 * <p>Source: RFC 9562, section 5.7 and method 1 of section 6.2. Thread-safe.
 */
public final class Ids {
  private static final int COUNTER_MAX = 0xfff;
  private static final int CHANCE_BYTES = 1024;

  private final Time time;
  private final SecureRandom random = new SecureRandom();

  /** Asked for in larger pieces: each call of the source costs as much as many bytes. */
  private final ByteBuffer chance = ByteBuffer.allocate(CHANCE_BYTES).limit(0);

  private long millis;
  private int counter;

  public Ids(Time time) {
    this.time = time;
  }

  public synchronized String next() {
    long now = time.now().toEpochMilli();
    if (now > millis) {
      millis = now;
      counter = 0;
    } else if (++counter > COUNTER_MAX) {
      millis++;
      counter = 0;
    }
    long high = (millis << 16) | 0x7000L | counter;
    long low = (random() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
    return new UUID(high, low).toString();
  }

  private long random() {
    if (!chance.hasRemaining()) {
      random.nextBytes(chance.array());
      chance.clear();
    }
    return chance.getLong();
  }
}
