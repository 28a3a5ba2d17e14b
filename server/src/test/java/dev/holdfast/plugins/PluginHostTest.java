package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.channels.Channel;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.registry.Use;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluginHostTest extends PluginHostCase {
  private PluginJars jar(String version) {
    return PluginJars.of(folder, "hello", version);
  }

  @Test
  void aJarThatIsDroppedOffersItsToolAndOneThatIsRemovedTakesItAway() throws Exception {
    Path jar = jar("1.0.0").withTool("greet", "good day").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("greet")).isEqualTo("good day");
    Files.delete(jar);
    rig.await(() -> rig.host().plugins().isEmpty());
    assertThat(rig.call("greet")).contains("There is no tool called greet");
  }

  @Test
  void aNewerJarTakesThePlaceOfTheOldOneWithoutAGap() throws Exception {
    jar("1.0.0").withTool("greet", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    Thread.Builder.OfPlatform builder = Thread.ofPlatform();
    List<String> answers = new java.util.concurrent.CopyOnWriteArrayList<>();
    Thread caller =
        builder.start(
            () -> {
              try {
                while (!Thread.currentThread().isInterrupted()) {
                  answers.add(rig.call("greet"));
                }
              } catch (InterruptedException _) {
                return;
              }
            });
    jar("2.0.0").withTool("greet", "two").into(rig.plugins(), "hello.jar");
    rig.await(() -> answers.contains("two"));
    caller.interrupt();
    caller.join();
    assertThat(answers.stream().distinct()).containsExactly("one", "two");
    assertThat(rig.view("hello").version()).isEqualTo("2.0.0");
  }

  @Test
  void aNewerJarThatCannotStartLeavesTheOldOneAtWork() throws Exception {
    jar("1.0.0").withTool("greet", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    jar("2.0.0")
        .doing("throw new IllegalStateException(\"no such luck\");", "")
        .into(rig.plugins(), "hello.jar");
    rig.await(() -> rig.view("hello").reason().contains("no such luck"));
    assertThat(rig.call("greet")).isEqualTo("one");
    assertThat(rig.host().conditions())
        .extracting(ConditionReport::reason)
        .containsExactly("not_replaced");
  }

  @Test
  void aPluginLearnsWhatAStrangersAddressMayConnectTo() throws Exception {
    jar("1.0.0")
        .doing(
            """
            context.offer(tool("judge", () -> {
              try {
                return "" + context.http().judge("http://127.0.0.1:80/");
              } catch (CallFailedException | InterruptedException e) {
                return e.getMessage();
              }
            }));
            context.offer(tool("connect", () -> {
              try {
                return "" + context.http().judge("https://1.1.1.1/x");
              } catch (CallFailedException | InterruptedException e) {
                return e.getMessage();
              }
            }));\
            """,
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("judge")).contains("127.0.0.1 is not a public address");
    assertThat(rig.call("connect")).isEqualTo("/1.1.1.1:443");
  }

  @Test
  void aGateIsOpenedByAVariableAndClosedWithoutIt() throws Exception {
    jar("1.0.0")
        .with("Holdfast-Requires-Env", "HELLO_KEY|HELLO_TOKEN, HOME")
        .doing(
            "String key = context.secret(\"HELLO_TOKEN\").orElse(\"none\");"
                + " context.offer(tool(\"greet\", () -> key.length() + \" characters\"));",
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.GATED);
    assertThat(rig.view("hello").reason())
        .contains("HELLO_KEY or HELLO_TOKEN is missing")
        .contains("holdfast.env");
    assertThat(rig.call("greet")).contains("There is no tool");
    Files.writeString(rig.envFile(), "# keys\nHELLO_TOKEN='top-secret-token'\n");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("greet")).isEqualTo("16 characters");
    assertThat(rig.secrets().redact("it is top-secret-token")).doesNotContain("top-secret");
    Files.writeString(rig.envFile(), "HELLO_TOKEN=\n");
    rig.awaitState("hello", PluginState.GATED);
    assertThat(rig.call("greet")).contains("There is no tool");
  }

  @Test
  void aRequiredVariableThatStandsAmongTheOptionalOnesIsNoSecret() throws Exception {
    jar("1.0.0")
        .with("Holdfast-Requires-Env", "HELLO_PROGRAM")
        .with("Holdfast-Optional-Env", "HELLO_PROGRAM")
        .doing(
            "String program = context.secret(\"HELLO_PROGRAM\").orElse(\"none\");"
                + " context.offer(tool(\"greet\", () -> program));",
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.GATED);
    Files.writeString(rig.envFile(), "HELLO_PROGRAM=chromium\n");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("greet")).isEqualTo("chromium");
    assertThat(rig.secrets().redact("a chromium")).isEqualTo("a chromium");
  }

  @Test
  void aChangedJarOfTheSameVersionIsRefusedUntilItIsApproved() throws Exception {
    jar("1.0.0").withTool("greet", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    jar("1.0.0").withTool("greet", "forged").into(rig.plugins(), "hello.jar");
    rig.await(() -> rig.view("hello").reason().contains("was another jar"));
    assertThat(rig.call("greet")).isEqualTo("one");
    assertThat(rig.host().approve("hello")).isTrue();
    assertThat(rig.call("greet")).isEqualTo("forged");
  }

  @Test
  void aPluginThatIsSwitchedOffStaysOff() throws Exception {
    jar("1.0.0").withTool("greet", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.host().enable("hello", false)).isTrue();
    assertThat(rig.call("greet")).contains("There is no tool");
    rig.restart();
    rig.awaitState("hello", PluginState.DISABLED);
    assertThat(rig.host().enable("hello", true)).isTrue();
    assertThat(rig.call("greet")).isEqualTo("one");
    assertThat(rig.host().enable("nobody", true)).isFalse();
  }

  @Test
  void itsConfigurationIsReadAndItsProblemsAreToldWithTheirLine() throws Exception {
    rig.configure("plugins:\n  hello:\n    name: Ada\n    wrong: 1\n");
    jar("1.0.0")
        .doing(
            "String name = context.config().text(\"name\", \"you\");"
                + " context.offer(tool(\"greet\", () -> \"hello \" + name));",
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.FAILED);
    assertThat(rig.view("hello").reason()).contains("holdfast.yaml:4").contains("wrong");
    rig.configure("plugins:\n  hello:\n    name: Ada\n");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("greet")).isEqualTo("hello Ada");
    rig.configure("plugins:\n  hello:\n    name: Grace\n");
    rig.await(() -> rig.call("greet").equals("hello Grace"));
  }

  @Test
  void whatCannotBeAPluginIsRefusedWithTheReason() throws Exception {
    Files.writeString(rig.plugins().resolve("a-text.jar"), "this is no archive");
    PluginJars.of(folder, "hello", "1.0.0").withTool("a", "b").into(rig.plugins(), "b.jar");
    PluginJars.of(folder, "hello", "1.0.0").withTool("a", "b").into(rig.plugins(), "c.jar");
    PluginJars.of(folder, "Hello!", "1.0.0").into(rig.plugins(), "d.jar");
    PluginJars.of(folder, "later", "1.0.0").with("Holdfast-Api", "2").into(rig.plugins(), "e.jar");
    PluginJars.of(folder, "typo", "1.0.0")
        .with("Holdfast-Require-Env", "X")
        .into(rig.plugins(), "f.jar");
    PluginJars.of(folder, "needy", "1.0.0")
        .with("Plugin-Dependencies", "other")
        .into(rig.plugins(), "g.jar");
    Path open = PluginJars.of(folder, "open", "1.0.0").into(rig.plugins(), "h.jar");
    Files.setPosixFilePermissions(
        open, java.nio.file.attribute.PosixFilePermissions.fromString("rw-rw-rw-"));
    rig.awaitState("hello", PluginState.READY);
    rig.await(() -> rig.host().refusedFiles().size() == 7);
    assertThat(rig.host().refusedFiles().get("a-text.jar")).contains("not a whole jar");
    assertThat(rig.host().refusedFiles().get("c.jar")).contains("in b.jar already");
    assertThat(rig.host().refusedFiles().get("d.jar")).contains("Plugin-Id");
    assertThat(rig.host().refusedFiles().get("e.jar")).contains("version 2 of the plugin API");
    assertThat(rig.host().refusedFiles().get("f.jar")).contains("Holdfast-Requires-Env?");
    assertThat(rig.host().refusedFiles().get("g.jar")).contains("Plugin-Dependencies");
    assertThat(rig.host().refusedFiles().get("h.jar")).contains("chmod go-w");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "System.exit(3);",
        "Runtime.getRuntime().halt(3);",
        "List.of(3).forEach(System::exit);",
        "List.of(3).forEach(Runtime.getRuntime()::halt);",
        "java.util.function.BiConsumer<Runtime, Integer> halt = Runtime::halt;"
            + " halt.accept(Runtime.getRuntime(), 3);"
      })
  void anExitIsRefusedAndThePluginIsParkedUntilItIsSwitchedOn(String exit) throws Exception {
    jar("1.0.0")
        .doing("context.offer(tool(\"leave\", () -> { " + exit + " return \"x\"; }));", "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("leave")).contains("may not end the server");
    rig.awaitState("hello", PluginState.PARKED);
    assertThat(rig.view("hello").reason()).contains("tried to end the server with status 3");
    assertThat(rig.call("leave")).contains("There is no tool");
    assertThat(rig.host().enable("hello", true)).isTrue();
    assertThat(rig.view("hello").state()).isEqualTo(PluginState.READY);
  }

  @Test
  void onePluginThatThrowsAgainAndAgainIsParked() throws Exception {
    jar("1.0.0")
        .doing(
            "context.offer(tool(\"greet\", () -> { throw new StackOverflowError();"
                + " }));context.offer(tool(\"link\", () -> { throw new NoClassDefFoundError(\"x\");"
                + " }));",
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("greet")).contains("StackOverflowError");
    for (int i = 0; i < PluginCalls.BLAME_MAX; i++) {
      String _ = rig.call("link");
    }
    rig.awaitState("hello", PluginState.PARKED);
    assertThat(rig.view("hello").reason()).contains("it threw 5 times within 5 min");
  }

  @Test
  void aStartThatHangsEndsAndNothingIsOffered() throws Exception {
    jar("1.0.0")
        .doing(
            "context.offer(tool(\"greet\", () -> \"x\")); while (true) { try { Thread.sleep(1000);"
                + " } catch (InterruptedException e) { break; } } throw new"
                + " IllegalStateException(\"woken\");",
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.FAILED);
    assertThat(rig.view("hello").reason()).contains("took longer than 10 s");
    assertThat(rig.call("greet")).contains("There is no tool");
  }

  @Test
  void itSeesNothingOfTheServer() throws Exception {
    jar("1.0.0")
        .doing(
            "try { Class.forName(\"dev.holdfast.plugins.PluginHost\"); throw new Exception(\"it"
                + " sees the server\"); } catch (ClassNotFoundException e) {"
                + " context.offer(tool(\"greet\", () -> \"fine\")); }",
            "")
        .into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("greet")).isEqualTo("fine");
  }

  private PluginJars chat(String version, String posted) {
    return jar(version)
        .doing(
            """
            context.offer(new ChannelAdapter() {
              public String channel() { return "chat"; }
              public Set<String> accounts() { return Set.of("main"); }
              public WebhookVerdict receive(WebhookRequest request) {
                return new WebhookVerdict.Messages(List.of());
              }
              public int textUnitsMax() { return 1000; }
              public PostOutcome post(OutboundReply reply) {
                return new PostOutcome.Sent("%s");
              }
            });
            """
                .formatted(posted),
            "");
  }

  private String post() throws InterruptedException {
    OutboundReply reply = new OutboundReply("r1", "e1", "main", "t", "m1", "hello", 1, 1, false);
    try (Use<Channel> use = rig.channels().begin("chat").orElseThrow()) {
      return use.value().post(reply) instanceof PostOutcome.Sent(String id) ? id : "not sent";
    }
  }

  @Test
  void aChannelFromAJarPostsAndIsReplacedWithoutAGap() throws Exception {
    chat("1.0.0", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    assertThat(post()).isEqualTo("one");
    chat("2.0.0", "two").into(rig.plugins(), "hello.jar");
    rig.await(() -> post().equals("two"));
    assertThat(rig.host().enable("hello", false)).isTrue();
    assertThat(rig.channels().begin("chat")).isEmpty();
    assertThat(rig.channels().mayBeAdded("chat")).isTrue();
  }

  @Test
  void aFileThatIsAwayForAMomentTakesNothingAway() throws Exception {
    Path jar = chat("1.0.0", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    rig.stopLooking();
    Path aside = Files.move(jar, rig.plugins().resolve("hello.aside"));
    rig.host().lookOnce();
    assertThat(post()).isEqualTo("one");
    Files.move(aside, jar);
    rig.host().lookOnce();
    Files.delete(jar);
    rig.host().lookOnce();
    assertThat(post()).isEqualTo("one");
    rig.host().lookOnce();
    assertThat(rig.host().plugins()).isEmpty();
  }

  @Test
  void aFolderThatCannotBeReadTakesNothingAway() throws Exception {
    jar("1.0.0").withTool("greet", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    rig.stopLooking();
    Path aside = Files.move(rig.plugins(), folder.resolve("aside"));
    Files.writeString(rig.plugins(), "no folder");
    rig.host().lookOnce();
    rig.host().lookOnce();
    assertThat(rig.call("greet")).isEqualTo("one");
    assertThat(rig.host().conditions())
        .extracting(ConditionReport::reason)
        .containsExactly("unreadable");
    Files.delete(rig.plugins());
    Files.move(aside, rig.plugins());
    rig.host().lookOnce();
    assertThat(rig.host().conditions()).isEmpty();
    assertThat(rig.call("greet")).isEqualTo("one");
  }

  @Test
  void inARestoredCopyNoneIsLoadedBeforeThatIsPromoted() throws Exception {
    rig.isCopy = true;
    jar("1.0.0").withTool("greet", "hello").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.GATED);
    assertThat(rig.view("hello").reason()).contains("restored copy", "holdfast promote");
    assertThat(rig.call("greet")).contains("There is no tool");
    rig.isCopy = false;
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("greet")).isEqualTo("hello");
  }

  @Test
  void aProgramThatCannotBeAFileIsMissing() throws Exception {
    jar("1.0.0").with("Holdfast-Requires-Bins", "a\0b").into(rig.plugins(), "a.jar");
    PluginJars.of(folder, "other", "1.0.0").withTool("greet", "one").into(rig.plugins(), "b.jar");
    rig.awaitState("other", PluginState.READY);
    assertThat(rig.view("hello").state()).isEqualTo(PluginState.GATED);
  }

  @Test
  void aFaultThatOnePluginBringsOutStopsNoOther() throws Exception {
    rig.channels()
        .onAdded(
            name -> {
              throw new IllegalStateException("no room for " + name);
            });
    chat("1.0.0", "one").into(rig.plugins(), "a.jar");
    PluginJars.of(folder, "other", "1.0.0").withTool("greet", "one").into(rig.plugins(), "b.jar");
    rig.awaitState("other", PluginState.READY);
    assertThat(rig.view("hello").state()).isEqualTo(PluginState.FAILED);
    assertThat(rig.view("hello").reason()).contains("no room for chat");
  }

  @Test
  void aSettingThatCannotBeReadStopsNoPlugin() throws Exception {
    jar("1.0.0").withTool("greet", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    rig.configure("plugins:\n  trust: signed\n");
    rig.await(() -> rig.view("hello").reason().contains("trust: signed needs signers"));
    assertThat(rig.call("greet")).isEqualTo("one");
    rig.configure("");
    rig.await(() -> rig.view("hello").reason().isEmpty());
  }

  @Test
  void whatIsConfiguredWhileItStartsIsReadByTheNextStart() throws Exception {
    rig.configure("plugins:\n  hello:\n    name: Ada\n");
    jar("1.0.0")
        .doing(
            """
            String name = context.config().text("name", "you");
            Path state = context.stateFolder();
            Files.writeString(state.resolve("begun"), "");
            while (Files.notExists(state.resolve("go"))) { context.sleep(Duration.ofMillis(10)); }
            context.offer(tool("greet", () -> "hello " + name));
            """,
            "")
        .into(rig.plugins(), "hello.jar");
    Path state = rig.data().resolve("plugin-state/hello");
    rig.await(() -> Files.exists(state.resolve("begun")));
    rig.configure("plugins:\n  hello:\n    name: Grace\n");
    Files.writeString(state.resolve("go"), "");
    rig.await(() -> rig.call("greet").equals("hello Grace"));
  }

  @Test
  void whoeverWaitsForTheFirstLookFindsWhatLayThere() throws Exception {
    assertThat(rig.host().awaitFirst(Duration.ofSeconds(10))).as("with an empty folder").isTrue();
    jar("1.0.0").withTool("greet", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    rig.restart();
    assertThat(rig.host().awaitFirst(Duration.ofSeconds(10))).isTrue();
    assertThat(rig.call("greet")).isEqualTo("one");
  }

  @Test
  void jarsThatAreDroppedIntoTheDataFolderStay() throws Exception {
    close();
    rig = new HostRig(folder, folder.resolve("data/plugins"));
    Path jar = jar("1.0.0").withTool("greet", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    rig.restart();
    rig.awaitState("hello", PluginState.READY);
    assertThat(jar).exists();
    assertThat(rig.host().refusedFiles()).isEmpty();
  }
}
