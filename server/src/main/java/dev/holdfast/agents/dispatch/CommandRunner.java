package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.context.Command;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.thread.ThreadAgent;
import dev.holdfast.agents.thread.ThreadView;
import dev.holdfast.agents.turn.AgentConfig;
import dev.holdfast.agents.turn.ChatSentences;
import dev.holdfast.agents.turn.OpenForms;
import dev.holdfast.agents.turn.TurnEnd;
import dev.holdfast.agents.turn.TurnEndings;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.time.Time;
import dev.holdfast.tools.prompts.Prompts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what people command, ahead of the messages that wait. Thread-safe; blocks the calling
 * virtual thread.
 */
final class CommandRunner {
  private static final Logger LOG = LoggerFactory.getLogger(CommandRunner.class);

  private static final Duration AGAIN_AFTER = Duration.ofSeconds(5);

  private static final int CODE_SHOWN = 64;

  /** In stories: a command is obeyed from here on. */
  private static final String STARTED = "command.started";

  private final Store store;
  private final Supplier<AgentConfig> configs;
  private final Time time;
  private final ActiveAgents agents;
  private final Decisions decisions;
  private final OpenForms forms;
  private final Prompts prompts;
  private final PlanCommands plans;
  private final Runnable again;
  private final TurnEndings endings;
  private final ConcurrentMap<Long, CountDownLatch> obeying = new ConcurrentHashMap<>();

  /** Who writes a person's word down. */
  interface Decisions {
    /** As {@link Orchestrator#decide}. */
    boolean decide(String approvalId, boolean yes, String by) throws StoreException;
  }

  /** {@code again} has open events looked for, commands too. */
  CommandRunner(AgentParts parts, ActiveAgents agents, Decisions decisions, Runnable again) {
    this.store = parts.resources().store();
    this.configs = parts.resources().configs();
    this.time = parts.resources().time();
    this.forms = parts.resources().forms();
    this.prompts = parts.resources().knowledge().prompts();
    this.plans = parts.plans();
    this.agents = agents;
    this.decisions = decisions;
    this.again = again;
    this.endings = parts.endings();
  }

  /**
   * A command is met twice: as a committed event, and on disk by its thread's agent. The first one
   * obeys, the other waits for that: no message of the thread is begun before.
   */
  void obey(Incoming incoming) {
    CountDownLatch done = new CountDownLatch(1);
    CountDownLatch first = obeying.putIfAbsent(incoming.seq(), done);
    try {
      if (first != null) {
        first.await();
        return;
      }
      obeyOnce(incoming);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (first == null) {
        obeying.remove(incoming.seq());
        done.countDown();
      }
    }
  }

  private void obeyOnce(Incoming incoming) throws InterruptedException {
    try {
      int attemptsMax = configs.get().attemptsMax();
      int attempt = store.inbox().start(incoming.seq(), attemptsMax);
      if (attempt > attemptsMax) {
        String reason = "a crash in each of " + (attempt - 1) + " runs";
        Say say = new Say(ReplyVoice.ERROR, ChatSentences.CRASHED);
        endings.end(
            List.of(incoming), TurnEnd.deadLettered(FailureCode.ACTOR_CRASHED, reason), say);
        return;
      }
      endings.story(incoming, STARTED, Entries.object().put("attempt", attempt));
      String threadId = incoming.event().threadId();
      String text =
          switch (incoming.command().orElseThrow().word()) {
            case STOP -> stop(incoming, attempt, false);
            case STOP_ALL -> stop(incoming, attempt, true);
            case STOP_WITH_MORE -> ChatSentences.HOW_TO_STOP;
            case STATUS -> status(threadId);
            case NOTICE -> incoming.command().orElseThrow().argument();
            case PLAN -> makePlan(incoming);
            case PLAN_OF_NOTHING -> "Say what the plan is for: /plan GOAL.";
            case PLANS -> plans.list(threadId);
            case CANCEL, CANCEL_ONE -> cancel(incoming);
            case HELP -> ChatSentences.help(prompts.list());
            case ANSWER -> fillIn(incoming);
            case APPROVE -> answer(incoming, true);
            case DENY -> answer(incoming, false);
            case NEW -> throw new IllegalStateException("/new waits its turn");
          };
      end(incoming, text);
    } catch (StoreException e) {
      if (e.failure().kind() == FailureKind.INVALID) {
        return; // obeyed already
      }
      LOG.warn("event {}: a command waits, the store refuses: {}", incoming.id(), e.getMessage());
      time.after(AGAIN_AFTER, again);
    } catch (RuntimeException e) { // a bug, or a store that cannot be read
      LOG.error("event {}: its command failed and will be retried", incoming.id(), e);
      time.after(AGAIN_AFTER, again);
    }
  }

