package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.EpochOverException;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.models.AnswerListener;
import dev.holdfast.models.Asker;
import dev.holdfast.models.ModelCall;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Usage;
import dev.holdfast.store.messages.ReplyVoice;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears how a turn's answer comes about: streams it, counts it, and tells the person when it takes
 * long.
 */
public final class TurnProgress implements AnswerListener {
  private static final Logger LOG = LoggerFactory.getLogger(TurnProgress.class);

  private final Usage usage;
  private final TurnEndings endings;
  private final Incoming incoming;
  private final boolean probe;
  private final Budgets budgets;
  private final TurnStatus turnStatus;
  private final Runnable onAnswer;
  private final AtomicBoolean told = new AtomicBoolean();
  private final AtomicLong modelNanos = new AtomicLong();
  private volatile boolean gotOn;
  private volatile RemoteUse remote = RemoteUse.FREE;

  /** {@code onAnswer}: told of each answer of a model. */
  public TurnProgress(
      Usage usage,
      TurnEndings endings,
      Incoming incoming,
      boolean probe,
      Budgets budgets,
      TurnStatus turnStatus,
      Runnable onAnswer) {
    this.usage = usage;
    this.endings = endings;
    this.incoming = incoming;
    this.probe = probe;
    this.budgets = budgets;
    this.turnStatus = turnStatus;
    this.onAnswer = onAnswer;
    this.told.set(incoming.event().told());
  }

  /** A turn that finds out if a model is back needs one try only. */
  Asker asker() {
    return new Asker(threadId(), incoming.flow(), probe, remote);
  }

  public boolean hasTold() {
    return told.get();
  }

  /** The time that models took of this turn. */
  public Duration modelTime() {
    return Duration.ofNanos(modelNanos.get());
  }

  TurnEndings endings() {
    return endings;
  }

  String threadId() {
    return incoming.event().threadId();
  }

  /**
   * @param tokensAhead what the person's own words come to
   * @throws CallFailedException BUDGET_EXHAUSTED
   */
  void mayAsk(long tokensAhead) throws CallFailedException {
    remote = budgets.check(incoming, tokensAhead);
  }

  /** The model has the word. */
  void asking() {
    endings.epoch().check(); // what is asked is paid for
    turnStatus.doing("asking the model");
  }

  /** An answer is a part of the turn now, which needs not be asked for again. */
  void goesOn() {
    gotOn = true;
  }

  /** Whether the run has brought the turn nearer to its end. */
  public boolean hasGotOn() {
    return gotOn;
  }

  /** A model has given a whole answer. */
  void modelAnswered() {
    onAnswer.run();
    answered();
  }

  /** The model has said its word, or the files have come. */
  private void answered() {
    turnStatus.heard(true);
    endings.epoch().works();
  }

  /** What was fetched or prepared is there. */
  void fetched() {
    answered();
  }

  /** Files that came with a message are being fetched, which may take so long. */
  void fetching(Duration timeout) {
    waiting(timeout, "fetching attachments");
  }

  /** What a message calls for is being prepared, which may take so long. */
  void preparing(Duration timeout) {
    waiting(timeout, "preparing a prompt");
  }

  private void waiting(Duration timeout, String label) {
    endings.epoch().waits(timeout);
    turnStatus.doing(label);
    endings.news("turn.doing", incoming, Entries.object().put("label", label));
  }

  /** An older part of the conversation is being summarised. */
  void compacting() {
    turnStatus.doing("summarising the conversation");
    endings.news(
        "turn.doing", incoming, Entries.object().put("label", "summarising the conversation"));
  }

  /** An ear for what is not said to people: it counts and tells of waits, but streams nothing. */
  AnswerListener silent() {
    TurnProgress self = this;
    return new AnswerListener() {
      @Override
      public void onText(String delta) {}

      @Override
      public void onRestart() {}

      @Override
      public void onWait(Duration silentAtMost) {
        self.onWait(silentAtMost);
      }

      @Override
      public void onCall(ModelCall call) {
        self.onCall(call);
      }

      @Override
      public void onSlow() {
        self.onSlow();
      }
    };
  }

  @Override
  public void onText(String delta) {
    turnStatus.heard(true);
    endings.news("turn.text", incoming, Entries.object().put("delta", delta));
  }

  @Override
  public void onWait(Duration silentAtMost) {
    endings.epoch().waits(silentAtMost);
  }

  @Override
  public void onRestart() {
    endings.news("turn.restart", incoming, Entries.object());
  }

  @Override
  public void onCall(ModelCall call) {
    modelNanos.addAndGet(call.total().toNanos());
    usage.add(call.row(incoming.id(), threadId()), budgets.person(incoming));
  }

  @Override
  public void onSlow() {
    tellItWaits(ChatSentences.MODEL_AWAY);
  }

  /**
   * Once in a chat thread and outage, and once for an event however often it is tried again: the
   * notice's id is stable. {@code why}: what is said.
   */
  public void tellItWaits(String why) {
    if (told.compareAndSet(false, true) && turnStatus.isFirstOfOutage()) {
      try {
        endings.tell(incoming, new Say(ReplyVoice.NOTICE, why));
      } catch (EpochOverException e) {
        LOG.debug("event {}: somebody else tells that it waits", incoming.id());
      } catch (StoreException e) {
        told.set(false);
        LOG.warn(
            "event {}: could not tell the person that it waits: {}",
            incoming.id(),
            e.failure().message());
      }
    }
  }
}
