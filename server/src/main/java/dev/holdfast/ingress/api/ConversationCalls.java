package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.conversations.ConversationExport;
import dev.holdfast.conversations.ConversationService;
import dev.holdfast.conversations.MessageIndex;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.ChatThreads;
import dev.holdfast.store.messages.ThreadLabels;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What is asked of whole conversations: to find, name, put away or delete them. */
final class ConversationCalls {
  private static final int PAGE = 20;

  private final Store store;
  private final ConversationService conversations;
  private final ThreadAccess access;
  private final OperatorAudit records;

  ConversationCalls(Store store, ConversationService conversations, ThreadAccess access) {
    this.store = store;
    this.conversations = conversations;
    this.access = access;
    this.records = new OperatorAudit(store.audit());
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "renameThread", this::rename,
        "archiveThread", this::archive,
        "deleteThread", this::delete,
        "exportThread", this::export,
        "searchMessages", this::search,
        "rebuildSearch", this::rebuild);
  }

  private ChatThreads.ThreadRow known(ApiRequest request) throws RefusedRequestException {
    access.check(request.caller(), request.threadId());
    return store
        .chatThreads()
        .find(request.threadId())
        .orElseThrow(() -> RefusedRequestException.unknown("no such thread"));
  }

  private ApiAnswer rename(ApiRequest request) throws RefusedRequestException, StoreException {
    String threadId = known(request).threadId();
    String title = ThreadLabels.titleOf(request.body().getString("title"));
    if (title.isEmpty()) {
      throw RefusedRequestException.invalid("title must have a visible character");
    }
    conversations.rename(threadId, title);
    return ApiAnswer.ok(new JsonObject().put("title", title));
  }

  private ApiAnswer archive(ApiRequest request) throws RefusedRequestException, StoreException {
    String threadId = known(request).threadId();
    boolean archived = request.body().getBoolean("archived", true);
    conversations.archive(threadId, archived);
    return ApiAnswer.ok(new JsonObject().put("archived", archived));
  }

  private ApiAnswer delete(ApiRequest request)
      throws RefusedRequestException, StoreException, InterruptedException {
    String threadId = known(request).threadId();
    access.checkOwner(request.caller(), threadId);
    switch (conversations.delete(threadId)) {
      case ConversationService.Deletion.Refused(String why) ->
          throw new RefusedRequestException(409, FailureCode.INVALID_REQUEST, why);
      case ConversationService.Deletion.Done() ->
          records.done(request, "thread_delete", threadId, new JsonObject());
    }
    return ApiAnswer.ok(new JsonObject().put("deleted", true));
  }

  private ApiAnswer export(ApiRequest request) throws RefusedRequestException, IOException {
    ConversationExport export = conversations.export(known(request).threadId());
    return ApiAnswer.document(
        request.text("format", "markdown").equals("json")
            ? new ApiAnswer.Document(export.name() + ".json", "application/json", export.json())
            : new ApiAnswer.Document(export.name() + ".md", "text/plain", export.markdown()));
  }

  private ApiAnswer search(ApiRequest request) {
    int limit = request.whole("limit", PAGE);
    String before = request.text("before", "");
    String thread = request.text("thread", "");
    List<MessageIndex.Hit> hits =
        conversations
            .messages()
            .search(
                ThreadAccess.reader(request.caller()),
                request.text("q", ""),
                thread.isEmpty() ? "" : ApiRequest.threadId(thread),
                before.isEmpty() ? Long.MAX_VALUE : Long.parseLong(before),
                limit);
    JsonArray views = new JsonArray();
    hits.forEach(hit -> views.add(view(hit)));
    return ApiAnswer.ok(
        new JsonObject()
            .put("hits", views)
            .put("next", hits.size() < limit ? null : Long.toString(hits.getLast().no()))
            .put("unread", conversations.unread(id -> access.maySee(request.caller(), id))));
  }

  private static JsonObject view(MessageIndex.Hit hit) {
    return new JsonObject()
        .put("thread_id", hit.threadId())
        .put("title", hit.title())
        .put("id", hit.entry())
        .put("event_id", hit.eventId())
        .put("role", hit.role())
        .put("at", hit.at().toString())
        .put("excerpt", hit.excerpt())
        .put("marks", new JsonArray(hit.marks()));
  }

  private ApiAnswer rebuild(ApiRequest request) throws StoreException {
    conversations.rebuildIndex();
    records.done(request, "search_rebuild", "", new JsonObject());
    return ApiAnswer.ok(new JsonObject().put("rebuilding", true));
  }
}
