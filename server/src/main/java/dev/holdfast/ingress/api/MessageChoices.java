package dev.holdfast.ingress.api;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.ToolProgress;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.channels.MessageOptions;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.store.Store;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.StoryLine;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a new message may choose: whose models answer it, and whether it takes the place of an
 * earlier one and of all that followed it. What it replaces stays in the log. Thread-safe; blocks.
 */
final class MessageChoices {
  /** Of older ones it is not known any more what their tools did. */
  private static final int EVENTS_MAX = 200;

  private static final int LOG_LINES_MAX = 10_000;

  private final Store store;
  private final ThreadAccess access;
  private final List<String> choice;

  /** {@code choice}: the levels that people may choose. */
  MessageChoices(Store store, ThreadAccess access, List<String> choice) {
    this.choice = List.copyOf(choice);
    this.store = store;
    this.access = access;
  }

  /**
   * @throws RefusedRequestException 403 for a level that cannot be chosen; 404 when the
   *     conversation has no such message; 403 when it or the conversation is somebody else's; 400
   *     when one of the two cannot be replaced; 409 while messages are unanswered, or when tools
   *     had effects and {@code force} is not given
   */
  MessageOptions options(ApiRequest request, InboundMessage message)
      throws RefusedRequestException, IOException {
    String replaced = request.bodyText("supersedes");
    MessageOptions options =
        new MessageOptions(replaced == null ? "" : replaced, chosenLevel(request));
    if (replaced == null) {
      return options;
    }
    if (store.inbox().isKnown(WebMessages.SOURCE, message.dedupeKey())) {
      return options; // sent again: it was judged the first time
    }
    String threadId = request.threadId();
    access.checkOwner(request.caller(), threadId);
    if (Incoming.isCommand(message.text())) {
      throw RefusedRequestException.invalid("a command replaces nothing");
    }
    String sender = senderOf(threadId, replaced);
    if (!request.caller().scope().covers(Scope.ADMIN)
        && !WebMessages.isBy(request.caller(), sender)) {
      throw new RefusedRequestException(
          403, FailureCode.AUTH, "only who wrote a message can replace it");
    }
    if (!store.inbox().openOf(threadId, 0, 1).isEmpty()) {
      throw conflict("a message of this conversation is being answered: stop it first");
    }
    if (!request.body().getBoolean("force", false)) {
      checkEffects(threadId, replaced);
    }
    return options;
  }

  private String chosenLevel(ApiRequest request) throws RefusedRequestException {
    String level = request.bodyText("level");
    if (level != null && !choice.contains(level)) {
      throw new RefusedRequestException(
          403,
          FailureCode.AUTH,
          choice.isEmpty()
              ? "levels cannot be chosen on this server"
              : "the level " + level + " cannot be chosen: only " + String.join(", ", choice));
    }
    return level == null ? "" : level;
  }

  private String senderOf(String threadId, String replaced)
      throws RefusedRequestException, IOException {
    Event event =
        store.inbox().find(replaced).filter(it -> it.threadId().equals(threadId)).orElse(null);
    if (event != null) {
      if (event.dedupeKey().startsWith(NewEvent.OWN)) {
        throw RefusedRequestException.invalid("only a message of a person can be replaced");
      }
      return InboundPayload.read(event.payload()).sender();
    }
    for (String line : store.threads().of(threadId).readLog(LOG_LINES_MAX)) {
      if (line.contains(replaced)) {
        JsonObject logged = json(line);
        if (logged.getString("id", "").equals(replaced)
            && "user".equals(logged.getString("role"))) {
          return logged.getString("sender", "");
        }
      }
    }
    throw RefusedRequestException.unknown("no such message in this conversation");
  }

  private static JsonObject json(String line) {
    try {
      return new JsonObject(line);
    } catch (DecodeException _) {
      return new JsonObject();
    }
  }

  private void checkEffects(String threadId, String replaced) throws RefusedRequestException {
    List<Event> newest = store.inbox().ofThread(threadId, EVENTS_MAX);
    if (newest.stream().noneMatch(event -> event.id().equals(replaced))) {
      throw conflict(
              "what tools did since that message is not known any more, and is not undone; send it"
                  + " with force to replace the messages all the same")
          .withDetails(new JsonObject().put("effects", new JsonArray()));
    }
    Set<String> tools = new TreeSet<>();
    for (Event event : newest) {
      if (event.id().compareTo(replaced) >= 0) {
        for (StoryLine line : store.stories().of(event.id())) {
          JsonObject details = json(line.json());
          if (details.getBoolean(ToolProgress.EFFECTS, false)) {
            tools.add(details.getString("tool", ""));
          }
        }
      }
    }
    if (!tools.isEmpty()) {
      throw conflict(
              "tools have acted since that message, which is not undone: "
                  + String.join(", ", tools)
                  + "; send it with force to replace the messages all the same")
          .withDetails(new JsonObject().put("effects", new JsonArray(List.copyOf(tools))));
    }
  }

  private static RefusedRequestException conflict(String why) {
    return new RefusedRequestException(409, FailureCode.INVALID_REQUEST, why);
  }
}
