package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Attachments;
import dev.holdfast.agents.thread.StuckTurns;
import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.RunningTurn;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.channels.WebChannel;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.net.WebFetcher.Fetched;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.time.ManualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Turns whose thread waits for ever, some of them deaf to every interrupt. */
class StuckTurnTest {
  private static final String LATE = "words that come too late";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final ManualTime time = new ManualTime();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch letGo = new CountDownLatch(1);

  @BeforeEach
  void setTime() {
    options.time = time;
    options.turnTimeout = Duration.ofDays(1); // it is not what ends these turns
  }

  @AfterEach
  void letGo() {
    letGo.countDown();
  }

  @Test
  void aModelThatNeverReturnsIsInterruptedWhenItIsSilentForTooLong() throws Exception {
    model.hangs(begun);
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    awaitInterrupt(world);
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.STUCK);
    assertThat(world.stateOf(event)).isEqualTo(EventState.DEAD_LETTERED);
    assertThat(freed(world, "interrupted")).isEqualTo(1);
    assertThat(freed(world, "abandoned")).isZero();
    assertThat(world.answerOf(world.send("t", "k2", "next"))).isEqualTo("heard: next");
  }

  @Test
  void aStandstillOfTheProcessEndsNoTurn() throws Exception {
    options.turnTimeout = Duration.ofMinutes(15);
    model.then(
        (_, _) -> {
          begun.countDown();
          letGo.await();
          return ScriptedProvider.text("here it is");
        });
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    time.standStill(Duration.ofMinutes(30));
    letGo.countDown();
    assertThat(world.answerOf(event)).isEqualTo("here it is");
  }

  @Test
  void aDeafModelLosesItsThreadAndWhatItSaysLateChangesNothing() throws Exception {
    model.then(deafly());
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    awaitInterrupt(world);
    time.advance(RunningTurn.REACTION);
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.STUCK);
    assertThat(freed(world, "abandoned")).isEqualTo(1);
    assertThat(world.answerOf(world.send("t", "k2", "next"))).isEqualTo("heard: next");
    assertThat(hanging(world)).isEqualTo(1);
    letGo.countDown();
    world.await(() -> hanging(world) == 0, () -> "the thread did not come back");
    assertThat(world.answerOf(world.send("t", "k3", "again"))).isEqualTo("heard: again");
    assertThat(world.repliesTo(event)).containsExactly(ChatSentences.STUCK);
    assertThat(world.stateOf(event)).isEqualTo(EventState.DEAD_LETTERED);
    assertThat(contexts()).contains("heard: again").doesNotContain(LATE);
  }

  @Test
  void stopFreesTheThreadOfADeafModelSoon() throws Exception {
    model.then(deafly());
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    assertThat(world.answerOf(world.send("t", "k2", "/stop"))).isEqualTo("Stopped.");
    time.advance(RunningTurn.REACTION);
    world.awaitState(event, EventState.CANCELLED);
    assertThat(world.answerOf(world.send("t", "k3", "next"))).isEqualTo("heard: next");
    assertThat(RunningTurn.REACTION).isLessThan(Duration.ofSeconds(1));
  }

  @Test
  void aToolThatComputesForEverLeavesItsThreadToOthers() throws Exception {
    AtomicBoolean on = new AtomicBoolean(true);
    options.tools =
        List.of(
            tool(
                () -> {
                  begun.countDown();
                  while (on.get()) {
                    Thread.onSpinWait(); // deaf and busy
                  }
                }));
    model.calls(new ToolCall("c1", "deaf", "{}"));
    AgentRig world = rigs.open();
    Event event = world.send("t", "k1", "x");
    begun.await();
    awaitInterrupt(world);
    assertThat(world.answerOf(event)).isEqualTo(ChatSentences.STUCK);
    assertThat(freed(world, "abandoned")).isZero(); // the agent's own thread did react
    assertThat(world.answerOf(world.send("t", "k2", "next"))).isEqualTo("heard: next");
    on.set(false);
  }

  /** Code of a plugin may block for ever: no turn calls it for a fact. */
  @Test
  void noTurnAsksAChannelWhatItSaidWhenItWasAdded() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    options.channels = List.of(new Channel(asked::incrementAndGet));
    AgentRig world = rigs.open();
    int before = asked.get();
    assertThat(world.answerOf(world.send("t", "k1", "x"))).isEqualTo("heard: x");
    assertThat(before).isPositive();
    assertThat(asked).hasValue(before);
  }

  @Test
  void aFreshContextThatWasWantedMeanwhileComes() throws Exception {
    model.says("first").then(deafly());
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k1", "one"));
    Event event = world.send("t", "k2", "two");
    begun.await();
    world.orchestrator.reset("web:main:t");
    time.advance(RunningTurn.REACTION);
    world.awaitState(event, EventState.CANCELLED);
    assertThat(world.answerOf(world.send("t", "k3", "three"))).isEqualTo("heard: three");
    assertThat(model.requests().getLast().messages()).hasSize(1);
  }

  @Test
  void aDownloadMayBeSilentForAsLongAsItsOwnLimit() throws Exception {
    AttachmentsConfig usual = AttachmentsConfig.defaults();
    options.attachments =
        new Attachments(
            (_, _, file, _) -> {
              begun.countDown();
              letGo.await();
              return new Fetched(file.url(), 404, "", new byte[0], false);
            },
            new AttachmentsConfig(
                1,
                usual.bytesMax(),
                usual.totalBytesMax(),
                Duration.ofMinutes(10),
                usual.threadBytesMax(),
                usual.images()));
    CountDownLatch called = new CountDownLatch(1);
    options.tools =
        List.of(
            tool(
                () -> {
                  called.countDown();
                  UninterruptibleTool.await(letGo);
                }));
    model.calls(new ToolCall("c1", "deaf", "{}"));
    AgentRig world = rigs.open();
    Event slow =
        world.sendFiles(
            "web:main", "t", "k1", new Attachment("a", "", "https://files.example.org/a", -1));
    begun.await();
    world.send("u", "k2", "x"); // its end shows that all were looked at
    called.await();
    awaitInterrupt(world, Duration.ofMinutes(10));
    letGo.countDown();
    assertThat(world.answerOf(slow)).startsWith("heard: look");
  }

  /** Each of them gives its permit back, or no other turn could ever run. */
  @Test
  void whenTooManyThreadsHangOnlyARestartHelpsAndTheServerSaysSo() throws Exception {
    options.turnsMax = 2;
    AgentRig world = rigs.open();
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < StuckTurns.GIVEN_UP_MAX; i++) {
      assertThat(world.orchestrator.isClogged()).isFalse();
      CountDownLatch asked = new CountDownLatch(1);
      model.then(
          (_, _) -> {
            asked.countDown();
            UninterruptibleTool.await(letGo);
            return ScriptedProvider.text(LATE);
          });
      Event event = world.send("t" + i, "k" + i, "x");
      asked.await();
      world.orchestrator.stop("web:main:t" + i, false);
      time.advance(RunningTurn.REACTION);
      world.awaitState(event, EventState.CANCELLED);
      events.add(event);
    }
    assertThat(world.orchestrator.isClogged()).isTrue();
    assertThat(world.answerOf(world.send("other", "k", "still there?")))
        .isEqualTo("heard: still there?");
    letGo.countDown();
    world.await(() -> !world.orchestrator.isClogged(), () -> "still clogged");
    assertThat(events).allMatch(event -> world.repliesTo(event).isEmpty());
  }

  @Test
  void whenOthersHaveComeBackTheNextOneIsFreedToo() throws Exception {
    AgentRig world = rigs.open();
    CountDownLatch others = new CountDownLatch(1);
    for (int i = 0; i < StuckTurns.GIVEN_UP_MAX; i++) {
      stopDeafTurn(world, "t" + i, others);
    }
    world.await(() -> hanging(world) == StuckTurns.GIVEN_UP_MAX, () -> "not clogged");
    stopDeafTurn(world, "one too many", letGo);
    others.countDown();
    world.await(() -> hanging(world) == 0, () -> "the threads did not come back");
    Event next = world.send("one too many", "next", "next");
    world.await(
        () -> {
          time.advance(Duration.ofSeconds(1));
          return !world.stateOf(next).isOpen();
        },
        () -> "its thread is not freed");
    assertThat(world.answerOf(next)).isEqualTo("heard: next");
  }

  private void stopDeafTurn(AgentRig world, String thread, CountDownLatch until) throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          asked.countDown();
          UninterruptibleTool.await(until);
          return ScriptedProvider.text(LATE);
        });
    Event event = world.send(thread, "deaf " + thread, "x");
    asked.await();
    world.orchestrator.stop("web:main:" + thread, false);
    time.advance(RunningTurn.REACTION);
    world.awaitState(event, EventState.CANCELLED);
  }

  private ScriptedProvider.Step deafly() {
    return (_, listener) -> {
      begun.countDown();
      UninterruptibleTool.await(letGo);
      listener.onText(LATE);
      return ScriptedProvider.text(LATE);
    };
  }

  /** Lets more time pass than anything may take; the turn is interrupted at the second look. */
  private void awaitInterrupt(AgentRig world) {
    awaitInterrupt(world, Duration.ofMinutes(30));
  }

  private void awaitInterrupt(AgentRig world, Duration silence) {
    time.advance(silence);
    world.awaitRound();
    for (int looks = 1; freed(world, "interrupted") < 1; looks++) {
      assertThat(looks).as("looks at a turn that was not interrupted").isLessThan(10);
      time.advance(Duration.ofMillis(1100));
      world.awaitRound();
    }
  }

  private static double freed(AgentRig world, String how) {
    return world.meters.get("holdfast.stuck.turns").tag("freed", how).counter().count();
  }

  private static double hanging(AgentRig world) {
    return world.meters.get("holdfast.given.up.threads").gauge().value();
  }

  private String contexts() throws Exception {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(rigs.folder().resolve("threads"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
        all.append(Files.readString(file, StandardCharsets.UTF_8));
      }
    }
    return all.toString();
  }

  private static Tool tool(Runnable body) {
    return new Tool() {
      @Override
      public ToolSpec spec() {
        return new ToolSpec("deaf", "for tests", "{\"type\":\"object\"}");
      }

      @Override
      public ToolResult run(String arguments, ToolContext context) {
        body.run();
        return ToolResult.ok(LATE);
      }
    };
  }

  /** The web channel with an obstacle in it. */
  private record Channel(Runnable obstacle) implements ChannelAdapter {
    @Override
    public String channel() {
      return WebChannel.CHANNEL;
    }

    @Override
    public Set<String> accounts() {
      return Set.of(WebChannel.ACCOUNT);
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      return new WebhookVerdict.NoAccount();
    }

    @Override
    public int textUnitsMax() {
      obstacle.run();
      return 10_000;
    }

    @Override
    public boolean posts() {
      return false;
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      return new PostOutcome.Sent("");
    }
  }
}
