package dev.holdfast.store.engine;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * CRC32C over fields that never change. Each field goes in with its length, so that none can move
 * into the next.
 */
public final class Crc {
  private final CRC32C crc = new CRC32C();

  public Crc add(String field) {
    byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
    add(bytes.length);
    crc.update(bytes, 0, bytes.length);
    return this;
  }

  public Crc add(long field) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      crc.update((int) (field >>> shift) & 0xff);
    }
    return this;
  }

  public long value() {
    return crc.getValue();
  }

  public static long of(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return crc.getValue();
  }
}
