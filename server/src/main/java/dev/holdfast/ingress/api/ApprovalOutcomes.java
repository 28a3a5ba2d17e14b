package dev.holdfast.ingress.api;

import dev.holdfast.incidents.StartReport;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditRow;
import dev.holdfast.store.messages.Stories;
import dev.holdfast.store.messages.StoryLine;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;

/** How questions to people ended: when, and what became of the call. Thread-safe; blocks. */
final class ApprovalOutcomes {
  private final Audit audit;
  private final Stories stories;

  ApprovalOutcomes(Audit audit, Stories stories) {
    this.audit = audit;
    this.stories = stories;
  }

  /**
   * {@code decided_at}, empty while it waits, and {@code result}: {@code not_run}, {@code running},
   * {@code done}, {@code failed}, {@code unknown} when the call was cut off, or empty while that is
   * not yet known.
   */
  JsonObject of(Approval approval, Instant now) {
    Approval.State state = approval.stateAt(now);
    String result =
        switch (state) {
          case WAITING, APPROVED -> "";
          case DENIED, EXPIRED -> "not_run";
          case USED -> result(approval);
        };
    return new JsonObject()
        .put("decided_at", state == Approval.State.WAITING ? "" : decidedAt(approval))
        .put("result", result);
  }

  /** One that nobody looked at since its time was over has no row of its own. */
  private String decidedAt(Approval approval) {
    return audit.ofExecution(approval.key()).stream()
        .filter(row -> endsQuestion(row.entry().what()))
        .filter(row -> row.entry().detailsJson().contains(approval.id()))
        .map(AuditRow::at)
        .findFirst()
        .orElse(approval.expiresAt())
        .toString();
  }

  private static boolean endsQuestion(String what) {
    return List.of("approval.granted", "approval.denied", "approval.expired", "approval.withdrawn")
        .contains(what);
  }

  private String result(Approval approval) {
    String result = "";
    for (StoryLine line : stories.of(approval.eventId())) {
      JsonObject details = new JsonObject(line.json());
      if (!isOf(approval, details.getString("execution", ""))) {
        continue;
      }
      result =
          switch (line.what()) {
            case "tool.started" -> "running";
            case "tool.ended" -> details.getBoolean("error", false) ? "failed" : "done";
            case StartReport.TOOL_INTERRUPTED -> "unknown";
            default -> result;
          };
    }
    return result;
  }

  /** A turn that began anew asks under a longer key than that of its call. */
  private static boolean isOf(Approval approval, String execution) {
    return !execution.isEmpty()
        && (approval.key().equals(execution) || approval.key().startsWith(execution + "-"));
  }
}
