package dev.holdfast.ingress.api;

import dev.holdfast.store.Store;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Answers out of the inbox and the outbox. */
public final class StoredAnswers implements Answers {
  /** How often the event was replayed, at the end of what a reply is called. */
  private static final Pattern REPLAYS = Pattern.compile("[0-9]+$");

  private final Store store;

  public StoredAnswers(Store store) {
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
    return texts(eventId, id -> !isNotice(id)).collect(Collectors.joining("\n"));
  }

  /** What its sender is told in the end, without what people were asked on the way. */
  public String said(String eventId) {
    return texts(eventId, id -> !isNotice(id) && !isQuestion(id)).collect(Collectors.joining("\n"));
  }

  /** What people were asked on the way, in order. */
  public List<String> asked(String eventId) {
    return texts(eventId, StoredAnswers::isQuestion).toList();
  }

  /** How people were asked for an approval; empty when they have not been. */
  public String question(String eventId, String approvalId) {
    return texts(eventId, id -> id.startsWith(approvalId) && isQuestion(id))
        .collect(Collectors.joining("\n"));
  }

  private Stream<String> texts(String eventId, Predicate<String> wanted) {
    return store.outbox().ofEvent(eventId).stream()
        .filter(reply -> wanted.test(reply.reply().id()))
        .map(reply -> reply.reply().text());
  }

  /**
   * A notice, {@code <event>.n.<part>} or after replays {@code <event>.n2.<part>}, tells that the
   * answer comes later: it is none itself.
   */
  private static boolean isNotice(String replyId) {
    return isOf(replyId, ".n");
  }

  /** A question to a person: {@code <question>.p.<part>}. */
  public static boolean isQuestion(String replyId) {
    return isOf(replyId, ".p");
  }

  private static boolean isOf(String replyId, String voice) {
    int part = replyId.lastIndexOf('.');
    return part > 0 && REPLAYS.matcher(replyId.substring(0, part)).replaceFirst("").endsWith(voice);
  }
}
