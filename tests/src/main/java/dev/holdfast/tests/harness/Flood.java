package dev.holdfast.tests.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Strangers who keep their connections busy without ever finishing anything. Whoever is cut off
 * comes back, until it is closed.
 */
public final class Flood implements AutoCloseable {
  private static final byte[] PIECE = "x".repeat(65_536).getBytes(StandardCharsets.US_ASCII);

  private static final Duration BACK_AFTER = Duration.ofMillis(200);

  private final int port;
  private final List<RawClient> open = new CopyOnWriteArrayList<>();
  private final AtomicInteger attacks = new AtomicInteger();
  private volatile boolean over;

  /** What one connection does, until it is held up or thrown out. */
  public interface Attack {
    void on(RawClient client) throws IOException;
  }

  private Flood(int port) {
    this.port = port;
  }

  /** Begins; each of the connections is a thread of its own. */
  public static Flood of(int port, int connections, Attack attack) {
    Flood flood = new Flood(port);
    for (int i = 0; i < connections; i++) {
      Thread.ofVirtual().start(() -> flood.repeat(attack));
    }
    return flood;
  }

  private void repeat(Attack attack) {
    while (!over) {
      try (RawClient client = new RawClient(port)) {
        open.add(client);
        attacks.incrementAndGet();
        attack.on(client);
        client.awaitEnd();
      } catch (IOException e) {
        Await.pause(BACK_AFTER); // thrown out: once more
      }
      open.removeIf(RawClient::isClosed);
    }
  }

  /** How often a connection has begun. */
  public int attacks() {
    return attacks.get();
  }

  /** All but the last byte of a body of a megabyte. */
  public static Attack unfinished(String path) {
    return client -> {
      client.say(head(path) + "content-length: 1048576\r\n\r\n");
      for (int sent = 0; sent < 15; sent++) {
        client.say(PIECE);
      }
      client.say(new byte[65_535]);
    };
  }

  /** A chunked body of almost a megabyte, without its end. */
  public static Attack unfinishedChunks(String path) {
    return client -> {
      client.say(head(path) + "transfer-encoding: chunked\r\n\r\n");
      for (int sent = 0; sent < 15; sent++) {
        client.say("10000\r\n").say(PIECE).say("\r\n");
      }
    };
  }

  /** A megabyte is announced, and one byte comes. */
  public static Attack announced(String path) {
    return client -> client.say(head(path) + "content-length: 1048576\r\n\r\n{");
  }

  /** Large answers are asked for again and again, and none is read. */
  public static Attack unread(String path) {
    String request = "GET " + path + " HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
    return client -> {
      client.receiveLittle();
      while (true) {
        client.say(request);
        Await.pause(Duration.ofSeconds(1));
      }
    };
  }

  private static String head(String path) {
    return "POST "
        + path
        + " HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        + "webhook-id: x\r\nwebhook-timestamp: 1\r\nwebhook-signature: v1,AAAA\r\n";
  }

  @Override
  public void close() {
    over = true;
    while (!open.isEmpty()) {
      for (RawClient client : List.copyOf(open)) {
        try {
          client.reset();
        } catch (IOException e) {
          // It was closed in this moment.
        }
      }
      open.removeIf(RawClient::isClosed);
    }
  }
}
