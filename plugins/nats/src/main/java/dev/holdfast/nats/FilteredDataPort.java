package dev.holdfast.nats;

import dev.holdfast.natskit.VerifiedDataPort;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The socket of a connection, of which the library reads what {@link HeaderFilter} lets through.
 * Public because the library makes it, by its name.
 */
public final class FilteredDataPort extends VerifiedDataPort {
  private final HeaderFilter filter = new HeaderFilter();
  private ByteBuffer ready = ByteBuffer.allocate(0);

  @Override
  public int read(byte[] target, int offset, int max) throws IOException {
    while (!ready.hasRemaining()) {
      int count = super.read(target, offset, max);
      if (count < 0) {
        return count;
      }
      ready = ByteBuffer.wrap(filter.filter(target, offset, count));
    }
    int count = Math.min(max, ready.remaining());
    ready.get(target, offset, count);
    return count;
  }
}
