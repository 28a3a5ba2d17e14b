package dev.holdfast.codingagent;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A coding agent that speaks the Agent Client Protocol, version 1: JSON-RPC in lines. It is offered
 * no files and no terminals of ours: it works in the sandbox by itself.
 */
final class AcpProgram {
  private static final int PROTOCOL_VERSION = 1;
  private static final long AUTH_REQUIRED = -32_000;
  private static final long METHOD_NOT_FOUND = -32_601;
  private static final int UNANSWERABLE_MAX = 10;
  private static final Map<String, Object> CANCELLED = Map.of("outcome", "cancelled");

  private static final List<String> SHOWN_FIRST =
      List.of("kind", "title", "locations", "content", "rawInput");

  /** What the protocol reserves in {@code _meta} for tracing. */
  private static final Set<String> TRACE = Set.of("traceparent", "tracestate", "baggage");

  private final ProgramProcess process;
  private final ProgramSettings settings;
  private final Run run;

  /** Tool calls by their ids: a request for a permission may name no more than that. */
  private final Map<String, Map<String, Object>> toolCalls = new LinkedHashMap<>();

  private final StringBuilder said = new StringBuilder();
  private String lastSaid = "";
  private String session = "";
  private boolean isReplayed;
  private @Nullable PermissionRequest asked;

  /** Sentences on requests to which no answer of a person could be given. */
  private final Set<String> unanswerable = new LinkedHashSet<>();

  private long calls;
  private long ids;
  private SessionUsage usage = SessionUsage.NONE;

  /** An error of the agent. */
  private static final class RpcException extends Exception {
    private static final long serialVersionUID = 1L;
    private final long code;

    RpcException(long code, String message) {
      super(message);
      this.code = code;
    }

    ActionRefusedException refusal(String what) {
      return new ActionRefusedException(
          ActionRefusedException.FAILED, "%s: %s".formatted(what, getMessage()));
    }
  }

  private AcpProgram(ProgramProcess process, ProgramSettings settings, Run run) {
    this.process = process;
    this.settings = settings;
    this.run = run;
  }

  static Outcome run(InstalledProgram installed, ProgramSettings settings, Run run)
      throws ActionRefusedException, InterruptedException {
    List<String> command = new ArrayList<>(installed.command());
    command.addAll(settings.arguments());
    try (ProgramProcess process = ProgramProcess.start(command, run.folder(), run.limits())) {
      return new AcpProgram(process, settings, run).run();
    }
  }

  private Outcome run() throws ActionRefusedException, InterruptedException {
    Map<String, Object> agent = initialize();
    try {
      if (!open(JsonText.map(agent, "agentCapabilities"))) {
        return new Outcome.SessionLost(SessionUsage.NONE);
      }
      run.watcher().knows(session);
      if (!settings.mode().isEmpty()) {
        call("session/set_mode", Map.of("sessionId", session, "modeId", settings.mode()));
      }
      Map<String, Object> text = Map.of("type", "text", "text", run.prompt());
      return ended(call("session/prompt", Map.of("sessionId", session, "prompt", List.of(text))));
    } catch (RpcException e) {
      throw e.code == AUTH_REQUIRED
          ? new ActionRefusedException(
              ActionRefusedException.FORBIDDEN,
              "The coding agent wants to be logged in (%s). %s"
                  .formatted(e.getMessage(), howToLogIn(agent)))
          : e.refusal("The coding agent failed");
    }
  }

  private Map<String, Object> initialize() throws ActionRefusedException, InterruptedException {
    try {
      Map<String, Object> agent =
          call(
              "initialize",
              Map.of(
                  "protocolVersion",
                  PROTOCOL_VERSION,
                  "clientCapabilities",
                  Map.of(
                      "fs",
                      Map.of("readTextFile", false, "writeTextFile", false),
                      "terminal",
                      false),
                  "clientInfo",
                  Map.of("name", "holdfast", "title", "Holdfast", "version", "0.1.0")));
      if (JsonText.whole(agent, "protocolVersion", 0) != PROTOCOL_VERSION) {
        throw new ActionRefusedException(
            ActionRefusedException.FAILED,
            "The coding agent speaks another version of the Agent Client Protocol.");
      }
      if (!settings.authMethod().isEmpty()) {
        call("authenticate", Map.of("methodId", settings.authMethod()));
      }
      return agent;
    } catch (RpcException e) {
      throw e.refusal("The coding agent cannot be logged in");
    }
  }

  private static String howToLogIn(Map<String, Object> agent) {
    List<String> methods =
        JsonText.maps(agent, "authMethods").stream()
            .map(each -> JsonText.text(each, "id"))
            .filter(id -> !id.isEmpty())
            .toList();
    return methods.isEmpty()
        ? "It offers no way to do that from here: give it its key by secret_env, or log in with the"
            + " program itself first, with %s as its home (HOME)."
                .formatted(System.getenv().getOrDefault("HOME", "its folder of files"))
        : "Set auth_method to one of: %s.".formatted(String.join(", ", methods));
  }

