package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.config.Secrets;
import dev.holdfast.ingress.login.ThreadAccess;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.time.SystemTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Approvals, audit and executions over the API, on a real store. */
class OperatorCallsTest {
  private static final Caller OPERATOR = new Caller("main", Scope.ADMIN, false);
  private static final Caller ANN = new Caller("ann", Scope.CHAT, false);
  private static final Caller BOB = new Caller("bob", Scope.CHAT, false);

  @TempDir Path folder;
  private final SystemTime time = new SystemTime(); // agents run behind it
  private final News news = new News(100, Runnable::run);
  private final List<NewsItem> told = new ArrayList<>();
  private final FakeExecutions executions = new FakeExecutions();
  private final Secrets secrets = new Secrets();
  @AutoClose private Store store;

  /** What finished calls changed, as the test says. */
  private static final class FakeExecutions implements ExecutionCalls {
    private Outcome next = new Outcome.Unknown();
    private final List<String> asked = new ArrayList<>();

    @Override
    public Outcome rollback(String id, String actor, boolean force) {
      asked.add(id + " by " + actor + (force ? " by force" : ""));
      return next;
    }
  }

  @BeforeEach
  void open() throws Exception {
    store = TestStore.open(folder, time, new SimpleMeterRegistry());
    news.watch(told::add, () -> {});
    store.threadOwners().claim("web:main:t", "ann", true);
  }

  private JsonObject call(String operation, Caller caller, String id, JsonObject body)
      throws Exception {
    ApprovalDecisions decisions =
        new ApprovalDecisions() {
          @Override
          public Optional<Approval> find(String approval) {
            return store.approvals().find(approval);
          }

          @Override
          public boolean decide(String approval, boolean yes, String by) throws StoreException {
            return store.approvals().decide(approval, yes, by, time.now());
          }
        };
    ThreadAccess access = new ThreadAccess(store.threadOwners());
    Map<String, ApiCall> calls = new java.util.HashMap<>();
    calls.putAll(new ApprovalCalls(store, decisions, access, time).calls());
    calls.putAll(new AuditCalls(store.audit(), executions, access, news).calls());
    calls.putAll(new EventCalls(store, access, secrets).calls());
    AnswerBudget.Booking memory = AnswerBudget.ofHeap(time).open(caller.name());
    ApiRequest request =
        new ApiRequest(caller, "c", "", Map.of("id", id), Map.of(), body, new byte[0], memory);
    return Objects.requireNonNull(calls.get(operation)).run(request).body();
  }

  private JsonObject call(String operation, Caller caller, String id) throws Exception {
    return call(operation, caller, id, new JsonObject());
  }

  private void refused(int status, String operation, Caller caller, String id) {
    assertThatThrownBy(() -> call(operation, caller, id))
        .isInstanceOfSatisfying(
            RefusedRequestException.class, e -> assertThat(e.status()).isEqualTo(status));
  }

  @Test
  void anEventWhoseRowIsDamagedIsToldAsDamagedToThoseWhoMaySeeIt() throws Exception {
    Event event = store.inbox().append(TestStore.event("t", "k")).join().event();
    store.inbox().finish(TestStore.finish(event, EventState.ANSWERED));
    TestStore.sql(folder, "update events set crc = crc + 1 where seq = 1");
    for (String id : List.of(event.id(), "k")) {
      JsonObject said = call("getEvent", OPERATOR, id);
      assertThat(said.getString("state")).isEqualTo("damaged");
      assertThat(said.getString("text")).isEmpty();
      assertThat(said.getString("reason")).contains("damaged on disk", "answered");
    }
    TestStore.await(() -> store.damagedRows() == 1);
    assertThat(call("getEvent", OPERATOR, event.id()).getString("reason")).contains(" at 2");
    refused(404, "getEvent", BOB, event.id());
    refused(404, "getEvent", OPERATOR, "nothing");
  }

