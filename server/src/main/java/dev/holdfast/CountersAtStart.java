package dev.holdfast;

import dev.holdfast.api.DropReason;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.ingress.webhooks.AddedReceives;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.ingress.webhooks.WebhookClicks;
import dev.holdfast.replies.QuestionCards;
import dev.holdfast.replies.TypingNotices;
import dev.holdfast.store.ledgers.ClickVerdict;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Registers the counters whose labels are known before anything is counted: an alert on a counter
 * that appears with its first increase misses that one.
 */
final class CountersAtStart {
  private static final List<String> EVENT_OUTCOMES =
      List.of(
          "accepted",
          "duplicate",
          "filtered",
          "refused",
          "answered",
          "silent",
          "held",
          "dead_lettered",
          "cancelled");
  private static final List<String> REPLY_OUTCOMES =
      List.of("sent", "retried", "unknown", "resent", "rejected", "held", "found");
  private static final List<String> FILTER_REASONS =
      Stream.of(DropReason.values()).map(reason -> reason.name().toLowerCase(Locale.ROOT)).toList();
  private static final List<String> CLICK_OUTCOMES =
      Stream.of(ClickVerdict.Meaning.values()).map(MessageIntake::name).toList();
  private static final List<Integer> REFUSALS =
      List.of(400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 422, 429, 431, 500, 503, 505);

  private CountersAtStart() {}

  /** Those of channels that come later too. */
  static void register(MeterRegistry meters, Channels channels) {
    REFUSALS.forEach(
        status -> meters.counter("holdfast.http.refused", "status", Integer.toString(status)));
    meters.counter("holdfast.restarts", "child", "thread-agent");
    channels.onAdded(channel -> register(meters, channel));
    channels.all().stream().map(ChannelFacts::name).forEach(name -> register(meters, name));
  }

  private static void register(MeterRegistry meters, String channel) {
    register(meters, "holdfast.events", channel, "outcome", EVENT_OUTCOMES);
    register(meters, "holdfast.replies", channel, "outcome", REPLY_OUTCOMES);
    register(meters, "holdfast.messages.filtered", channel, "reason", FILTER_REASONS);
    meters.counter(TypingNotices.FAILURES, "channel", channel);
    meters.counter(QuestionCards.FAILURES, "channel", channel);
    meters.counter(WebhookClicks.FAILURES, "channel", channel);
    register(meters, MessageIntake.CLICKS, channel, "outcome", CLICK_OUTCOMES);
    register(meters, AddedReceives.FAILURES, channel, "reason", List.of("threw", "late"));
  }

  private static void register(
      MeterRegistry meters, String counter, String channel, String label, List<String> values) {
    values.forEach(value -> meters.counter(counter, "channel", channel, label, value));
  }
}
