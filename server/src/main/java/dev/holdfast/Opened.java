package dev.holdfast;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a start has opened so far: when a later step fails, all of it is closed, the newest first.
 * Belongs to one thread.
 */
final class Opened {
  private static final Logger LOG = LoggerFactory.getLogger(Opened.class);

  private final Deque<Part> parts = new ArrayDeque<>();
  private final Listener listener;

  /** Closes one part. */
  interface Closing {
    void run() throws IOException, InterruptedException;
  }

  /** Hears of each part when it is open; what it throws fails the start there. */
  interface Listener {
    void opened(String part) throws IOException;
  }

  private record Part(String name, Closing closing) {}

  Opened(Listener listener) {
    this.listener = listener;
  }

  void add(String name, Closing closing) throws IOException {
    parts.push(new Part(name, closing));
    listener.opened(name);
  }

  /** One that fails to close does not keep the others open. An interrupt is kept for the caller. */
  void closeAll() {
    boolean interrupted = false;
    while (!parts.isEmpty()) {
      Part part = parts.pop();
      interrupted |= Thread.interrupted(); // what is half closed would be worse than what is late
      try {
        part.closing.run();
      } catch (InterruptedException _) {
        interrupted = true;
      } catch (IOException | RuntimeException e) {
        LOG.warn("server: {} was not closed cleanly after the failed start", part.name, e);
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
