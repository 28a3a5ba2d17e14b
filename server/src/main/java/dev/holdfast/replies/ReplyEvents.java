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
   * @param reply as it stood before the change, with the send that led to it counted
   * @param outcome the label of the metric
   * @param state the reply's new state, in lower case
   * @param why empty when there is nothing to explain
   */
  void publish(Reply reply, String outcome, String state, String why) {
    NewReply to = reply.reply();
    metrics
        .counter("holdfast.replies", "channel", channel(to.source()), "outcome", outcome)
        .increment();
    ObjectNode details = json.createObjectNode();
    details.put("reply_id", to.id());
    details.put("state", state);
    news.publish("reply.state", to.threadId(), to.eventId(), text(details));
    details.put("attempt", reply.attempts());
    if (!why.isEmpty()) {
      details.put("why", why);
    }
    stories.accept(new StoryLine(to.eventId(), time.now(), "reply." + outcome, text(details)));
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
