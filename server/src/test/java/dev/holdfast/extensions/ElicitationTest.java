package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ToolResult;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import dev.holdfast.tools.forms.FormAsker;
import dev.holdfast.tools.forms.FormReply;
import dev.holdfast.tools.forms.PersonForm;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that ask a person something in the middle of a call. */
@Timeout(60)
class ElicitationTest extends ExtensionCase {
  private static final String FORM =
      "{\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":"
          + "{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}";

  private final Person person = new Person();

  /** Who is asked. */
  private static final class Person implements FormAsker {
    final List<PersonForm> asked = new CopyOnWriteArrayList<>();
    final CompletableFuture<FormReply> reply = new CompletableFuture<>();
    final CountDownLatch begun = new CountDownLatch(1);

    @Override
    public void doing(String label) {}

    @Override
    public FormReply ask(PersonForm form, Duration limit, CompletableFuture<?> moot)
        throws InterruptedException {
      asked.add(form);
      begun.countDown();
      try {
        return CompletableFuture.anyOf(
                        reply, moot.handle((_, _) -> new FormReply.Declined("no longer wanted")))
                    .get()
                instanceof FormReply came
            ? came
            : new FormReply.Declined("");
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      }
    }

    void answers(String name) {
      reply.complete(new FormReply.Accepted(new JsonObject().put("name", name)));
    }
  }

  private ToolResult call(String tool, String arguments) throws InterruptedException {
    return rig.callFor("ann", tool, arguments, person);
  }

  private static FailureCode code(ToolResult result) {
    Failure failure = Objects.requireNonNull(result.failure(), result.text());
    return failure.code();
  }

  private String answered() throws IOException {
    Path file = rig.folder.resolve("demo/files/answered");
    return Files.exists(file) ? Files.readString(file) : "";
  }

