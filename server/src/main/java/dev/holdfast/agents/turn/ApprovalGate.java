package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolResult;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.Approvals;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.tools.ToolFacts;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/**
 * Lets an unsafe call run only after the person who wrote has said yes: to this call with exactly
 * these arguments, once, within ten minutes. Code decides it, never the model.
 */
public final class ApprovalGate implements ToolRound.Gate {
  static final Duration TIME_TO_ANSWER = Duration.ofMinutes(10);

  private static final int CALL_SHOWN = 12;

  private final TurnResources resources;
  private final TurnEndings endings;
  private final ChatCodes codes = new ChatCodes();
  private final SecureRandom random = new SecureRandom();

  public ApprovalGate(TurnResources resources, TurnEndings endings) {
    this.resources = resources;
    this.endings = endings;
  }

  @Override
  public Optional<ToolResult> check(Incoming incoming, TurnState.Pending pending, ToolFacts tool)
      throws WaitsForPersonException, StoreException, InterruptedException {
    if (!resources.isSupervised() || !needsYes(pending.call(), tool)) {
      return Optional.empty();
    }
    endings.epoch().check();
    Approvals approvals = resources.store().approvals();
    String hash = hash(pending.call().arguments());
    String key = pending.key();
    Optional<Approval> asked = approvals.ofCall(key);
    if (asked.isPresent() && !isAbout(asked.get(), pending.call(), hash)) {
      // A turn that began anew gives its keys a second time, to other calls.
      key += "-" + hash(pending.call().tool() + "\n" + hash).substring(0, CALL_SHOWN);
      asked = approvals.ofCall(key);
    }
    // What was withdrawn with a turn is asked again when that turn comes back.
    if (asked.isEmpty() || asked.get().state() == Approval.State.EXPIRED) {
      Approval question = ask(incoming, new TurnState.Pending(pending.call(), key, false));
      throw new WaitsForPersonException(question.shown(), question.expiresAt());
    }
    Approval approval = asked.get();
    String asks = key;
    return switch (approval.state()) {
      case WAITING -> waitOrExpire(incoming, approval);
      case APPROVED ->
          endings.epoch().write(() -> approvals.use(asks, hash))
              ? Optional.empty()
              : refusal("The approval was for different arguments.");
      case USED -> refusal("The approval has already been used.");
      case DENIED -> refusal("A person denied this call. Do not retry it; ask what to do instead.");
      case EXPIRED -> throw new IllegalStateException("it is asked again");
    };
  }

  private static boolean isAbout(Approval asked, ToolCall call, String hash) {
    return asked.argumentsHash().equals(hash) && asked.tool().equals(call.tool());
  }

  private boolean needsYes(ToolCall call, ToolFacts tool) {
    return tool.replay() == ReplayClass.UNSAFE || resources.toolbox().risk(call, tool) == Risk.HIGH;
  }

  private Optional<ToolResult> waitOrExpire(Incoming incoming, Approval approval)
      throws WaitsForPersonException, StoreException {
    if (resources.time().now().isBefore(approval.expiresAt())) {
      if (!endings.isTold(ReplyVoice.QUESTION, approval.id())) {
        // A crash came between writing it down and asking it.
        endings.ask(incoming, approval, random);
      }
      throw new WaitsForPersonException(approval.shown(), approval.expiresAt());
    }
    if (endings.epoch().write(() -> resources.store().approvals().expire(approval.id()))) {
      endings.closed(approval, Approval.State.EXPIRED, "server");
    }
    return refusal("Nobody approved this call in time. Do not retry it unless you are asked to.");
  }

  private Approval ask(Incoming incoming, TurnState.Pending pending)
      throws StoreException, InterruptedException {
    Instant now = resources.time().now();
    String arguments = pending.call().arguments();
    String shown =
        ApprovalPrompts.visible(
            resources.secrets().redact(resources.toolbox().label(pending.call())));
    Approval question =
        new Approval(
            UUID.randomUUID().toString(),
            codes.next(),
            incoming.id(),
            incoming.event().threadId(),
            pending.key(),
            pending.call().tool(),
            hash(arguments),
            shown,
            person(resources.store(), incoming),
            Approval.State.WAITING,
            now,
            now.plus(TIME_TO_ANSWER),
            "",
            ApprovalPrompts.visible(resources.secrets().redact(arguments)));
    endings.epoch().change(() -> resources.store().approvals().ask(question));
    endings.opened(question);
    endings.ask(incoming, question, random);
    return question;
  }

  /** A wake-up cannot answer: whoever set it does. */
  static String person(Store store, Incoming incoming) {
    String sender = incoming.message().sender();
    return incoming.isWakeup()
        ? store.schedules().personBehind(incoming.id()).orElse(sender)
        : sender;
  }

  private static Optional<ToolResult> refusal(String text) {
    return Optional.of(ToolResult.error(Failure.of(FailureCode.CANCELLED, text)));
  }

  private static String hash(String arguments) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(arguments.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
