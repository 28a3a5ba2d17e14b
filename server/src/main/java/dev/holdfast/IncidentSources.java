package dev.holdfast;

import dev.holdfast.incidents.AffectedEvent;
import dev.holdfast.incidents.IncidentDetails;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.Incidents;
import dev.holdfast.incidents.NewIncident;
import dev.holdfast.modes.Mode;
import dev.holdfast.modes.ModeChange;
import dev.holdfast.modes.ModeRule;
import dev.holdfast.store.messages.DamagedRow;
import dev.holdfast.supervision.ChildSpec;
import dev.holdfast.supervision.CrashListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Makes incidents of what packages find that do not know of incidents. */
final class IncidentSources implements CrashListener {
  /** A process that gives up does not wait longer for its disk. */
  private static final Duration LAST_MAX = Duration.ofSeconds(5);

  private static final String MODE_PART = "mode";

  private final Incidents incidents;
  private final Consumer<ChildSpec> giveUp;

  /**
   * @param giveUp ends the process
   */
  IncidentSources(Incidents incidents, Consumer<ChildSpec> giveUp) {
    this.incidents = incidents;
    this.giveUp = giveUp;
  }

  @Override
  public void gaveUp(ChildSpec child, String crash) {
    try {
      incidents.recordLast(
          crashes(
              child,
              crash,
              IncidentSeverity.CRITICAL,
              "The server ended with code 70: it cannot run without it."),
          LAST_MAX);
    } finally {
      giveUp.accept(child);
    }
  }

  @Override
  public void ailing(ChildSpec child, String crash) {
    incidents.report(
        crashes(
            child,
            crash,
            IncidentSeverity.WARNING,
            "The server continues without it and retries it every minute."));
  }

  @Override
  public void recovered(ChildSpec child) {
    incidents.recovered(IncidentKind.GAVE_UP, child.name());
  }

  private static NewIncident crashes(
      ChildSpec child, String crash, IncidentSeverity severity, String done) {
    return new NewIncident(
        IncidentKind.GAVE_UP,
        severity,
        child.name(),
        "The part %s of the server crashed more often than it may be restarted."
            .formatted(child.name()),
        IncidentDetails.of(
            List.of("Its last crash was: " + crash + ".", done),
            List.of(
                "Read the log around that time; if the cause is not obvious, report it as a bug."),
            List.of("holdfast doctor", "journalctl -u holdfast")));
  }

  /** A mode below full; recovery is part of an unclean start, which tells of itself. */
  void modeChanged(ModeChange change) {
    if (change.to() == Mode.FULL) {
      incidents.recovered(IncidentKind.MODE, MODE_PART);
    } else if (change.to() != Mode.RECOVERY) {
      incidents.report(
          new NewIncident(
              IncidentKind.MODE,
              severity(change),
              MODE_PART,
              "The server entered the mode %s.".formatted(change.to().label()),
              IncidentDetails.of(
                  List.of(
                      "It was in the mode %s before. %s"
                          .formatted(change.from().label(), why(change)),
                      "Messages are accepted and kept in every mode."),
                  List.of("This command says what the mode withholds and what ends it."),
                  List.of("holdfast mode", "holdfast doctor"))));
    }
  }

  /** Without an operator's words: a page holds nothing that people wrote. */
  private static String why(ModeChange change) {
    String reason = change.reason();
    return change.isByHand()
        ? "An operator asked for it; holdfast mode shows the reason."
        : "Why it changed: " + reason + (reason.endsWith(".") ? "" : ".");
  }

  private static IncidentSeverity severity(ModeChange change) {
    if (change.isByHand() || change.rule() == ModeRule.RESTORED_COPY) {
      return IncidentSeverity.INFO; // nothing is wrong: somebody has restored it
    }
    return change.to() == Mode.SAFE ? IncidentSeverity.CRITICAL : IncidentSeverity.WARNING;
  }

  /** On the store's thread: returns at once. */
  void damaged(DamagedRow row) {
    String what = row.kind().equals("event") ? "an event" : "a reply";
    incidents.report(
        new NewIncident(
            IncidentKind.DAMAGE,
            IncidentSeverity.CRITICAL,
            row.kind().equals("event") ? "inbox" : "outbox",
            "The stored row of " + what + " is damaged: its checksum does not match.",
            IncidentDetails.of(
                    List.of("The row was taken out of service and is kept; it is never served."),
                    List.of("Check the disk: a row has changed since it was written."),
                    List.of("holdfast doctor", "holdfast trace " + row.eventId()))
                .withAffected(
                    List.of(
                        new AffectedEvent(
                            row.eventId(),
                            "",
                            row.wasOpen()
                                ? "it became a dead letter"
                                : "its damaged row was set aside and kept")),
                    1)));
  }
}
