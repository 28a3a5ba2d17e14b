package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A TCP port that leads to another one of this machine, over a bad line: everything takes a while,
 * or nothing arrives though the connections stay. Thread-safe.
 */
public final class SlowLink implements AutoCloseable {
  private static final int CHUNK = 16 * 1024;
  private static final int CHUNKS_MAX = 1024;

  private final int target;
  private final ServerSocket server;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile long delayNanos;
  private volatile long jitterNanos;
  private volatile boolean isHeld;

  private static final class Chunk {
    private final long dueNanos;
    private final byte[] bytes;

    Chunk(long dueNanos, byte[] bytes) {
      this.dueNanos = dueNanos;
      this.bytes = bytes;
    }
  }

  public SlowLink(int targetPort) {
    target = targetPort;
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread _ = Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Each way, for what is sent from now on; up to {@code jitter} more, in order all the same. */
  public void delay(Duration delay, Duration jitter) {
    delayNanos = delay.toNanos();
    jitterNanos = jitter.toNanos();
  }

  /** Nothing arrives any more, and no connection ends. */
  public void hold() {
    isHeld = true;
  }

  /** What was held arrives, and everything after it. */
  public void release() {
    isHeld = false;
  }

  private void accept() {
    try {
      while (true) {
        Socket near = server.accept();
        Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        sockets.add(near);
        sockets.add(far);
        lead(near, far);
        lead(far, near);
      }
    } catch (IOException _) {
      // It is closed; a target that refuses ends this, too: it is there all the time.
    }
  }

  private void lead(Socket from, Socket to) {
    BlockingQueue<Chunk> line = new LinkedBlockingQueue<>(CHUNKS_MAX);
    Thread _ = Thread.ofVirtual().start(() -> read(from, line));
    Thread _ = Thread.ofVirtual().start(() -> write(line, from, to));
  }

  private void read(Socket from, BlockingQueue<Chunk> line) {
    byte[] buffer = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
      int count = 0;
      while (count >= 0) {
        try {
          count = in.read(buffer);
        } catch (IOException _) {
          count = -1;
        }
        long jitter = jitterNanos == 0 ? 0 : ThreadLocalRandom.current().nextLong(jitterNanos);
        line.put(
            new Chunk(
                System.nanoTime() + delayNanos + jitter,
                Arrays.copyOf(buffer, Math.max(0, count))));
      }
    } catch (IOException _) {
      // The socket was closed before it was read.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** A chunk without bytes is the end. */
  private void write(BlockingQueue<Chunk> line, Socket from, Socket to) {
    try (from;
        to) {
      OutputStream out = to.getOutputStream();
      Chunk next = line.take();
      while (next.bytes.length > 0) {
        while (isHeld || next.dueNanos - System.nanoTime() > 0) {
          Thread.sleep(1);
        }
        out.write(next.bytes);
        next = line.take();
      }
    } catch (IOException _) {
      // One side has gone; so does the other.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  @Override
  public void close() {
    try {
      server.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
