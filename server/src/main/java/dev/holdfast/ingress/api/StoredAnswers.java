package dev.holdfast.ingress.api;

import dev.holdfast.store.Store;
import dev.holdfast.store.messages.Reply;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.stream.Collectors;

/** Answers out of the inbox and the outbox. */
final class StoredAnswers implements Answers {
  private final Store store;

  StoredAnswers(Store store) {
    this.store = store;
  }

  @Override
  public Optional<Answer> find(String eventId) {
    return store
        .inbox()
        .find(eventId)
        .filter(event -> !event.state().isOpen())
        .map(
            event ->
                new Answer(
                    ChatFailures.codeOf(event.state(), code(eventId)).orElse(null), text(eventId)));
  }

  /** Of its last end: it may have been replayed. */
  private String code(String eventId) {
    return store.stories().of(eventId).reversed().stream()
        .filter(line -> line.what().equals("event.finished"))
        .findFirst()
        .map(line -> new JsonObject(line.json()).getString("code", ""))
        .orElse("");
  }

  private String text(String eventId) {
    return store.outbox().ofEvent(eventId).stream()
        .filter(reply -> !isNotice(reply))
        .map(reply -> reply.reply().text())
        .collect(Collectors.joining("\n"));
  }

  /** A notice, {@code <event>.n.<part>}, tells that the answer comes later: it is none itself. */
  private static boolean isNotice(Reply reply) {
    String id = reply.reply().id();
    int part = id.lastIndexOf('.');
    return part > 0 && id.substring(0, part).endsWith(".n");
  }
}
