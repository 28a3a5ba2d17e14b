package dev.holdfast.tasks.run;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.extensions.Texts;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.ledger.TaskInput;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the chat thread of a plan how it has ended, and asks what its agents want to know: each
 * becomes an event of the thread in the transaction that notes it, so it is said once, whatever
 * cuts this off.
 */
public final class PlanNotices {
  private static final Logger LOG = LoggerFactory.getLogger(PlanNotices.class);
  private static final Duration PERIOD = Duration.ofMillis(500);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);
  private static final int AT_ONCE = 100;
  private static final int NAME_MAX = 100;

  private final PlanLedger ledger;
  private final String keyStart;
  private final String senderStart;
  private final String questionKeyStart;
  private final Time time;

  /**
   * @param keyStart what the keys of the server's own wake-ups begin with
   * @param senderStart what their senders begin with
   * @param questionKeyStart what the keys of messages begin with that people read as they are
   */
  public PlanNotices(
      PlanLedger ledger, String keyStart, String senderStart, String questionKeyStart, Time time) {
    this.ledger = ledger;
    this.keyStart = keyStart;
    this.senderStart = senderStart;
    this.questionKeyStart = questionKeyStart;
    this.time = time;
  }

  /** Runs until interrupted. */
  public void run() throws InterruptedException {
    while (true) {
      Duration pause = PERIOD;
      try {
        step();
      } catch (StoreException e) {
        LOG.warn("plans: waiting, the store takes no event: {}", e.failure().message());
        pause = AFTER_REFUSAL;
      }
      time.sleep(pause);
    }
  }

  /** One look at what is to be told. */
  void step() throws StoreException {
    for (Plan plan : ledger.untold(time.now(), AT_ONCE)) {
      if (ledger.tell(plan, event(plan))) {
        LOG.info("plan {}: its thread is told that it {}", plan.id(), ended(plan));
      }
    }
    for (TaskInput input : ledger.inputs().untold(AT_ONCE)) {
      ask(input);
    }
  }

  private void ask(TaskInput input) throws StoreException {
    Optional<Plan> plan = ledger.find(input.planId());
    Optional<Task> task = ledger.task(input.taskId());
    if (plan.isPresent() && task.isPresent()) {
      String text = QuestionText.of(plan.get(), task.get(), input);
      NewEvent event =
          event(plan.get(), questionKeyStart + input.id(), senderStart + "question", text);
      if (ledger.inputs().tell(input, event)) {
        LOG.info(
            "plan {}: its thread is asked for step {}", plan.get().id(), task.get().step().name());
      }
    }
  }

  private NewEvent event(Plan plan) {
    return event(
        plan, keyStart + "plan:" + plan.id(), senderStart + "plan-" + plan.id(), text(plan));
  }

  private NewEvent event(Plan plan, String key, String sender, String text) {
    String[] parts = plan.origin().threadId().split(":", 3);
    String account = parts.length > 1 ? parts[1] : "";
    String platformId = parts.length > 2 ? parts[2] : "";
    InboundMessage message = new InboundMessage(account, platformId, sender, text, List.of(), key);
    return new NewEvent(
        parts[0] + ":" + account,
        plan.origin().threadId(),
        key,
        InboundPayload.write(message),
        time.now());
  }

  private String text(Plan plan) {
    StringBuilder text = new StringBuilder();
    text.append("[plan ")
        .append(plan.id())
        .append(", asked for by ")
        .append(plain(plan.origin().person()))
        .append(", has ")
        .append(ended(plan))
        .append("]\nGoal: ")
        .append(plan.goal());
    if (!plan.reason().isEmpty()) {
      text.append("\n").append(Texts.visible(plan.reason()));
    }
    for (Task task : ledger.tasksOf(plan.id())) {
      text.append("\nStep ").append(TaskTexts.describe(task));
    }
    return text.append("\nTell the person in short how it ended.").toString();
  }

  private static String ended(Plan plan) {
    return switch (plan.state()) {
      case SUCCEEDED -> "succeeded";
      case FAILED -> "failed";
      case CANCELLED -> "been cancelled";
      case DRAFT, PENDING, RUNNING -> throw new IllegalArgumentException("it goes on");
    };
  }

  /** A name that cannot pass for the rest of the line. */
  private static String plain(String name) {
    String line = name.replaceAll("[\\p{Cntrl}\\[\\]]", " ");
    return line.length() <= NAME_MAX ? line : line.substring(0, NAME_MAX);
  }
}
