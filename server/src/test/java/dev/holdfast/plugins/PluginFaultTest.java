package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.channels.Channel;
import dev.holdfast.registry.Use;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a plugin says and returns that it should not. */
class PluginFaultTest extends PluginHostCase {
  private static final OutboundReply REPLY =
      new OutboundReply("r1", "e1", "main", "t", "m1", "hello", 1, 1, false);

  private PluginJars jar() {
    return PluginJars.of(folder, "evil", "1.0.0");
  }

  /** Starts a plugin with a channel whose methods have these bodies. */
  private void startChannel(String post, String receive) throws Exception {
    jar()
        .with("Holdfast-Secret-Env", "EVIL_KEY")
        .doing(
            """
            key = context.secret("EVIL_KEY").orElse("none");
            context.offer(new ChannelAdapter() {
              public String channel() { return "chat"; }
              public Set<String> accounts() { return Set.of("main"); }
              public WebhookVerdict receive(WebhookRequest request) { %s }
              public int textUnitsMax() { return 1000; }
              public PostOutcome post(OutboundReply reply) { %s }
            });
            """
                .formatted(receive, post),
            "static String key;")
        .into(rig.plugins(), "evil.jar");
    rig.awaitState("evil", PluginState.READY);
  }

  private PostOutcome post() throws InterruptedException {
    try (Use<Channel> use = rig.channels().begin("chat").orElseThrow()) {
      return use.value().post(REPLY);
    }
  }

  private WebhookVerdict receive() throws InterruptedException {
    WebhookRequest request =
        new WebhookRequest("POST", "main", Map.of(), Map.of(), new byte[0], rig.now());
    try (Use<Channel> use = rig.channels().begin("chat").orElseThrow()) {
      return use.value().receive(request);
    }
  }

  @Test
  void onePluginThatRunsOutOfMemoryIsParkedAtOnceAndTheServerGoesOn() throws Exception {
    jar()
        .doing(
            "context.offer(tool(\"fill\", () -> { throw new OutOfMemoryError(\"Java heap space\"); }));",
            "")
        .into(rig.plugins(), "evil.jar");
    rig.awaitState("evil", PluginState.READY);
    assertThat(rig.call("fill")).contains("OutOfMemoryError");
    rig.awaitState("evil", PluginState.PARKED);
    assertThat(rig.view("evil").reason()).contains("it ran out of memory in fill");
  }

  @Test
  void anOutOfMemoryErrorInEveryPlaceOfAThrowableEndsNothing() throws Exception {
    jar()
        .doing(
            """
            throw new Exception() {
              public String getMessage() { throw new OutOfMemoryError(); }
              public StackTraceElement[] getStackTrace() { throw new OutOfMemoryError(); }
              public synchronized Throwable getCause() { throw new OutOfMemoryError(); }
            };
            """,
            "")
        .into(rig.plugins(), "evil.jar");
    rig.awaitState("evil", PluginState.FAILED);
    assertThat(rig.view("evil").reason()).contains("it could not be started: start threw");
  }

  @Test
  void aPluginWhoseStartTakesTheServerDownTwiceIsNotStartedAThirdTime() throws Exception {
    Path mark = rig.data().resolve("plugin-starts/evil");
    jar()
        .doing(
            """
            java.nio.file.Files.copy(
                context.stateFolder().resolve("../../plugin-starts/evil"),
                context.stateFolder().resolve("left-behind"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            """,
            "")
        .into(rig.plugins(), "evil.jar");
    for (int start = 1; start <= StartMarks.DOWN_MAX; start++) {
      rig.awaitState("evil", PluginState.READY);
      assertThat(mark).doesNotExist();
      rig.restart(() -> Files.copy(rig.data().resolve("plugin-state/evil/left-behind"), mark));
    }
    rig.awaitState("evil", PluginState.PARKED);
    assertThat(rig.view("evil").reason()).contains("went down 5 times in a row");
    assertThat(rig.incidents.reported)
        .singleElement()
        .satisfies(told -> assertThat(told.summary()).isEqualTo("The plugin evil was stopped."));
    rig.incidents.recovered.clear();
    assertThat(rig.host().enable("evil", true)).isTrue();
    assertThat(rig.view("evil").state()).isEqualTo(PluginState.READY);
    assertThat(rig.incidents.recovered).contains("plugin_down evil");
  }

  @Test
  void aSecretInWhatAStartThrowsIsNotShown() throws Exception {
    Files.writeString(rig.envFile(), "EVIL_KEY=top-secret-token\n");
    jar()
        .with("Holdfast-Secret-Env", "EVIL_KEY")
        .doing(
            "throw new IllegalStateException(\"x\".repeat(270) + context.secret(\"EVIL_KEY\").get());",
            "")
        .into(rig.plugins(), "evil.jar");
    rig.awaitState("evil", PluginState.FAILED);
    assertThat(rig.view("evil").reason()).contains("IllegalStateException: xxx").contains("***");
    assertThat(rig.host().conditions().toString()).doesNotContain("top-sec");
  }

  @Test
  void aSecretOfTheConfigurationIsHiddenFromItsFirstReadingOn() throws Exception {
    rig.configure("plugins:\n  evil:\n    key: top-secret-token\n");
    jar()
        .doing("throw new IllegalStateException(\"bad \" + context.config().secret(\"key\"));", "")
        .into(rig.plugins(), "evil.jar");
    rig.awaitState("evil", PluginState.FAILED);
    assertThat(rig.view("evil").reason()).contains("bad ***");
  }

