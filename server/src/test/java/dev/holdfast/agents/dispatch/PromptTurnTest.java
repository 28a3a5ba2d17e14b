package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Message;
import dev.holdfast.store.messages.Event;
import dev.holdfast.tools.prompts.CalledPrompt;
import dev.holdfast.tools.prompts.PreparedMessage;
import dev.holdfast.tools.prompts.PromptEntry;
import dev.holdfast.tools.prompts.Prompts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages that call for what others have prepared. */
class PromptTurnTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AtomicInteger prepared = new AtomicInteger();
  private PreparedMessage result = new PreparedMessage.Ready("/x:hello\nSay hello.");
  private List<PromptEntry> entries =
      List.of(new PromptEntry("/x:hello", "greets"), new PromptEntry("/x:more [what]", ""));

  private AgentRig world() throws Exception {
    rigs.options.prompts =
        new Prompts() {
          @Override
          public List<PromptEntry> list() {
            return entries;
          }

          @Override
          public Optional<CalledPrompt> find(String text) {
            return text.startsWith("/x:") ? Optional.of(new Called()) : Optional.empty();
          }
        };
    return rigs.open();
  }

  private final class Called implements CalledPrompt {
    @Override
    public Duration timeout() {
      return Duration.ofSeconds(10);
    }

    @Override
    public PreparedMessage prepare() {
      prepared.incrementAndGet();
      return result;
    }
  }

  @Test
  void theModelReadsWhatThePromptStandsForAndThePersonsOwnWordsAreLogged() throws Exception {
    AgentRig world = world();
    Event event = world.send("t", "k1", "/x:hello");
    assertThat(world.answerOf(event)).isEqualTo("heard: /x:hello\nSay hello.");
    assertThat(String.join("\n", world.store.threads().of("web:main:t").readLog(10)))
        .contains("\"text\":\"/x:hello\"");
    world.answerOf(world.send("t", "k2", "next"));
    assertThat(model.heard()).contains(new Message.User("/x:hello\nSay hello."));
    assertThat(prepared).hasValue(1);
  }

  @Test
  void whatWasPreparedIsNotPreparedAgainAfterACrash() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.hangs(begun);
    AgentRig world = world();
    Event event = world.send("t", "k1", "/x:hello");
    begun.await();
    rigs.close();
    result = new PreparedMessage.Failed("It is gone.");
    assertThat(world().answerOf(event)).isEqualTo("heard: /x:hello\nSay hello.");
    assertThat(prepared).hasValue(1);
  }

  @Test
  void aPromptThatCannotBeHadIsToldToTheModel() throws Exception {
    result = new PreparedMessage.Failed("It is gone.");
    AgentRig world = world();
    assertThat(world.answerOf(world.send("t", "k1", "/x:hello")))
        .isEqualTo("heard: /x:hello\n[This calls for a prompt that cannot be had: It is gone.]");
  }

  @Test
  void helpListsPromptsAsFarAsTheyFit() throws Exception {
    AgentRig world = world();
    assertThat(world.answerOf(world.send("t", "k1", "/help")))
        .endsWith("/help: show this list\n/x:hello: greets\n/x:more [what]");
    entries = java.util.Collections.nCopies(100, entries.getFirst());
    assertThat(world.answerOf(world.send("t", "k2", "/help"))).endsWith("and 60 more prompts");
  }
}
