package dev.holdfast.replies;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.bus.News;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Consumer;

/** Tells the metrics, the news and the event's story what became of a reply. Thread-safe. */
final class ReplyEvents {
  private final ObjectMapper json = new ObjectMapper();
  private final News news;
  private final Consumer<StoryLine> stories;
  private final MeterRegistry metrics;
  private final Time time;

  ReplyEvents(News news, Consumer<StoryLine> stories, MeterRegistry metrics, Time time) {
    this.news = news;
    this.stories = stories;
    this.metrics = metrics;
    this.time = time;
  }

  /**
   * @param outcome the label of the metric
   * @param state the reply's new state, in lower case
   * @param why empty when there is nothing to explain
   */
  void publish(Reply before, String outcome, String state, String why) {
    NewReply reply = before.reply();
    metrics
        .counter("holdfast.replies", "channel", channel(reply.source()), "outcome", outcome)
        .increment();
    ObjectNode details = json.createObjectNode();
    details.put("reply_id", reply.id());
    details.put("state", state);
    news.publish("reply.state", reply.threadId(), reply.eventId(), text(details));
    details.put("attempt", before.attempts() + 1);
    if (!why.isEmpty()) {
      details.put("why", why);
    }
    stories.accept(new StoryLine(reply.eventId(), time.now(), "reply." + outcome, text(details)));
  }

  private String text(ObjectNode details) {
    try {
      return json.writeValueAsString(details);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts and numbers are always JSON", e);
    }
  }

  private static String channel(String source) {
    int colon = source.indexOf(':');
    return colon < 0 ? source : source.substring(0, colon);
  }
}