  /** Makes a session, or goes on with one; false when that is not to be had any more. */
  private boolean open(Map<String, Object> capabilities)
      throws RpcException, ActionRefusedException, InterruptedException {
    Map<String, Object> place = new LinkedHashMap<>();
    place.put("cwd", run.folder().toString());
    place.put("mcpServers", List.of());
    if (run.session().isEmpty()) {
      session = JsonText.text(call("session/new", place), "sessionId");
      return true;
    }
    boolean mayResume =
        JsonText.map(capabilities, "sessionCapabilities").get("resume") instanceof Map;
    if (!mayResume && !JsonText.flag(capabilities, "loadSession")) {
      return false;
    }
    place.put("sessionId", run.session());
    session = run.session();
    isReplayed = true;
    try {
      Map<String, Object> _ = call(mayResume ? "session/resume" : "session/load", place);
      return true;
    } catch (RpcException e) {
      if (e.code == AUTH_REQUIRED) {
        throw e;
      }
      return false;
    } finally {
      isReplayed = false;
      toolCalls.clear();
    }
  }

  private Outcome ended(Map<String, Object> response) throws ActionRefusedException {
    Map<String, Object> told = JsonText.map(response, "usage");
    SessionUsage all =
        new SessionUsage(
            1,
            calls,
            SessionUsage.Tokens.OF_RUN,
            JsonText.whole(told, "inputTokens", 0),
            JsonText.whole(told, "outputTokens", 0),
            usage.cost(),
            usage.currency());
    if (asked != null) {
      return new Outcome.Asks(asked, all);
    }
    String reason = JsonText.text(response, "stopReason");
    String refused = String.join("\n", unanswerable);
    if (reason.equals("cancelled") && !refused.isEmpty()) {
      throw new ActionRefusedException(ActionRefusedException.FORBIDDEN, refused);
    }
    String text = ((said.isEmpty() ? lastSaid : said.toString()).strip() + "\n" + refused).strip();
    return switch (reason) {
      case "end_turn" -> new Outcome.Done(text, all);
      case "max_tokens", "max_turn_requests" ->
          new Outcome.Done(text + "\n(The coding agent stopped here: " + reason + ".)", all);
      case "refusal" ->
          throw new ActionRefusedException(
              ActionRefusedException.UNREADABLE, "The coding agent refused to go on. " + text);
      default ->
          throw new ActionRefusedException(
              ActionRefusedException.FAILED, "The coding agent stopped: " + reason + ".");
    };
  }

  /** Sends a request and serves the agent until it is answered. */
  private Map<String, Object> call(String method, Map<String, Object> parameters)
      throws RpcException, ActionRefusedException, InterruptedException {
    long id = ++ids;
    process.write(Map.of("jsonrpc", "2.0", "id", id, "method", method, "params", parameters));
    while (true) {
      Optional<Map<String, Object>> next = process.next(run.watcher()::waits);
      if (next.isEmpty()) {
        if (asked != null) {
          return Map.of(); // it has ended its turn without a word
        }
        throw process.ended();
      }
      Map<String, Object> message = next.get();
      String asksFor = JsonText.text(message, "method");
      if (!asksFor.isEmpty()) {
        serve(asksFor, message);
      } else if (JsonText.whole(message, "id", -1) == id) {
        Map<String, Object> error = JsonText.map(message, "error");
        if (!error.isEmpty()) {
          throw new RpcException(JsonText.whole(error, "code", 0), JsonText.text(error, "message"));
        }
        return JsonText.map(message, "result");
      }
    }
  }

  private void serve(String method, Map<String, Object> message) {
    Map<String, Object> parameters = JsonText.map(message, "params");
    Object id = message.get("id");
    if (id == null) {
      if (method.equals("session/update")) {
        hear(JsonText.map(parameters, "update"));
      }
    } else if (method.equals("session/request_permission")) {
      respond(id, "result", Map.of("outcome", permission(parameters)));
    } else {
      respond(
          id, "error", Map.of("code", METHOD_NOT_FOUND, "message", "Method not found: " + method));
    }
  }

  private void respond(Object id, String member, Map<String, Object> value) {
    process.write(Map.of("jsonrpc", "2.0", "id", id, member, value));
  }

  private void hear(Map<String, Object> update) {
    if (isReplayed) {
      return; // what was said in earlier runs
    }
    switch (JsonText.text(update, "sessionUpdate")) {
      case "agent_message_chunk" ->
          said.append(JsonText.text(JsonText.map(update, "content"), "text"));
      case "tool_call" -> {
        calls++;
        if (!said.isEmpty()) {
          lastSaid = said.toString().strip();
          said.setLength(0);
        }
        note(update);
      }
      case "tool_call_update" -> note(update);
      case "plan" ->
          JsonText.maps(update, "entries").stream()
              .filter(entry -> JsonText.text(entry, "status").equals("in_progress"))
              .findFirst()
              .ifPresent(entry -> run.watcher().does(JsonText.text(entry, "content")));
      case "usage_update" -> {
        Map<String, Object> cost = JsonText.map(update, "cost");
        if (!cost.isEmpty()) {
          usage =
              new SessionUsage(
                  0,
                  0,
                  SessionUsage.Tokens.OF_RUN,
                  0,
                  0,
                  JsonText.number(cost, "amount", 0),
                  JsonText.text(cost, "currency"));
        }
      }
      default -> run.watcher().waits();
    }
  }

