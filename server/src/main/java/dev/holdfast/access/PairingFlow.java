package dev.holdfast.access;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a stranger becomes somebody who is answered: the person is told a code in the chat, and an
 * operator approves it. Thread-safe.
 */
public final class PairingFlow {
  private static final Logger LOG = LoggerFactory.getLogger(PairingFlow.class);

  /** What is stored of a stranger is small, and a longer id no platform has. */
  static final int SENDER_UNITS_MAX = 256;

  private static final String CODE_TOLD_BEFORE =
      "You already have a code. I will answer as soon as the operator has approved it.";
  private static final String CONNECTED = "You are connected now. Say hello.";

  private final Pairings pairings;
  private final PersonNotices notices;
  private final GuessLimit guesses;
  private final Time time;
  private final MeterRegistry meters;
  private final SecureRandom random = new SecureRandom();

  private enum Outcome {
    /** A code was told. */
    OFFERED,
    /** As many as may wait do, or the id is too long: nothing was told. */
    DROPPED,
    /** The code could not be stored or told. */
    FAILED,
    APPROVED,
    WRONG_CODE,
    TOO_MANY_GUESSES,
    REVOKED
  }

  public PairingFlow(Pairings pairings, PersonNotices notices, Time time, MeterRegistry meters) {
    this.pairings = pairings;
    this.notices = notices;
    this.guesses = new GuessLimit(time);
    this.time = time;
    this.meters = meters;
    for (Outcome outcome : Outcome.values()) {
      count(outcome, 0);
    }
    Gauge.builder("holdfast.pairings.pending", pairings, Pairings::pendingCount)
        .description("strangers who were given a code that is still valid")
        .register(meters);
  }

  /** Tells a stranger a code, in the background. Returns at once. */
  void offer(ChannelPerson person, InboundMessage message) {
    if (person.sender().length() > SENDER_UNITS_MAX || !pairings.mayAsk(person)) {
      count(Outcome.DROPPED, 1);
    } else if (notices.mayTell(person)) {
      notices.begin(() -> offerNow(person, message));
    }
  }

  /** The code is told when it is on disk: what was told can be approved. */
  private void offerNow(ChannelPerson person, InboundMessage message) {
    Instant now = time.now();
    PairingCode code = PairingCode.random(random);
    PendingPairing asked =
        new PendingPairing(
            person,
            message.origin().senderName(),
            message.thread(),
            message.dedupeKey(),
            now,
            now.plus(Pairings.LIFE));
    try {
      switch (pairings.ask(asked, code.hash())) {
        case TAKEN -> tell(asked, code);
        case TOLD_BEFORE -> {
          boolean _ = tell(asked, CODE_TOLD_BEFORE);
        }
        case FULL -> count(Outcome.DROPPED, 1);
        case PAIRED -> {} // approved meanwhile: the next message is answered
      }
    } catch (StoreException e) {
      count(Outcome.FAILED, 1);
      LOG.debug("channel {}: a code could not be stored: {}", person.source(), e.getMessage());
    }
  }

  private void tell(PendingPairing asked, PairingCode code) {
    String text =
        "I only answer people I know. Ask the operator to run holdfast pair approve %s within %d minutes."
            .formatted(code.text(), Pairings.LIFE.toMinutes());
    if (tell(asked, text)) {
      pairings.told(asked.person(), code.hash());
      count(Outcome.OFFERED, 1);
      LOG.info(
          "channel {}: somebody asks to be let in; see holdfast pair list",
          asked.person().source());
    } else {
      count(Outcome.FAILED, 1); // the next message gets another code
    }
  }

  private boolean tell(PendingPairing asked, String text) {
    return notices.tell(asked.person(), asked.thread(), asked.replyTo(), text);
  }

  /** Whether it has the form of a code; what has not is no guess. */
  public static boolean isCode(String entered) {
    return PairingCode.entered(entered).isPresent();
  }

  /**
   * Lets in whoever was told the code; their next message is answered. Of wrong codes 10 an hour
   * are looked at, over all; beyond that not even a right one is. Durable on return; blocks.
   *
   * @param entered in any case of letters
   * @param by as in {@link dev.holdfast.store.ledgers.AuditEntry#actor}
   */
  public synchronized PairingVerdict approve(String entered, String by) throws StoreException {
    Duration wait = guesses.left();
    if (wait.isPositive()) {
      count(Outcome.TOO_MANY_GUESSES, 1);
      return new PairingVerdict.TooManyGuesses(wait);
    }
    Optional<PairingCode> code = PairingCode.entered(entered);
    PairingVerdict verdict =
        code.isPresent() ? pairings.approve(code.get().hash(), by) : new PairingVerdict.WrongCode();
    switch (verdict) {
      case PairingVerdict.Paired(PairedPerson _, PendingPairing asked) -> {
        count(Outcome.APPROVED, 1);
        notices.begin(
            () -> {
              boolean _ = tell(asked, CONNECTED);
            });
      }
      case PairingVerdict.WrongCode _ -> {
        guesses.wrong();
        count(Outcome.WRONG_CODE, 1);
      }
      case PairingVerdict.TooManyGuesses _, PairingVerdict.TooManyPeople _ -> {}
    }
    return verdict;
  }

  /**
   * Ends a pairing, or the wait for one. Durable on return; blocks.
   *
   * @return false when the person neither is paired nor waits
   */
  public boolean revoke(ChannelPerson person, String by) throws StoreException {
    boolean isRevoked = pairings.revoke(person, by);
    if (isRevoked) {
      count(Outcome.REVOKED, 1);
    }
    return isRevoked;
  }

  /** Those whose codes are good, the one that has waited longest first. */
  public List<PendingPairing> pending() {
    return pairings.pending();
  }

  /** Those who are paired, by account and id. */
  public List<PairedPerson> people() {
    return pairings.people();
  }

  /** How many wait; from memory. */
  public int pendingCount() {
    return pairings.pendingCount();
  }

  private void count(Outcome outcome, int by) {
    String name = outcome.name().toLowerCase(Locale.ROOT);
    meters.counter("holdfast.pairings", "outcome", name).increment(by);
  }
}
