package dev.holdfast.extensions;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

/**
 * What the program of an action tells while it works: lines of its output before the answer, each
 * an object with {@code status: progress} and a {@code message}.
 */
final class ActionProgress implements AutoCloseable {
  private static final String STATUS = "progress";
  private static final int QUEUED_MAX = 16;
  private static final int SHOWN_UNITS_MAX = 200;

  private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(QUEUED_MAX);
  private final Consumer<String> listener;
  private final Thread thread;

  private ActionProgress(Consumer<String> listener) {
    this.listener = listener;
    this.thread = Thread.ofVirtual().name("action progress").unstarted(this::tell);
  }

  /**
   * Begins to tell.
   *
   * @param listener hears the messages, one after the other, on a thread of its own
   */
  static ActionProgress start(Consumer<String> listener) {
    ActionProgress progress = new ActionProgress(listener);
    progress.thread.start();
    return progress;
  }

  /** Takes a line of the program. Never blocks: when too many wait, one is left out. */
  void hear(String line) {
    if (mayTell(line)) {
      boolean _ = lines.offer(line);
    }
  }

  private void tell() {
    try {
      while (true) {
        message(lines.take()).ifPresent(listener);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean mayTell(String line) {
    return line.startsWith("{") && line.contains("\"" + STATUS + "\"");
  }

  /** What a line tells, fit to be shown; empty when it is part of an answer. */
  static Optional<String> message(String line) {
    if (!mayTell(line)) {
      return Optional.empty();
    }
    try {
      JsonObject told = new JsonObject(line);
      return STATUS.equals(told.getValue("status"))
              && told.getValue("message") instanceof String message
          ? Optional.of(shown(message))
          : Optional.empty();
    } catch (DecodeException _) {
      return Optional.empty();
    }
  }

  private static String shown(String message) {
    return Texts.cut(Texts.visible(message).strip().replaceAll("\\s+", " "), SHOWN_UNITS_MAX);
  }

  /** What is left of an output: the answer. */
  static String removedFrom(String output) {
    int from = 0;
    while (from < output.length()) {
      int end = output.indexOf('\n', from);
      if (end < 0 || message(output.substring(from, end)).isEmpty()) {
        break;
      }
      from = end + 1;
    }
    return output.substring(from);
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
