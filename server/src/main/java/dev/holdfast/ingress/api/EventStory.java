package dev.holdfast.ingress.api;

import dev.holdfast.store.ledgers.ModelCallRow;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.StoryLine;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Puts one event's story together. What other tables hold anyway (that it was accepted, what models
 * were asked, which replies were planned) is not written down a second time: it is told from there.
 */
final class EventStory {
  private EventStory() {}

  private record Line(Instant at, String what, JsonObject details) {
    JsonObject view() {
      return new JsonObject().put("at", at.toString()).put("what", what).mergeIn(details);
    }
  }

  /** In the order of the times. */
  static List<JsonObject> tell(
      Event event, List<StoryLine> written, List<ModelCallRow> modelCalls, List<Reply> replies) {
    List<Line> lines = new ArrayList<>();
    lines.add(
        new Line(
            event.receivedAt(), "event.accepted", new JsonObject().put("source", event.source())));
    for (StoryLine line : written) {
      lines.add(new Line(line.at(), line.what(), new JsonObject(line.json())));
    }
    for (ModelCallRow call : modelCalls) {
      lines.add(
          new Line(
              call.at(),
              "model.called",
              new JsonObject()
                  .put("model", call.provider() + "/" + call.model())
                  .put("outcome", call.outcome())
                  .put("millis", call.millis())));
    }
    for (Reply reply : replies) {
      lines.add(
          new Line(
              reply.plannedAt(),
              "reply.planned",
              new JsonObject().put("reply_id", reply.reply().id())));
    }
    lines.sort(Comparator.comparing(Line::at)); // stable: what was written first stays first
    boolean told = lines.stream().anyMatch(line -> line.what.equals("event.finished"));
    if (!event.state().isOpen() && !told) {
      // It ended with its last line: a transaction of its own would only have repeated that.
      lines.add(
          new Line(
              lines.getLast().at,
              "event.finished",
              new JsonObject().put("outcome", event.state().name().toLowerCase(Locale.ROOT))));
    }
    return lines.stream().map(Line::view).toList();
  }
}