  private void end(Incoming incoming, String text) throws InterruptedException {
    endings.end(List.of(incoming), TurnEnd.ANSWERED, new Say(ReplyVoice.COMMAND, text));
  }

  /**
   * One that was cut off may have done its work before: then it ends nothing more. What another
   * stop has ended since it began counts for it too, so that in doubt a message is answered.
   */
  private String stop(Incoming incoming, int attempt, boolean all) {
    boolean isDone = attempt > 1 && store.stories().isAnyCancelledSince(incoming.id(), STARTED);
    boolean endsMore = all || !isDone;
    int ended = endsMore ? agents.stop(incoming.event().threadId(), incoming.seq(), all) : 0;
    return isDone || ended > 0 ? ChatSentences.STOPPED : "Nothing was running.";
  }

  private String cancel(Incoming incoming) throws StoreException {
    return plans.cancel(
        incoming.event().threadId(),
        incoming.command().map(Command::argument).orElse(""),
        incoming.id(),
        incoming.message().sender());
  }

  private String makePlan(Incoming incoming) throws StoreException {
    String goal = incoming.command().map(Command::argument).orElse("");
    return goal.length() > Command.TEXT_MAX
        ? "This goal is too long: it may have " + Command.TEXT_MAX + " characters."
        : plans.make(incoming.event().threadId(), goal, incoming.id(), incoming.message().sender());
  }

  private String answer(Incoming incoming, boolean yes) throws StoreException {
    String threadId = incoming.event().threadId();
    String code = incoming.command().map(Command::argument).orElse("");
    Optional<Approval> asked = store.approvals().waiting(threadId, code);
    if (asked.isEmpty()) {
      String sender = incoming.message().sender();
      Optional<String> said =
          yes ? forms.answer(threadId, code, sender, "") : forms.deny(threadId, code, sender);
      return said.isPresent()
          ? said.get()
          : plans.decide(threadId, code, yes, incoming.id(), sender).orElse(nothingWaits(code));
    }
    if (!asked.get().person().equals(incoming.message().sender())) {
      return ChatSentences.NOT_YOURS;
    }
    if (yes && !ChatSentences.showsAllOf(asked.get())) {
      return "This call is longer than what a chat shows. Approve it on the chat page or with"
          + " holdfast approvals, where all of it is shown; /deny works here.";
    }
    return decisions.decide(asked.get().id(), yes, "person:" + incoming.message().sender())
        ? (yes ? "Approved." : "Denied.")
        : ChatSentences.TOO_LATE;
  }

  private static String nothingWaits(String code) {
    return "Nothing is waiting under the code " + code + ".";
  }

  private String fillIn(Incoming incoming) throws StoreException {
    String said = incoming.command().map(Command::argument).orElse("");
    if (said.length() > Command.TEXT_MAX) {
      return "This answer is too long: it may have " + Command.TEXT_MAX + " characters.";
    }
    String[] parts = said.split("\\s+", 2);
    String text = parts.length > 1 ? parts[1] : "";
    String threadId = incoming.event().threadId();
    String sender = incoming.message().sender();
    Optional<String> given = forms.answer(threadId, parts[0], sender, text);
    return given.isPresent()
        ? given.get()
        : plans
            .answer(threadId, parts[0], text, incoming.id(), sender)
            .orElse(nothingWaits(parts[0].substring(0, Math.min(parts[0].length(), CODE_SHOWN))));
  }

  private String status(String threadId) {
    ThreadView view =
        agents
            .find(threadId)
            .map(ThreadAgent::view)
            .orElse(new ThreadView(threadId, "idle", time.now(), 0, ""));
    long seconds = Duration.between(view.since(), time.now()).toSeconds();
    String waiting = view.waiting() == 0 ? "" : ", " + view.waiting() + " more waiting";
    return view.doing() + " for " + seconds + " s" + waiting + ".";
  }
}