  @Test
  void aSecretInWhatAToolSaysIsNotShown() throws Exception {
    Files.writeString(rig.envFile(), "EVIL_KEY=top-secret-token\n");
    jar()
        .with("Holdfast-Secret-Env", "EVIL_KEY")
        .doing(
            """
            String key = context.secret("EVIL_KEY").get();
            context.offer(new Tool() {
              public ToolSpec spec() {
                return new ToolSpec("tell", "Knows " + key, "{\\"type\\":\\"object\\"}");
              }
              public String label(String arguments) { return "uses " + key; }
              public ToolResult run(String arguments, ToolContext context) {
                Failure failure = Failure.of(FailureCode.AUTH, "bad " + key);
                return ToolResult.error(failure.withContext(Map.of("key", key)))
                    .withFacts(Map.of("fact", key));
              }
            });
            """,
            "")
        .into(rig.plugins(), "evil.jar");
    rig.awaitState("evil", PluginState.READY);
    String said = rig.toolbox().specs() + rig.label("tell") + rig.result("tell");
    assertThat(said).contains("Knows ***", "uses ***", "bad ***", "fact=***", "key=***");
    assertThat(said).doesNotContain("top-secret");
  }

  @Test
  void aSecretInWhatAChannelSaysIsNotShownAndTheIdOfAPostStaysAsItIs() throws Exception {
    Files.writeString(rig.envFile(), "EVIL_KEY=top-secret-token\n");
    startChannel(
        "return reply.part() == 1 ? new PostOutcome.Unknown(Failure.of(FailureCode.IO, key))"
            + " : new PostOutcome.Sent(key);",
        "return new WebhookVerdict.UnknownType(key, List.of(key));");
    assertThat(post())
        .isInstanceOfSatisfying(
            PostOutcome.Unknown.class,
            unknown -> assertThat(unknown.failure().message()).isEqualTo("***"));
    assertThat(receive()).isEqualTo(new WebhookVerdict.UnknownType("***", List.of("***")));
    OutboundReply second = new OutboundReply("r2", "e1", "main", "t", "m1", "x", 2, 2, false);
    try (Use<Channel> use = rig.channels().begin("chat").orElseThrow()) {
      assertThat(use.value().post(second)).isEqualTo(new PostOutcome.Sent("top-secret-token"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "return new PostOutcome.Sent(null);",
        "return new PostOutcome.Unknown(null);",
        "return new PostOutcome.NotDelivered(null);",
        "return new PostOutcome.Sent(\"x\".repeat(2001));",
        "return null;"
      })
  void anOutcomeThatIsNoneIsThePluginsFaultAndNobodyKnowsWhatBecameOfThePost(String post)
      throws Exception {
    startChannel(post, "return null;");
    assertThat(post())
        .isInstanceOfSatisfying(
            PostOutcome.Unknown.class,
            unknown -> {
              assertThat(unknown.failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
              assertThat(unknown.failure().message()).startsWith("the channel failed: post ");
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "return new WebhookVerdict.Answer(-1, \"text/plain\", \"\");",
        "return new WebhookVerdict.Answer(100, \"text/plain\", \"\");",
        "return new WebhookVerdict.Answer(999, \"text/plain\", \"\");",
        "return new WebhookVerdict.Answer(204, \"text/plain\", \"x\");",
        "return new WebhookVerdict.Answer(200, \"text/plain\\r\\nx: y\", \"\");",
        "return new WebhookVerdict.Answer(200, null, \"\");",
        "return new WebhookVerdict.Answer(200, \"text/plain\", null);",
        "return new WebhookVerdict.Answer(200, \"text/plain\", \"x\".repeat(1_048_577));",
        "return new WebhookVerdict.Refused(null);",
        "return new WebhookVerdict.Messages(Collections.nCopies(1001,"
            + " new InboundMessage(\"main\", \"t\", \"s\", \"x\", List.of(), \"k\")));",
        "return new WebhookVerdict.Messages(List.of("
            + " new InboundMessage(\"other\", \"t\", \"s\", \"x\", List.of(), \"k\")));",
        "return new WebhookVerdict.Messages(List.of("
            + " new InboundMessage(\"main\", \"t\", null, \"x\", List.of(), \"k\")));",
        "return null;"
      })
  void aVerdictThatIsNoneIsThePluginsFault(String receive) throws Exception {
    startChannel("return null;", receive);
    assertThat(catchThrowable(this::receive))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("the channel failed: receive ");
  }

  @Test
  void anAnswerThatIsOneIsTaken() throws Exception {
    startChannel(
        "return null;",
        "return new WebhookVerdict.Answer(201, \"text/plain; charset=utf-8\", \"yes\");");
    assertThat(receive())
        .isEqualTo(new WebhookVerdict.Answer(201, "text/plain; charset=utf-8", "yes"));
  }

  @Test
  void aResultOrAMessageThatIsTooLargeIsThePluginsFault() throws Exception {
    jar()
        .doing(
            "context.offer(tool(\"fill\", () -> \"x\".repeat(10_485_761)));"
                + "context.offer(tool(\"shout\", () -> {"
                + " throw new IllegalStateException(\"x\".repeat(30_000_000)); }));",
            "")
        .into(rig.plugins(), "evil.jar");
    rig.awaitState("evil", PluginState.READY);
    assertThat(rig.call("fill"))
        .contains("the plugin evil failed", "10485761 UTF-16 units; at most 10485760 may be");
    assertThat(rig.call("shout")).contains("IllegalStateException: xxx").hasSizeLessThan(1000);
  }
}
