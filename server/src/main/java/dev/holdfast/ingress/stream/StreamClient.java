package dev.holdfast.ingress.stream;

import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.Json;
import java.util.ArrayDeque;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One reader of the stream. News come on the thread of its watch and wait here, within a bound,
 * until the connection takes them. A reader that is too slow loses what waits and is told so by a
 * {@code gap} event.
 */
final class StreamClient {
  /** What may wait for one reader, in units of UTF-16: a single item can be a long message. */
  private static final long UNITS_MAX = 8_000_000;

  private final Context loop;
  private final HttpServerResponse response;
  private final String boot;
  private final Predicate<NewsItem> heard;
  private final int itemsMax;

  private final Object lock = new Object();
  private final ArrayDeque<NewsItem> waiting = new ArrayDeque<>();
  private long units;
  private boolean gap;
  private boolean scheduled;
  private boolean over;
  private News.@Nullable Watch watch;

  /** {@code heard}: what it hears of; may block. */
  StreamClient(
      Context loop,
      HttpServerResponse response,
      String boot,
      Predicate<NewsItem> heard,
      int itemsMax) {
    this.loop = loop;
    this.response = response;
    this.boot = boot;
    this.heard = heard;
    this.itemsMax = itemsMax;
    response.drainHandler(_ -> schedule());
  }

  void watchedBy(News.Watch watching) {
    synchronized (lock) {
      if (!over) {
        watch = watching;
        return;
      }
    }
    watching.close();
  }

  /** Blocks for no reader: what the connection does not take is lost here, and told as a gap. */
  void offer(NewsItem item) {
    if (!heard.test(item)) {
      return;
    }
    synchronized (lock) {
      if (over) {
        return;
      }
      units += item.json().length();
      if (waiting.size() >= itemsMax || units > UNITS_MAX) {
        waiting.clear();
        units = item.json().length();
        gap = true;
      }
      waiting.addLast(item);
    }
    schedule();
  }

  /** Something was missed before what waits now. */
  void gap() {
    synchronized (lock) {
      gap = true;
    }
    schedule();
  }

  private void schedule() {
    synchronized (lock) {
      if (scheduled || over) {
        return;
      }
      scheduled = true;
    }
    loop.runOnContext(_ -> drain());
  }

  private void drain() {
    synchronized (lock) {
      scheduled = false;
    }
    while (!response.closed() && !response.ended() && !response.writeQueueFull()) {
      NewsItem item;
      boolean missed;
      synchronized (lock) {
        missed = gap;
        gap = false;
        item = waiting.pollFirst();
        units -= item == null ? 0 : item.json().length();
      }
      if (missed) {
        response.write("event: gap\ndata: {}\n\n");
      }
      if (item == null) {
        return;
      }
      response.write(text(item));
    }
  }

  private String text(NewsItem item) {
    StringBuilder text = new StringBuilder(128 + item.json().length());
    text.append("id: ").append(boot).append('-').append(item.id());
    text.append("\nevent: ").append(item.kind());
    text.append("\ndata: {\"thread_id\":").append(Json.encode(item.threadId()));
    text.append(",\"event_id\":").append(Json.encode(item.eventId()));
    String details = item.json().strip();
    if (details.length() > 2) {
      // The details are a JSON object of ours on one line: its members go on where these stop.
      text.append(',').append(details, 1, details.length());
    } else {
      text.append('}');
    }
    return text.append("\n\n").toString();
  }

  void heartbeat() {
    if (!response.ended() && !response.closed() && !response.writeQueueFull()) {
      response.write(": still here\n\n");
    }
  }

  /** On any thread. What it has not been sent by now it is not sent any more. */
  void end() {
    forget();
    loop.runOnContext(
        _ -> {
          if (!response.ended() && !response.closed()) {
            response.end();
          }
        });
  }

  void forget() {
    News.Watch watching;
    synchronized (lock) {
      over = true;
      waiting.clear();
      units = 0;
      watching = watch;
      watch = null;
    }
    if (watching != null) {
      watching.close();
    }
  }
}
