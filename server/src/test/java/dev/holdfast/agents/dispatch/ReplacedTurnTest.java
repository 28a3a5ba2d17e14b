package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Message;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.channels.MessageOptions;
import dev.holdfast.conversations.ConversationExport;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.NewEvent;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages that take the place of earlier ones: what the model reads, through stops and starts. */
@Timeout(60)
class ReplacedTurnTest {
  private static final String THREAD = "web:main:t";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;

  private static Event replace(AgentRig world, Event replaced, String key, String text)
      throws Exception {
    InboundMessage message = new InboundMessage("main", "t", "me", text, List.of(), key);
    String payload = InboundPayload.write(message, new MessageOptions(replaced.id(), ""));
    return world
        .store
        .inbox()
        .append(new NewEvent("web:main", THREAD, key, payload, Instant.EPOCH))
        .get()
        .event();
  }

  /** What the model was sent last, as plain texts. */
  private List<String> heard() {
    return model.heard().stream()
        .map(
            message ->
                switch (message) {
                  case Message.User user -> user.text();
                  case Message.Assistant said -> said.text();
                  case Message.ToolResult result -> result.text();
                })
        .toList();
  }

  @Test
  void theModelReadsOnlyWhatIsInForce() throws Exception {
    AgentRig world = rigs.open();
    world.answerOf(world.send("t", "k1", "one"));
    Event two = world.send("t", "k2", "two");
    world.answerOf(two);
    world.answerOf(world.send("t", "k3", "three"));
    Event zwei = replace(world, two, "k4", "zwei");
    assertThat(world.answerOf(zwei)).isEqualTo("heard: zwei");
    assertThat(heard()).containsExactly("one", "heard: one", "zwei");
    assertThat(world.answerOf(replace(world, zwei, "k5", "deux"))).isEqualTo("heard: deux");
    assertThat(heard()).containsExactly("one", "heard: one", "deux");
    world.answerOf(world.send("t", "k6", "trois"));
    assertThat(heard()).containsExactly("one", "heard: one", "deux", "heard: deux", "trois");
    String exported = ConversationExport.read(world.store, THREAD, Instant.EPOCH).markdown();
    assertThat(exported.lines().filter(line -> line.endsWith(", replaced"))).hasSize(6);
    assertThat(exported).contains("two", "heard: three", "zwei", "deux");
    assertThat(exported.lines().filter("> deux"::equals)).hasSize(1);
    String json = ConversationExport.read(world.store, THREAD, Instant.EPOCH).json();
    assertThat(json).contains("\"replaced_by\"");
  }

  /** The server ends while the model is asked; the next one goes on with the same message. */
  @Test
  void anEndInTheMiddleChangesNothing() throws Exception {
    AgentRig world = rigs.open();
    Event one = world.send("t", "k1", "one");
    world.answerOf(one);
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    Event uno = replace(world, one, "k2", "uno");
    begun.await();
    assertThat(heard()).containsExactly("uno");
    AgentRig next = rigs.open();
    assertThat(next.answerOf(uno)).isEqualTo("heard: uno");
    assertThat(heard()).containsExactly("uno");
    next.answerOf(next.send("t", "k3", "two"));
    assertThat(heard()).containsExactly("uno", "heard: uno", "two");
  }

  /** It was stopped before its turn began: then nothing is replaced, and the log says so. */
  @Test
  void oneThatNeverBeganReplacesNothing() throws Exception {
    rigs.options.turnsMax = 1;
    AgentRig world = rigs.open();
    Event one = world.send("t", "k1", "one");
    world.answerOf(one);
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    Event other = world.send("a", "k2", "hang");
    begun.await();
    Event uno = replace(world, one, "k3", "uno");
    world.await(() -> world.orchestrator.find(THREAD).isPresent(), () -> "its agent is not there");
    world.answerOf(world.send("t", "k4", "/stop"));
    world.awaitState(uno, EventState.CANCELLED);
    world.answerOf(world.send("a", "k5", "/stop"));
    world.awaitState(other, EventState.CANCELLED);
    world.answerOf(world.send("t", "k6", "two"));
    assertThat(heard()).startsWith("one", "heard: one").endsWith("two");
    assertThat(ConversationExport.read(world.store, THREAD, Instant.EPOCH).markdown())
        .contains("uno")
        .doesNotContain(", replaced");
  }

  /** What came after a fresh start is all newer than what stands before it. */
  @Test
  void aMessageFromBeforeAFreshStartIsReplacedWithAllThatFollowed() throws Exception {
    AgentRig world = rigs.open();
    Event one = world.send("t", "k1", "one");
    world.answerOf(one);
    world.answerOf(world.send("t", "k2", "/new"));
    world.answerOf(world.send("t", "k3", "two"));
    world.answerOf(replace(world, one, "k4", "uno"));
    assertThat(heard()).containsExactly("uno");
  }
}
