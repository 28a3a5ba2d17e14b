package dev.holdfast.ingress.api;

import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.function.Supplier;

/** Links that log a browser in once, with the rights of the token that asked for them. */
final class LoginLinkCalls {
  private final Sessions sessions;
  private final Supplier<String> chatUrl;
  private final OperatorAudit records;
  private final Time time;

  LoginLinkCalls(Sessions sessions, Supplier<String> chatUrl, Audit audit, Time time) {
    this.sessions = sessions;
    this.chatUrl = chatUrl;
    this.records = new OperatorAudit(audit);
    this.time = time;
  }

  Map<String, ApiCall> calls() {
    return Map.of("createLoginLink", this::create);
  }

  private ApiAnswer create(ApiRequest request) {
    String code = sessions.issueCode(request.caller().name());
    records.done(request, "login_link", "", new JsonObject());
    return new ApiAnswer(
        201,
        new JsonObject()
            .put("url", chatUrl.get() + "?login=" + code)
            .put("expires_at", time.now().plus(Sessions.CODE_LIFE).toString()));
  }
}
