package dev.holdfast.agents;

import dev.holdfast.agents.Endings.Say;
import dev.holdfast.agents.Endings.Voice;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolResult;
import dev.holdfast.store.Approval;
import dev.holdfast.store.Approvals;
import dev.holdfast.store.StoreException;
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
final class ApprovalGate implements ToolRound.Gate {
  static final Duration TIME_TO_ANSWER = Duration.ofMinutes(10);

  /** No letters that are taken for each other. */
  private static final String CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";

  private static final int CODE_LENGTH = 5;

  private final AgentParts parts;
  private final Endings endings;
  private final SecureRandom random = new SecureRandom();

  ApprovalGate(AgentParts parts, Endings endings) {
    this.parts = parts;
    this.endings = endings;
  }

  @Override
  public Optional<ToolResult> check(Incoming incoming, TurnState.Pending pending, Tool tool)
      throws WaitsForPersonException, StoreException {
    if (!parts.config().supervised() || !needsYes(tool)) {
      return Optional.empty();
    }
    endings.epoch().check();
    Approvals approvals = parts.store().approvals();
    String hash = hash(pending.call().arguments());
    Optional<Approval> asked = approvals.ofCall(pending.key());
    if (asked.isEmpty()) {
      Approval question = ask(incoming, pending, tool, hash);
      throw new WaitsForPersonException(question.shown(), question.expiresAt());
    }
    Approval approval = asked.get();
    return switch (approval.state()) {
      case WAITING -> waitOrExpire(approvals, approval);
      case APPROVED ->
          approvals.use(pending.key(), hash)
              ? Optional.empty()
              : refusal("The approval was for other arguments.");
      case USED -> refusal("The approval was used already.");
      case DENIED ->
          refusal("A person refused this call. Do not try it again; ask what to do instead.");
      case EXPIRED ->
          refusal("Nobody approved this call in time. Do not try it again by yourself.");
    };
  }

  private static boolean needsYes(Tool tool) {
    return tool.replay() == ReplayClass.UNSAFE || tool.risk() == Risk.HIGH;
  }

  private Optional<ToolResult> waitOrExpire(Approvals approvals, Approval approval)
      throws WaitsForPersonException, StoreException {
    if (parts.time().now().isBefore(approval.expiresAt())) {
      throw new WaitsForPersonException(approval.shown(), approval.expiresAt());
    }
    if (approvals.expire(approval.id())) {
      Questions.closed(parts.news(), approval, Approval.State.EXPIRED, "server");
    }
    return refusal("Nobody approved this call in time. Do not try it again by yourself.");
  }

  private Approval ask(Incoming incoming, TurnState.Pending pending, Tool tool, String hash)
      throws StoreException {
    Instant now = parts.time().now();
    String arguments = pending.call().arguments();
    String shown = Questions.visible(parts.secrets().redact(tool.label(arguments)));
    Approval question =
        new Approval(
            UUID.randomUUID().toString(),
            code(),
            incoming.id(),
            incoming.event().threadId(),
            pending.key(),
            pending.call().tool(),
            hash,
            shown,
            incoming.message().sender(),
            Approval.State.WAITING,
            now,
            now.plus(TIME_TO_ANSWER),
            "",
            Questions.visible(parts.secrets().redact(arguments)));
    parts.store().approvals().ask(question);
    Questions.opened(parts.news(), question);
    endings.tell(incoming, new Say(Voice.QUESTION, Sentences.mayI(question)), pending.key());
    return question;
  }

  private static Optional<ToolResult> refusal(String text) {
    return Optional.of(ToolResult.error(Failure.of(FailureCode.CANCELLED, text)));
  }

  private String code() {
    StringBuilder code = new StringBuilder();
    for (int i = 0; i < CODE_LENGTH; i++) {
      code.append(CODE_LETTERS.charAt(random.nextInt(CODE_LETTERS.length())));
    }
    return code.toString();
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