  /** Keeps what is known of a tool call. */
  private Map<String, Object> note(Map<String, Object> update) {
    Map<String, Object> known =
        toolCalls.computeIfAbsent(JsonText.text(update, "toolCallId"), _ -> new LinkedHashMap<>());
    String before = JsonText.text(known, "title");
    update.forEach(
        (name, value) -> {
          if (value != JsonText.NULL) {
            known.put(name, value);
          }
        });
    String title = JsonText.text(known, "title");
    if (!title.isEmpty() && !title.equals(before)) {
      run.watcher().does(title);
    }
    return known;
  }

  private Map<String, Object> permission(Map<String, Object> parameters) {
    PermissionRequest request = request(parameters);
    Optional<Map<String, Object>> yes = once(parameters, "allow_once");
    Optional<Map<String, Object>> no = once(parameters, "reject_once");
    Permissions.Verdict verdict =
        asked == null ? run.permissions().verdict(request) : Permissions.Verdict.UNKNOWN;
    return switch (verdict) {
      case ALLOWED -> yes.orElse(CANCELLED);
      case REJECTED -> {
        if (no.isEmpty()) {
          cannotAnswer(
              "A person has rejected this, but the coding agent offers no way to reject it once",
              request);
        }
        yield no.orElse(CANCELLED);
      }
      case UNKNOWN -> {
        if (asked == null && yes.isEmpty()) {
          cannotAnswer(
              "Refused without asking anybody, as the coding agent offers no way to allow it once",
              request);
          yield no.orElse(CANCELLED);
        }
        if (asked == null) {
          asked = request;
          process.stops();
          process.write(
              Map.of(
                  "jsonrpc",
                  "2.0",
                  "method",
                  "session/cancel",
                  "params",
                  Map.of("sessionId", session)));
        }
        yield CANCELLED;
      }
    };
  }

  private void cannotAnswer(String why, PermissionRequest request) {
    String sentence = "(%s: %s)".formatted(why, PermissionQuestion.title(request));
    if (unanswerable.size() < UNANSWERABLE_MAX) {
      unanswerable.add(sentence);
    }
    run.watcher().does(sentence);
  }

  /** A person answers this one request: what holds for further ones is never selected. */
  private static Optional<Map<String, Object>> once(Map<String, Object> parameters, String kind) {
    return JsonText.maps(parameters, "options").stream()
        .filter(option -> JsonText.text(option, "kind").equals(kind))
        .findFirst()
        .map(
            option -> Map.of("outcome", "selected", "optionId", JsonText.text(option, "optionId")));
  }

  /**
   * All that was sent, but for what differs each time: the ids, and those of a trace. What the
   * request leaves out is taken from what was told of the tool call before.
   */
  private PermissionRequest request(Map<String, Object> parameters) {
    Map<String, Object> call = new LinkedHashMap<>(JsonText.map(parameters, "toolCall"));
    Map<String, Object> known = note(call);
    Map<String, Object> exact = new LinkedHashMap<>();
    for (String name : SHOWN_FIRST) {
      Object value = known.get(name);
      if (value != null) {
        exact.put(name, value);
      }
    }
    call.keySet().removeAll(SHOWN_FIRST);
    call.remove("toolCallId");
    addOthers(call, exact, "toolCall.");
    Map<String, Object> more = new LinkedHashMap<>(parameters);
    more.keySet().removeAll(List.of("sessionId", "toolCall", "options"));
    addOthers(more, exact, "params.");
    exact.put(
        "options",
        JsonText.maps(parameters, "options").stream()
            .map(option -> JsonText.text(option, "kind") + ": " + JsonText.text(option, "name"))
            .toList());
    String kind = JsonText.text(known, "kind");
    String title = JsonText.text(known, "title");
    return PermissionRequest.of(kind, title.isEmpty() ? kind : title, exact);
  }

  private static void addOthers(
      Map<String, Object> from, Map<String, Object> exact, String prefix) {
    Map<String, Object> meta = JsonText.map(from, "_meta");
    if (!meta.isEmpty()) {
      meta.keySet().removeAll(TRACE);
      from.put("_meta", meta.isEmpty() ? JsonText.NULL : meta);
    }
    from.forEach(
        (name, value) -> {
          if (value != JsonText.NULL) {
            exact.put(prefix + name, value);
          }
        });
  }
}
