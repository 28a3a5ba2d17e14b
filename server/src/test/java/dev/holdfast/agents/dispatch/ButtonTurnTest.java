package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Choice;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.bus.News;
import dev.holdfast.store.ledgers.ClickVerdict.Meaning;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyChoices;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Questions on a channel that shows buttons. */
class ButtonTurnTest {
  private static final String THREAD = "web:main:t";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final AtomicInteger runs = new AtomicInteger();

  @BeforeEach
  void script() {
    options.autonomy = Autonomy.SUPERVISED;
    options.tools = List.of(new Unsafe());
    options.channels = List.of(new Buttons(true));
  }

  /** Counts its runs. */
  private final class Unsafe implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("unsafe", "for tests", "{\"type\":\"object\"}");
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      runs.incrementAndGet();
      return ToolResult.ok("done");
    }
  }

  /** A short text, so that long questions come in parts. */
  private record Buttons(boolean showsChoices) implements ChannelAdapter {
    @Override
    public String channel() {
      return "web";
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main");
    }

    @Override
    public int textUnitsMax() {
      return 1000;
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      return new WebhookVerdict.NoAccount();
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      return new PostOutcome.Sent("");
    }
  }

  private Event asked(AgentRig world, String arguments) throws Exception {
    model.calls(new ToolCall("c1", "unsafe", arguments)).says("finished");
    Event event = world.send("t", "k1", "do it");
    world.awaitState(event, EventState.PARKED);
    return event;
  }

  private static List<Reply> replies(AgentRig world, Event event) {
    return world.store.outbox().ofEvent(event.id());
  }

  private static List<Choice> choices(AgentRig world, Event event) {
    return ReplyChoices.read(replies(world, event).getLast().reply().choices());
  }

  private static Meaning click(AgentRig world, Choice choice) throws Exception {
    return world.orchestrator.clicked(THREAD, "me", choice.token());
  }

  @Test
  void aClickLetsTheCallRunOnceAndTellsWhoeverWatches() throws Exception {
    AgentRig world = rigs.open();
    Event event = asked(world, "{}");
    List<String> decided = new CopyOnWriteArrayList<>();
    try (News.Watch _ =
        world.news.watch(
            item -> {
              if (item.kind().equals("approval.decided")) {
                decided.add(item.json());
              }
            },
            () -> {})) {
      List<Choice> choices = choices(world, event);
      assertThat(choices).extracting(Choice::label).containsExactly("Approve", "Deny");
      assertThat(choices).extracting(Choice::isCareful).containsExactly(true, false);
      assertThat(world.repliesTo(event).getLast()).contains("Use a button or reply /approve ");
      assertThat(world.orchestrator.clicked(THREAD, "you", choices.getFirst().token()))
          .isEqualTo(Meaning.NOT_THEIRS);
      assertThat(click(world, choices.getFirst())).isEqualTo(Meaning.APPROVED);
      assertThat(click(world, choices.getFirst())).isEqualTo(Meaning.ALREADY_APPROVED);
      assertThat(world.answerOf(event)).endsWith("finished");
      assertThat(runs).hasValue(1);
    }
    assertThat(decided).hasSize(1);
    assertThat(decided.getFirst()).contains("approved", "person:me");
  }

  @Test
  void theOtherButtonDenies() throws Exception {
    AgentRig world = rigs.open();
    Event event = asked(world, "{}");
    assertThat(click(world, choices(world, event).getLast())).isEqualTo(Meaning.DENIED);
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(runs).hasValue(0);
  }

  @Test
  void theCodeWorksBesideTheButtons() throws Exception {
    AgentRig world = rigs.open();
    Event event = asked(world, "{}");
    String code = world.repliesTo(event).getLast().replaceAll("(?s).*/approve (\\w+).*", "$1");
    assertThat(world.answerOf(world.send("t", "k2", "/approve " + code))).isEqualTo("Approved.");
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(runs).hasValue(1);
    assertThat(world.store.approvals().waitingOf(event.id())).isEmpty();
  }

  @Test
  void whatIsNotShownWholeCanOnlyBeDeniedAndItsLastPartHasTheButton() throws Exception {
    AgentRig world = rigs.open();
    Event event = asked(world, "{\"x\":\"" + "y".repeat(3000) + "\"}");
    List<Reply> parts = replies(world, event);
    assertThat(parts).hasSizeGreaterThan(3);
    assertThat(parts.subList(0, parts.size() - 1))
        .allMatch(part -> part.reply().choices().isEmpty());
    List<Choice> choices = choices(world, event);
    assertThat(choices).extracting(Choice::label).containsExactly("Deny");
    assertThat(click(world, choices.getFirst())).isEqualTo(Meaning.DENIED);
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(runs).hasValue(0);
  }

  @Test
  void aChannelThatShowsNoneGetsNone() throws Exception {
    options.channels = List.of(new Buttons(false));
    AgentRig world = rigs.open();
    Event event = asked(world, "{}");
    assertThat(choices(world, event)).isEmpty();
    assertThat(world.repliesTo(event).getLast()).contains("\nReply /approve ");
  }

  @Test
  void theButtonsWorkAfterARestart() throws Exception {
    AgentRig before = rigs.open();
    Event event = asked(before, "{}");
    Choice approve = choices(before, event).getFirst();
    rigs.close();
    AgentRig world = rigs.open();
    assertThat(click(world, approve)).isEqualTo(Meaning.APPROVED);
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(runs).hasValue(1);
  }

  /** The turn has not gone on yet, and nobody asks again. */
  @Test
  void whatWasDecidedBeforeAStopHoldsAfterTheStart() throws Exception {
    AgentRig before = rigs.open();
    Event event = asked(before, "{}");
    rigs.close();
    StoreSurgery.run(
        rigs.folder(),
        "update approvals set state = 'APPROVED', decided_by = 'person:me' where event_id = ?",
        event.id());
    AgentRig world = rigs.open();
    assertThat(world.orchestrator.modelsAreAway()).isFalse();
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(runs).hasValue(1);
  }

  /** What a crash between writing the question down and planning its post leaves. */
  @Test
  void aQuestionThatWasNotPostedYetGetsItsButtonsWhenTheServerIsBack() throws Exception {
    AgentRig before = rigs.open();
    Event event = asked(before, "{}");
    rigs.close();
    StoreSurgery.run(rigs.folder(), "delete from replies where event_id = ?", event.id());
    StoreSurgery.run(
        rigs.folder(),
        "update approvals set card = 0, approve_hash = '', deny_hash = '' where event_id = ?",
        event.id());
    AgentRig world = rigs.open();
    world.await(() -> !replies(world, event).isEmpty(), () -> "nobody asks");
    assertThat(click(world, choices(world, event).getFirst())).isEqualTo(Meaning.APPROVED);
    assertThat(world.answerOf(event)).endsWith("finished");
    assertThat(runs).hasValue(1);
  }

  @Test
  void aQuestionThatWasWithdrawnIsClosed() throws Exception {
    AgentRig world = rigs.open();
    Event event = asked(world, "{}");
    Choice approve = choices(world, event).getFirst();
    assertThat(world.answerOf(world.send("t", "k2", "/stop"))).isEqualTo("Stopped.");
    world.awaitState(event, EventState.CANCELLED);
    assertThat(click(world, approve)).isEqualTo(Meaning.CLOSED);
    assertThat(runs).hasValue(0);
  }
}
