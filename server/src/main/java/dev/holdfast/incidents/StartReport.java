package dev.holdfast.incidents;

import dev.holdfast.resilience.Backoff;
import dev.holdfast.store.LastRun;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.CutEvent;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.time.Time;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports that the last run did not end cleanly, at once, and then follows what it interrupted
 * until it is known what became of that.
 */
public final class StartReport {
  private static final Logger LOG = LoggerFactory.getLogger(StartReport.class);

  /** In an event's story: a call that was cut off, and that may not be repeated. */
  public static final String TOOL_INTERRUPTED = "tool.interrupted";

  private static final String PART = "server";
  private static final Backoff BETWEEN_LOOKS =
      new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30));

  /** About ten minutes: what is still open then says so in the report. */
  private static final int LOOKS_MAX = 25;

  private final Incidents incidents;
  private final Store store;
  private final InterruptedWork tasks;
  private final int attemptsMax;
  private final Time time;

  /**
   * @param tasks those that were being worked on
   * @param attemptsMax how many runs of an event may end in a crash
   */
  public StartReport(
      Incidents incidents, Store store, InterruptedWork tasks, int attemptsMax, Time time) {
    this.incidents = incidents;
    this.store = store;
    this.tasks = tasks;
    this.attemptsMax = attemptsMax;
    this.time = time;
  }

  /** An interrupted event as it stands now. */
  private record Followed(AffectedEvent shown, boolean settled, List<String> unknownTools) {}

  /** Does nothing after a clean stop. Ends when all is known, or after some minutes. */
  public void run() throws InterruptedException {
    LastRun last = store.lastRun();
    if (last.clean()) {
      return;
    }
    String id = "";
    IncidentDetails written = IncidentDetails.of(List.of(), List.of(), List.of());
    for (int looks = 1; looks <= LOOKS_MAX; looks++) {
      List<Followed> followed = last.cut().stream().map(cut -> follow(cut, last.found())).toList();
      InterruptedWork.Findings work = tasks.look();
      IncidentDetails now = details(last, followed, work);
      try {
        if (id.isEmpty()) {
          id = incidents.recordNow(incident(last, now)).id();
        } else if (!now.equals(written)) {
          incidents.update(id, now);
        }
        written = now;
        if (work.settled() && followed.stream().allMatch(Followed::settled)) {
          return;
        }
      } catch (StoreException e) {
        LOG.warn("incidents: the report of the start is written later: {}", e.getMessage());
      }
      time.sleep(BETWEEN_LOOKS.after(looks));
    }
  }

  private static NewIncident incident(LastRun last, IncidentDetails details) {
    int cut = last.cutCount();
    String events =
        switch (cut) {
          case 0 -> "no event was being worked on.";
          case 1 -> "one event was interrupted.";
          default -> cut + " events were interrupted.";
        };
    return new NewIncident(
        IncidentKind.UNCLEAN_START,
        last.mended() ? IncidentSeverity.CRITICAL : IncidentSeverity.WARNING,
        PART,
        "The server started after an unclean stop (a crash, a kill or a power cut); " + events,
        details);
  }

  private static IncidentDetails details(
      LastRun last, List<Followed> followed, InterruptedWork.Findings work) {
    List<String> facts = new ArrayList<>();
    facts.add(
        "The last sign of life of the previous run was at "
            + IncidentText.time(last.lastSign())
            + ", when it last wrote to its database.");
    facts.add("Integrity check: " + last.integrity() + ".");
    facts.add(
        last.cutCount() == 0
            ? "No event was running when the server went down."
            : "Running when the server went down: "
                + last.cutCount()
                + (last.cutCount() == 1 ? " event." : " events."));
    if (last.waiting() > 0) {
      facts.add(
          last.waiting()
              + " more events were waiting or parked; they were not interrupted and are processed"
              + " in order.");
    }
    facts.addAll(work.facts());
    List<String> lookAt = new ArrayList<>();
    List<String> commands = new ArrayList<>();
    for (Followed event : followed) {
      if (!event.unknownTools().isEmpty()) {
        lookAt.add(
            "Check what "
                + String.join(" and ", event.unknownTools())
                + " did for event "
                + event.shown().eventId()
                + " before it was cut off; it was not run again.");
        commands.add("holdfast trace " + event.shown().eventId());
      }
    }
    lookAt.add("Look in the system log for why the server went down: journalctl -u holdfast");
    if (commands.isEmpty() && !followed.isEmpty()) {
      commands.add("holdfast trace " + followed.getFirst().shown().eventId());
    }
    if (followed.stream().anyMatch(event -> event.shown().done().contains("dead letter"))) {
      lookAt.add("Decide about the events that became dead letters.");
      commands.add("holdfast dlq list --kind event");
    }
    lookAt.addAll(work.lookAt());
    commands.addAll(work.commands());
    return IncidentDetails.of(facts, lookAt, commands)
        .withAffected(followed.stream().map(Followed::shown).toList(), last.cutCount());
  }

  private Followed follow(CutEvent cut, Instant since) {
    List<String> unknown =
        store.stories().of(cut.eventId()).stream()
            .filter(line -> line.what().equals(TOOL_INTERRUPTED) && !line.at().isBefore(since))
            .map(StartReport::tool)
            .distinct()
            .toList();
    Optional<Event> event = store.inbox().find(cut.eventId());
    String done =
        event.map(found -> done(found.state(), cut)).orElse("its record is gone or damaged");
    String tools =
        unknown.isEmpty()
            ? ""
            : "the outcome of the tool "
                + String.join(", ", unknown)
                + " is unknown, it was not run again and the model was told; ";
    return new Followed(
        new AffectedEvent(cut.eventId(), "run " + cut.attempts() + " was cut off", tools + done),
        event.map(found -> isSettled(found.state())).orElse(true),
        unknown);
  }

  private static String tool(StoryLine line) {
    try {
      return new JsonObject(line.json()).getString("tool", "");
    } catch (DecodeException | ClassCastException _) {
      return "a tool";
    }
  }

  private String done(EventState state, CutEvent cut) {
    return switch (state) {
      case PENDING ->
          cut.attempts() >= attemptsMax
              ? "it waits to become a dead letter: the server went down in each of its runs"
              : "it waits for its turn, and resumes from its last checkpoint";
      case RUNNING -> "it resumes from its last checkpoint";
      case PARKED -> "it resumed from its last checkpoint and is parked until it can continue";
      case ANSWERED -> "it resumed from its last checkpoint and was answered";
      case SILENT -> "it resumed from its last checkpoint and ended without a reply";
      case HELD -> "it resumed from its last checkpoint, and its reply is held for an operator";
      case DEAD_LETTERED -> "it became a dead letter";
      case CANCELLED -> "it was cancelled";
    };
  }

  private static boolean isSettled(EventState state) {
    return switch (state) {
      case PENDING, RUNNING -> false;
      case PARKED, ANSWERED, SILENT, HELD, DEAD_LETTERED, CANCELLED -> true;
    };
  }
}