  @Test
  void aSecretThatAChannelGaveAsTheIdOfAPostIsNotShown() throws Exception {
    String payload =
        InboundPayload.write(new InboundMessage("ci", "t", "ann", "hello", List.of(), "k"));
    Event event = store.inbox().append(TestStore.event("t", "k", payload)).join().event();
    store
        .inbox()
        .finish(TestStore.finish(event, EventState.ANSWERED, TestStore.reply(event, "1", false)));
    long seq = store.outbox().ofEvent(event.id()).getFirst().seq();
    store.outbox().sending(seq, false);
    store.outbox().sent(seq, "post of top-secret-token");
    secrets.add("top-secret-token");
    String said = call("getEvent", OPERATOR, event.id()).encode();
    assertThat(said).contains("post of ***").doesNotContain("top-secret");
  }

  private String ask(String id, String thread, String person, Duration left) throws Exception {
    Instant now = time.now();
    store
        .approvals()
        .ask(
            new Approval(
                id,
                "7F3KX",
                "e-" + id,
                thread,
                "e-" + id + ".1.1",
                "shell",
                "00",
                "shell: ls",
                person,
                Approval.State.WAITING,
                now,
                now.plus(left),
                "",
                "{\"command\":\"ls\"}"));
    return id;
  }

  @Test
  void onlyTheWaitingOnesAreListedAndWhatExpiredIsSaidToBe() throws Exception {
    ask("a", "web:main:t", "ann", Duration.ofMinutes(10));
    ask("b", "web:main:t", "ann", Duration.ofMillis(-1));
    var waiting = call("listApprovals", OPERATOR, "").getJsonArray("approvals");
    assertThat(waiting).hasSize(1);
    JsonObject first = waiting.getJsonObject(0);
    assertThat(first.getString("id")).isEqualTo("a");
    assertThat(first.getString("arguments")).isEqualTo("{\"command\":\"ls\"}");
    assertThat(first.getString("person")).isEqualTo("ann");
    refused(409, "approve", OPERATOR, "b");
    assertThatThrownBy(() -> call("approve", OPERATOR, "b")).hasMessageContaining("expired");
  }

  @Test
  void anotherPersonsTokenMayNotAnswerAndAnOperatorsMay() throws Exception {
    ask("a", "web:main:t", "ann", Duration.ofMinutes(10));
    refused(403, "approve", BOB, "a");
    refused(403, "deny", BOB, "a");
    assertThat(call("approve", ANN, "a").getString("decided_by")).isEqualTo("token:ann");
    ask("b", "web:main:t", "ann", Duration.ofMinutes(10));
    assertThat(call("deny", OPERATOR, "b").getString("state")).isEqualTo("denied");
  }

  @Test
  void aTokenOfThePersonsNameMeansNothingOnAnotherChannel() throws Exception {
    ask("a", "webhook:ci:t", "ann", Duration.ofMinutes(10));
    refused(404, "approve", ANN, "a");
  }

  @Test
  void whatIsAskedInAPrivateThreadIsNotThereForAnotherToken() throws Exception {
    store.threadOwners().share("web:main:t", false);
    ask("a", "web:main:t", "ann", Duration.ofMinutes(10));
    refused(404, "approve", BOB, "a");
    assertThat(call("listApprovals", BOB, "").getJsonArray("approvals")).isEmpty();
    assertThat(call("listApprovals", ANN, "").getJsonArray("approvals")).hasSize(1);
  }

  @Test
  void anAnswerCountsOnce() throws Exception {
    ask("a", "web:main:t", "ann", Duration.ofMinutes(10));
    call("deny", ANN, "a");
    refused(409, "approve", ANN, "a");
    refused(409, "approve", OPERATOR, "a");
    refused(404, "approve", OPERATOR, "nope");
    assertThat(store.audit().ofExecution("e-a.1.1"))
        .extracting(row -> row.entry().what())
        .containsExactly("approval.asked", "approval.denied");
  }

