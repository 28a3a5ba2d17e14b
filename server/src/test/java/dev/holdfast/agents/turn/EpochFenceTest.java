package dev.holdfast.agents.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.agents.context.AttachmentIntake;
import dev.holdfast.agents.context.Attachments;
import dev.holdfast.agents.context.Conversation;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Epoch;
import dev.holdfast.agents.context.EpochOverException;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.dispatch.AgentRig;
import dev.holdfast.agents.dispatch.AgentRigs;
import dev.holdfast.agents.thread.UnansweredEvents;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.modes.ModeNow;
import dev.holdfast.net.WebFetcher.Fetched;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.store.threads.ThreadFiles;
import dev.holdfast.time.ManualTime;
import dev.holdfast.tools.ToolFacts;
import dev.holdfast.tools.ToolsConfig.Autonomy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An agent whose thread was given up comes back and wants to write. */
class EpochFenceTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();

  @Test
  void nothingOfItReachesTheDisk() throws Exception {
    rigs.options.autonomy = Autonomy.SUPERVISED;
    AgentRig world = rigs.open();
    boolean _ = world.orchestrator.close(); // nobody else writes
    Event event =
        world.sendFiles(
            "web:main", "t", "k1", new Attachment("a", "", "https://files.example.org/a", -1));
    Epoch epoch = new Epoch(new ManualTime());
    ThreadFiles files = world.store.threads().of(event.threadId());
    Conversation conversation = Conversation.load(files, epoch);
    Path scratch = conversation.scratch();
    List<Path> before = onDisk();
    assertThat(epoch.end()).isTrue();

    writes(world, Incoming.of(event), epoch, conversation, scratch)
        .forEach(
            (name, write) ->
                assertThatThrownBy(write).as(name).isInstanceOf(EpochOverException.class));

    assertThat(world.stateOf(event)).isEqualTo(EventState.PENDING);
    assertThat(world.repliesTo(event)).isEmpty();
    assertThat(world.store.stories().of(event.id()))
        .noneMatch(line -> line.what().startsWith("turn.") || line.what().contains("finished"));
    assertThat(
            world
                .store
                .approvals()
                .list(ThreadReader.OPERATOR, Optional.of(Approval.State.WAITING), "", 10))
        .isEmpty();
    assertThat(files.loadContext().entries()).isEmpty();
    assertThat(files.readLog(10)).isEmpty();
    assertThat(onDisk()).isEqualTo(before);
  }

  private static Map<String, ThrowingCallable> writes(
      AgentRig world, Incoming incoming, Epoch epoch, Conversation conversation, Path scratch) {
    TurnEndings endings = world.endings().within(epoch);
    Say say = new Say(ReplyVoice.ANSWER, "too late");
    TurnState.Pending call =
        new TurnState.Pending(new ToolCall("c1", "unsafe", "{}"), "key", false);
    Failure spent = Failure.of(FailureCode.BUDGET_EXHAUSTED, "spent");
    Attachments source =
        new Attachments(
            (_, _, file, _) ->
                new Fetched(file.url(), 200, "", "x".getBytes(StandardCharsets.UTF_8), false),
            AttachmentsConfig.defaults());
    AttachmentIntake intake =
        new AttachmentIntake(source, new ManualTime(), epoch, conversation.attachments(), scratch);
    Tool unsafe = new Unsafe();
    ToolFacts facts =
        new ToolFacts(unsafe.spec(), unsafe.replay(), unsafe.risk(), Duration.ofSeconds(1));
    Map<String, ThrowingCallable> writes = new LinkedHashMap<>();
    writes.put("the end", () -> endings.end(List.of(incoming), TurnEnd.ANSWERED, Say.NOTHING));
    writes.put("the end with a reply", () -> endings.end(List.of(incoming), TurnEnd.ANSWERED, say));
    writes.put("a notice", () -> endings.tell(incoming, say));
    writes.put("the story", () -> endings.story(incoming, "turn.started", Entries.object()));
    writes.put("news", () -> endings.news("turn.started", incoming, Entries.object()));
    writes.put("the context", () -> conversation.append(Entries.user(incoming)));
    writes.put("its sync", conversation::sync);
    writes.put("a fresh context", () -> conversation.replace(List.of()));
    writes.put("the scratch folder", conversation::scratch);
    writes.put("a file of a message", () -> intake.take(incoming));
    writes.put(
        "a question",
        () -> new ApprovalGate(world.resources, endings).check(incoming, call, facts));
    writes.put(
        "a refusal",
        () ->
            new Budgets(world.resources, () -> ModeNow.FULL, world.meters)
                .refuse(List.of(incoming), spent, endings));
    writes.put(
        "a cancellation",
        () ->
            new UnansweredEvents(
                    incoming.event().threadId(), world.store, world.resources.configs(), endings)
                .cancelOpen(incoming.seq()));
    return writes;
  }

  private List<Path> onDisk() throws Exception {
    try (Stream<Path> all = Files.walk(rigs.folder().resolve("threads"))) {
      return all.sorted().toList();
    }
  }

  private static final class Unsafe implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("unsafe", "for tests", "{\"type\":\"object\"}");
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      return ToolResult.ok("");
    }
  }
}
