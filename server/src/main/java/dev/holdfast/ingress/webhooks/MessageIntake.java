package dev.holdfast.ingress.webhooks;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.bus.News;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.ingress.api.AttachmentCalls;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes verified messages in: commits them, then tells whoever watches. Whoever runs them hears of
 * them from the inbox, in the order of the commits. Thread-safe.
 */
public final class MessageIntake {
  private static final Logger LOG = LoggerFactory.getLogger(MessageIntake.class);

  private final InboxIntake intake;
  private final News news;
  private final Time time;
  private final MeterRegistry meters;
  private final Map<String, Counter> counters = new ConcurrentHashMap<>();

  public MessageIntake(InboxIntake intake, News news, Time time, MeterRegistry meters) {
    this.intake = intake;
    this.news = news;
    this.time = time;
    this.meters = meters;
  }

  /**
   * Completes after the commit, on the writer's thread; fails with a StoreException and then
   * nothing was accepted.
   */
  CompletableFuture<Appended> accept(String channel, InboundMessage message) {
    String source = channel + ":" + message.account();
    NewEvent event =
        new NewEvent(
            source,
            source + ":" + message.thread(),
            message.dedupeKey(),
            InboundPayload.write(message),
            time.now());
    // Made here and not after the commit: the writer's thread is the one that all others wait for.
    JsonObject words = new JsonObject().put("text", message.text()).put("sender", message.sender());
    String told = AttachmentCalls.putUploaded(words, message).encode();
    return intake.append(event).thenApply(appended -> committed(channel, told, appended));
  }

  private Appended committed(String channel, String told, Appended appended) {
    count(channel, appended.duplicate() ? "duplicate" : "accepted");
    if (!appended.duplicate()) {
      // The event is safe: its sender gets 200 whatever goes wrong from here on.
      try {
        news.publish("event.accepted", appended.event().threadId(), appended.event().id(), told);
      } catch (RuntimeException e) {
        LOG.error("event {}: committed, but could not be announced", appended.event().id(), e);
      }
    }
    return appended;
  }

  void count(String channel, String outcome) {
    String key = channel + ' ' + outcome;
    Counter counter = counters.get(key);
    if (counter == null) {
      counter =
          counters.computeIfAbsent(
              key, _ -> meters.counter("holdfast.events", "channel", channel, "outcome", outcome));
    }
    counter.increment();
  }
}