  @Test
  void theAnswerOfThePersonGoesToTheServer() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    person.answers("Ann");
    assertThat(call("demo_form", FORM).text())
        .isEqualTo("{\"action\": \"accept\", \"content\": {\"name\": \"Ann\"}}");
    assertThat(person.asked)
        .singleElement()
        .extracting(PersonForm::source)
        .isEqualTo("extension demo");
  }

  @Test
  void inTheNewerEraTheCallIsMadeAgainWithTheAnswerAndTheServersState() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms", "modern"));
    person.answers("Ann");
    assertThat(call("demo_form", FORM).text())
        .startsWith(
            "[{\"first\": {\"action\": \"accept\", \"content\": {\"name\": \"Ann\"}}}, \"state of"
                + " ");
    assertThat(call("demo_form_twice", FORM).text()).contains("\"first\"", "\"second\"");
    assertThat(person.asked).hasSize(3);
  }

  @Test
  void whatIsAskedWithoutAnEndFailsTheCallAndNotTheServer() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms", "modern"));
    assertThat(code(call("demo_endless", "{}"))).isEqualTo(FailureCode.ACTION_NOT_SUPPORTED);
    assertThat(call("demo_echo", "{}").isError()).isFalse();
  }

  @Test
  void whatIsNoFormIsRefusedInBothEras() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    assertThat(call("demo_form", "{\"mode\":\"url\",\"url\":\"https://example.org\"}").text())
        .contains("-32602");
    rig.serve(ExtensionRig.server("newer", "forms", "modern"));
    assertThat(code(call("newer_form", "{\"method\":\"sampling/createMessage\"}")))
        .isEqualTo(FailureCode.ACTION_NOT_SUPPORTED);
    assertThat(person.asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "modern"})
  void aSecretIsDeclinedAndTheModelIsToldWhy(String flag) throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms", flag));
    String secret = FORM.replace("\"name\"", "\"password\"");
    ToolResult result = call("demo_form", secret);
    assertThat(result.text())
        .contains("\"action\": \"decline\"")
        .endsWith(
            "[The extension demo asked a person something. Declined: secrets are not asked for in a"
                + " chat.]");
    assertThat(person.asked).isEmpty();
  }

  @Test
  void whereNobodyCanBeAskedItIsDeclined() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    assertThat(rig.call("demo_form", FORM).text())
        .contains("decline", "Declined: nobody can be asked.");
  }

  /** A call limit of a second, and a person who takes longer. */
  @ParameterizedTest
  @ValueSource(strings = {"first", "modern"})
  void theTimeThatAPersonTakesDoesNotCount(String flag) throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of("forms", flag), "  timeouts: {call_secs: 1}\n"));
    CompletableFuture<FormReply> _ =
        person.reply.completeOnTimeout(
            new FormReply.Accepted(new JsonObject().put("name", "Ann")),
            1500,
            java.util.concurrent.TimeUnit.MILLISECONDS);
    assertThat(call("demo_form", FORM).isError()).isFalse();
    assertThat(code(call("demo_hang", "{}"))).isEqualTo(FailureCode.TIMEOUT);
  }

  /** Of 35 s, the limit of the call and what a connection has beyond it. */
  @Test
  void aConnectionStaysOpenWhileAPersonIsAsked() throws Exception {
    ManualTime time = new ManualTime();
    McpInputs slow =
        new McpInputs() {
          @Override
          public Object person() {
            return "ann";
          }

          @Override
          public Optional<JsonObject> elicit(JsonObject asked, CompletableFuture<?> moot) {
            time.advance(Duration.ofMinutes(4));
            return Optional.of(McpInputs.declined());
          }
        };
    Vertx vertx = Vertx.vertx();
    try (RemoteServer far = new RemoteServer("no-stream");
        HttpCaller http = HttpCaller.create(vertx, time)) {
      RemoteConfig remote =
          ExtensionRig.parsed(far.entry("demo", "")).getFirst().remote().orElseThrow();
      try (McpSession session =
          new McpSession(
              "demo",
              new HttpTransport(new McpEndpoint(http, remote), 1_000_000, time),
              text -> text,
              () -> {})) {
        session.start();
        McpClient client = McpClient.connect(session, Duration.ofSeconds(30));
        JsonObject result =
            client.call("form", new JsonObject(FORM), "key", Duration.ofSeconds(30), _ -> {}, slow);
        assertThat(result.encode()).contains("decline");
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get();
    }
  }

  @Test
  void aStoppedTurnCancelsTheQuestion() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    Thread turn =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    call("demo_form", FORM);
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                  }
                });
    person.begun.await();
    turn.interrupt();
    turn.join();
    TimedWait.until("told", () -> answeredQuietly().contains("\"action\": \"cancel\""));
    assertThat(call("demo_echo", "{}").isError()).isFalse();
  }

  private String answeredQuietly() {
    try {
      return answered();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aServerThatDiesWhileAPersonIsAskedFailsItsCallAtOnce() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    Thread end =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    person.begun.await();
                    Files.createFile(rig.folder.resolve("demo/files/die-now"));
                  } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
    assertThat(code(call("demo_form_and_die", FORM))).isEqualTo(FailureCode.BACKEND_FAILURE);
    end.join();
    assertThat(person.asked).hasSize(1);
  }

  @Test
  void aQuestionThatIsTakenBackEndsAndIsNotAnswered() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    assertThat(call("demo_form_withdrawn", FORM).text()).startsWith("never mind");
    assertThat(call("demo_echo", "{}").isError()).isFalse();
    assertThat(answered()).isEmpty();
  }

  @Test
  void aCallThatEndsDoesNotWaitForItsQuestion() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    assertThat(call("demo_form_and_answer", FORM).isError()).isFalse();
    assertThat(call("demo_echo", "{}").isError()).isFalse();
  }

  @Test
  void aFloodOfQuestionsIsDeclinedAndAsksAPersonOnceAtMost() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    assertThat(call("demo_form_flood", FORM).isError()).isFalse();
    assertThat(person.asked.size()).isLessThanOrEqualTo(1);
    assertThat(call("demo_echo", "{}").isError()).isFalse();
    TimedWait.until("all are answered", () -> answeredQuietly().lines().count() == 301);
    assertThat(answeredQuietly()).doesNotContain("accept");
    person.answers("Ann");
    assertThat(call("demo_form", FORM).text()).contains("Ann");
  }

  @Test
  void whileAPersonIsAskedAnotherCallIsTheTrialOfTheBreaker() throws Exception {
    String id = ExtensionRig.TRIED_SOON;
    rig.serve(ExtensionRig.server(id, "forms"));
    String breaker = ExtensionCalls.guardName(id);
    rig.guards.guard(breaker).breaker().trip();
    TimedWait.until("half open", () -> rig.guards.guard(breaker).opensIn().isZero());
    Thread asking =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    call(id + "_form", FORM);
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                  }
                });
    person.begun.await();
    assertThat(rig.call(id + "_echo").isError()).isFalse();
    person.answers("Ann");
    asking.join();
  }

  /** The server does not say for whom it asks. */
  @Test
  void whileItWorksForSeveralPeopleNoneOfThemIsAsked() throws Exception {
    rig.serve(ExtensionRig.server("demo", "forms"));
    Thread other =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    rig.callFor("bob", "demo_hang", "{}", new Person());
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                  }
                });
    TimedWait.until(
        "it works for Bob", () -> Files.exists(rig.folder.resolve("demo/files/hanging")));
    assertThat(call("demo_form", FORM).text()).isEqualTo("{\"action\": \"decline\"}");
    assertThat(person.asked).isEmpty();
    other.interrupt();
    other.join();
    person.answers("Ann");
    String said = "";
    while (!said.contains("Ann")) { // Bob's call is over for the child a little later
      said = call("demo_form", FORM).text();
    }
  }

  @Test
  void oneCallAsksAFewFormsOnly() throws Exception {
    PersonInputs inputs =
        new PersonInputs(
            "demo",
            new dev.holdfast.api.ToolContext("t", "e", "ann", "c", "k", temporary, person),
            new ManualTime());
    person.answers("Ann");
    for (int i = 0; i < PersonInputs.FORMS_MAX + 3; i++) {
      assertThat(inputs.elicit(new JsonObject(FORM), new CompletableFuture<>())).isPresent();
    }
    assertThat(person.asked).hasSize(PersonInputs.FORMS_MAX);
    assertThat(inputs.noted(ToolResult.ok("done"), false).text())
        .contains("one call may not ask for more");
    assertThat(inputs.noted(ToolResult.ok("{}"), true).text()).isEqualTo("{}");
  }
}