  @Test
  void howAQuestionEndedIsToldWithIt() throws Exception {
    String id = ask("a", "web:main:t", "ann", Duration.ofMinutes(10));
    JsonObject waits =
        call("listApprovals", OPERATOR, "").getJsonArray("approvals").getJsonObject(0);
    assertThat(waits.getString("decided_at")).isEmpty();
    assertThat(waits.getString("result")).isEmpty();
    Instant before = time.now().truncatedTo(ChronoUnit.MILLIS);
    JsonObject granted = call("approve", ANN, id);
    assertThat(Instant.parse(granted.getString("decided_at"))).isBetween(before, time.now());
    assertThat(granted.getString("result")).isEmpty();
    assertThat(store.approvals().use("e-a.1.1", "00")).isTrue();
    tool("tool.started", "{\"execution\":\"e-a.1.1\"}");
    assertThat(used().getString("result")).isEqualTo("running");
    tool("tool.ended", "{\"execution\":\"other\",\"error\":true}");
    tool("tool.ended", "{\"execution\":\"e-a.1.1\",\"error\":false}");
    assertThat(used().getString("result")).isEqualTo("done");
    ask("b", "web:main:t", "ann", Duration.ofMinutes(10));
    assertThat(call("deny", ANN, "b").getString("result")).isEqualTo("not_run");
  }

  private void tool(String what, String details) {
    store.stories().add(new StoryLine("e-a", time.now(), what, details));
  }

  private JsonObject used() throws Exception {
    store.audit().append(new AuditEntry("tool.change", "", "", "", "tool:w", "{}")); // behind them
    ApprovalOutcomes outcomes = new ApprovalOutcomes(store.audit(), store.stories());
    return outcomes.of(store.approvals().find("a").orElseThrow(), time.now());
  }

  @Test
  void theAuditIsListedAndVerified() throws Exception {
    store.audit().append(new AuditEntry("tool.change", "x", "e", "t", "tool:w", "{\"n\":1}"));
    JsonObject row = call("listAudit", OPERATOR, "").getJsonArray("entries").getJsonObject(0);
    assertThat(row.getJsonObject("details").getInteger("n")).isEqualTo(1);
    assertThat(call("verifyAudit", OPERATOR, ""))
        .isEqualTo(new JsonObject().put("whole", true).put("count", 1L));
  }

  @Test
  void aRollbackSaysClearlyHowItEnded() throws Exception {
    store.audit().append(new AuditEntry("tool.change", "x", "e", "web:main:t", "tool:w", "{}"));
    refused(404, "rollBackExecution", OPERATOR, "x");
    executions.next = new ExecutionCalls.Outcome.AlreadyUndone();
    refused(409, "rollBackExecution", OPERATOR, "x");
    executions.next = new ExecutionCalls.Outcome.Conflict("a.txt", "it was changed since");
    assertThatThrownBy(() -> call("rollBackExecution", OPERATOR, "x"))
        .hasMessageContaining("a.txt: it was changed since");
    executions.next = new ExecutionCalls.Outcome.Undone(2);
    JsonObject done = call("rollBackExecution", OPERATOR, "x", new JsonObject().put("force", true));
    assertThat(done.getInteger("files")).isEqualTo(2);
    assertThat(executions.asked.getLast()).isEqualTo("x by token:main by force");
    assertThat(told.getLast().kind()).isEqualTo("execution.rolled_back");
    assertThat(told.getLast().threadId()).isEqualTo("web:main:t");
  }

  @Test
  void anExecutionIsToldFromTheAudit() throws Exception {
    refused(404, "getExecution", OPERATOR, "x");
    String change = "{\"changes\":[{\"path\":\"a.txt\",\"before\":\"\",\"after\":\"00\"}]}";
    store.audit().append(new AuditEntry("tool.change", "x", "e", "web:main:t", "tool:w", change));
    JsonObject known = call("getExecution", OPERATOR, "x");
    assertThat(known.getString("event_id")).isEqualTo("e");
    assertThat(known.getJsonArray("changes").getJsonObject(0).getString("path")).isEqualTo("a.txt");
    assertThat(known.getBoolean("rolled_back")).isFalse();
    store.audit().append(new AuditEntry("tool.rolled_back", "x", "e", "", "token:main", "{}"));
    assertThat(call("getExecution", OPERATOR, "x").getBoolean("rolled_back")).isTrue();
  }
}
