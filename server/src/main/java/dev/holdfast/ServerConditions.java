package dev.holdfast;

import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.agents.dispatch.Orchestrator.AloneMessages;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.channels.ListenerStatus;
import dev.holdfast.extensions.ExtensionView;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.ingress.wire.ConnectionCount;
import dev.holdfast.models.Models;
import dev.holdfast.replies.AbsentAccount;
import dev.holdfast.replies.PacedAccount;
import dev.holdfast.replies.Replies;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.resilience.HoldView;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreRefusal;
import dev.holdfast.supervision.SupervisedThread;
import dev.holdfast.time.Time;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the server's own parts have to report, in words for people. Reasons and words are listed in
 * docs/conditions.md.
 */
final class ServerConditions {
  private ServerConditions() {}

  /** Those that are not closed. */
  static List<ConditionReport> breakers(List<BreakerView> all) {
    return all.stream()
        .filter(breaker -> !breaker.state().equals("closed"))
        .map(ServerConditions::breaker)
        .toList();
  }

  private static ConditionReport breaker(BreakerView breaker) {
    boolean isOpen = breaker.state().equals("open");
    if (isOpen && breaker.openUntil() == null) {
      return ConditionReport.degraded(
              "open_by_hand",
              "No call goes to %1$s, because it was shut off by hand. To call it again: holdfast breakers reset %1$s"
                  .formatted(breaker.name()),
              "Ends when the breaker is reset by hand.")
          .about(breaker.name());
    }
    String message =
        isOpen
            ? "No call goes to %1$s, because it failed. If this lasts," + " check %1$s and the log."
            : "%1$s has failed; the next call will show whether it works again.";
    return ConditionReport.degraded(
            breaker.state(),
            message.formatted(breaker.name()),
            "Ends when trial calls succeed, or when the breaker is reset by hand.")
        .about(breaker.name())
        .withNextAttemptAt(breaker.openUntil());
  }

  /** That more clients came than may be connected. */
  static List<ConditionReport> connections(ConnectionCount connections) {
    return connections.wasFullLately()
        ? List.of(
            ConditionReport.degraded(
                "limit_reached",
                "All connections that http.max_connections allows are in use. Idle ones are closed"
                    + " to make room; the log says from where most of them come.",
                "Ends when there has been room for all for ten seconds."))
        : List.of();
  }

  /** The long waits that were asked for. */
  static List<ConditionReport> paces(List<HoldView> all) {
    return all.stream()
        .map(
            hold ->
                ConditionReport.degraded(
                        "asked_to_wait",
                        hold.name()
                            + " has asked for a pause; no call goes to it meanwhile, and what"
                            + " waits does not grow too old.",
                        "Ends with the pause, or when the breaker is reset by hand.")
                    .about(hold.name())
                    .withNextAttemptAt(hold.until()))
        .toList();
  }

  /** The same, asked of single chat threads. */
  static List<ConditionReport> pacedThreads(List<PacedAccount> all) {
    return all.stream()
        .map(
            account ->
                ConditionReport.degraded(
                        "threads_asked_to_wait",
                        account.source()
                            + " has asked for a pause in some chat threads ("
                            + account.threads()
                            + "); their replies wait and do not grow too old. The others are"
                            + " posted.",
                        "Ends when the last pause is over.")
                    .about(Replies.guardName(account.source()))
                    .withNextAttemptAt(account.until()))
        .toList();
  }

  /** Those for which replies wait. */
  static List<ConditionReport> absentAccounts(List<AbsentAccount> all) {
    return all.stream()
        .map(
            account ->
                ConditionReport.degraded(
                        "absent",
                        "%s is missing, and %s since %s. Put the account back into the"
                                .formatted(
                                    account.source(),
                                    account.replies() == 1
                                        ? "1 reply waits for it"
                                        : account.replies() + " replies wait for it, the oldest",
                                    account.since().truncatedTo(ChronoUnit.SECONDS))
                            + " configuration, or the plugin of the channel back.",
                        "Ends when it is back.")
                    .about(account.source()))
        .toList();
  }

  /** Those whose platform does not let them post. */
  static List<ConditionReport> refusedAccounts(List<String> sources) {
    return sources.stream()
        .map(
            source ->
                ConditionReport.degraded(
                        "refused",
                        source
                            + ": its platform has refused the account's last post (AUTH). holdfast"
                            + " channels check "
                            + source
                            + " says what to do; holdfast dlq list shows what was refused.",
                        "Ends when a post arrives, or when the channel is loaded again.")
                    .about(source))
        .toList();
  }

  /**
   * Extensions of the configuration whose ids somebody else has.
   *
   * @param holder of an id
   */
  static List<ConditionReport> leftOut(
      List<String> ids, Function<String, Optional<ExtensionView>> holder) {
    return ids.stream()
        .map(
            id ->
                ConditionReport.degraded(
                        "id_taken",
                        "The extension %s of the configuration is not started: %s has that id. Give one of them another."
                            .formatted(
                                id,
                                holder.apply(id).map(ExtensionView::source).orElse("nobody else")),
                        "Ends when the id is free or no longer declared.")
                    .about(id))
        .toList();
  }

  /** Those that take no messages in, though they should. */
  static List<ConditionReport> listeners(List<ListenerStatus> all) {
    return all.stream().flatMap(status -> listener(status).stream()).toList();
  }

  private static Optional<ConditionReport> listener(ListenerStatus status) {
    String source = status.source();
    Optional<ConditionReport> report =
        switch (status.state()) {
          case ListenerStatus.TokenInUse(String holder) ->
              Optional.of(
                  ConditionReport.degraded(
                      "token_in_use",
                      "%s receives no messages: %s listens with the same token, or consumer of NATS. Give each account one of its own."
                          .formatted(source, holder),
                      "Ends when the other one stops, or with another one here."));
          case ListenerStatus.Silent _ ->
              Optional.of(
                  ConditionReport.degraded(
                      "silent",
                      source
                          + " has received nothing for so long that its connection is taken for"
                          + " dead; it is being opened again.",
                      "Ends when something is received."));
          case ListenerStatus.NotReceiving(Failure failure, _, Instant next)
              when failure != null && status.needsAttention() ->
              Optional.of(
                  ConditionReport.degraded(
                          "not_listening",
                          "%s receives no messages (%s)%s What people write to it meanwhile waits at its platform. The log says more."
                              .formatted(
                                  source,
                                  failure.code(),
                                  failure.code() == FailureCode.AUTH
                                      ? ": its platform does not let it in. Check its credentials;"
                                          + " holdfast channels check "
                                          + source
                                          + " says what it needs."
                                      : "."),
                          "Ends when something is received.")
                      .withNextAttemptAt(next));
          case ListenerStatus.Receiving(int placesMissing) when placesMissing > 0 ->
              Optional.of(
                  ConditionReport.degraded(
                      "not_in_places",
                      "%s listens, but is not in %s that the configuration names: it receives nothing from there. holdfast channels check %s names %s."
                          .formatted(
                              source,
                              placesMissing == 1 ? "one place" : placesMissing + " places",
                              source,
                              placesMissing == 1 ? "it" : "them"),
                      "Ends when it is there again, or with a configuration without the place."));
          case ListenerStatus.NotReceiving _, ListenerStatus.Receiving _, ListenerStatus.Ending _ ->
              Optional.empty();
        };
    return report.map(found -> found.about(source));
  }

  /** Damaged rows that are kept, and what else was found damaged since the start. */
  static List<ConditionReport> damage(long rows, long lines, long repairs) {
    List<ConditionReport> all = new ArrayList<>();
    if (rows > 0) {
      all.add(
          ConditionReport.degraded(
                  "damaged_rows",
                  rows
                      + (rows == 1 ? " row" : " rows")
                      + " of the database damaged on disk and set aside. Check the disk. See those"
                      + " of open messages with holdfast dlq list, the others with holdfast trace"
                      + " ID; the log names the ids.",
                  "Ends when the rows are removed: inbox.dedupe_hours after the message came, a"
                      + " dead letter not before it is discarded.")
              .about("rows"));
    }
    if (lines > 0) {
      all.add(
          ConditionReport.degraded(
                  "damaged_lines",
                  lines
                      + (lines == 1
                          ? " line of conversation logs was found damaged since the start and is"
                          : " lines of conversation logs were found damaged since the start and"
                              + " are")
                      + " not shown. Check the disk.",
                  "Ends with the next start.")
              .about("logs"));
    }
    if (repairs > 0) {
      all.add(
          ConditionReport.degraded(
                  "repaired",
                  repairs
                      + (repairs == 1 ? " fault" : " faults")
                      + " of the database were found and repaired since the start. Check the disk"
                      + " and the memory; the log says what was wrong.",
                  "Ends with the next start.")
              .about("repairs"));
    }
    return all;
  }

  /** That nothing goes out, because an original may still do so. */
  static List<ConditionReport> copy(boolean isHeld) {
    return isHeld
        ? List.of(
            ConditionReport.degraded(
                "restored",
                "This server runs on a restored copy: no channel is connected, nothing is sent and"
                    + " no wake-up fires, as the original may still run. Once that has stopped for"
                    + " good, run holdfast promote.",
                "Ends when an operator lets it take the original's place: holdfast promote."))
        : List.of();
  }

  /** Why the store takes no message, if that belongs to the family. */
  static List<ConditionReport> refusal(String family, @Nullable StoreRefusal refusal) {
    return refusal != null && family(refusal.cause()).equals(family)
        ? List.of(refusal(refusal))
        : List.of();
  }

  private static String family(StoreRefusal.Cause cause) {
    return switch (cause) {
      case STORE_FAILED -> "store";
      case STOPPING -> "server";
      case DISK_TAKES_NOTHING, LOW_SPACE, DISK_SLOW -> "disk";
      case FULL -> "intake";
    };
  }

  private static ConditionReport refusal(StoreRefusal refusal) {
    return switch (refusal.cause()) {
      case STORE_FAILED ->
          ConditionReport.failed(
              "store_failed",
              "The database cannot be trusted any more: "
                  + refusal.message()
                  + ". The process ends and checks it at the next start.",
              "Ends with a restart.");
      case STOPPING -> stopping();
      case DISK_TAKES_NOTHING ->
          ConditionReport.failed(
              "takes_no_writes",
              "No message is accepted: the disk is full or read-only. Free some space or mount it"
                  + " writable.",
              "Ends with the next write that succeeds; one is tried every second.");
      case LOW_SPACE ->
          ConditionReport.failed(
              "low_space",
              "No message is accepted: "
                  + refusal.message()
                  + " (server.min_free_bytes). Free some space.",
              "Ends when more than the reserve is free.");
      case DISK_SLOW ->
          ConditionReport.failed(
              "slow",
              "No message is accepted: a write has taken more than a second. If this lasts, find"
                  + " out what else is using the disk.",
              "Ends when the write is done.");
      case FULL ->
          ConditionReport.failed(
              "inbox_full",
              "No message is accepted: "
                  + refusal.message()
                  + " (inbox.max_pending). Find out what keeps them from being answered.",
              "Ends when fewer are waiting.");
    };
  }

  static ConditionReport starting() {
    return ConditionReport.failed(
        "starting", "No message is accepted: the server is starting.", "Ends when it has started.");
  }

  static ConditionReport stopping() {
    return ConditionReport.failed(
        "stopping", "No message is accepted: the server is stopping.", "Ends with the next start.");
  }

  static List<ConditionReport> models(Orchestrator turns, Store store, Time time) {
    if (!turns.modelsAreAway()) {
      return turns.failsAlone().map(ServerConditions::failsAlone).stream().toList();
    }
    Map<String, Long> counts = store.inbox().counts();
    long waiting = counts.getOrDefault("parked", 0L) + counts.getOrDefault("pending", 0L);
    return List.of(unavailable(waiting, turns.lastModelFailure(), nextAsked(turns, time)));
  }

  static ConditionReport failsAlone(AloneMessages alone) {
    boolean one = alone.messages() == 1;
    return ConditionReport.degraded(
            "fails_on_some",
            "The model answers, but fails on "
                + (one ? "1 message (" : alone.messages() + " messages (the first is ")
                + alone.firstEventId()
                + "), which "
                + (one ? "is" : "are")
                + " tried again at growing intervals, and given up if that does not help. Nobody"
                + " else waits. holdfast trace ID shows what it says.",
            "Ends when they are answered or become dead letters.")
        .about("messages")
        .withNextAttemptAt(alone.next());
  }

  private static @Nullable Instant nextAsked(Orchestrator turns, Time time) {
    return turns.asksModelsIn().map(wait -> time.now().plus(wait)).orElse(null);
  }

  /**
   * @param waiting how many messages
   * @param failure what the models said last; empty when none was asked since the start
   * @param next null when a probe is under way or its time is not known
   */
  static ConditionReport unavailable(long waiting, String failure, @Nullable Instant next) {
    return ConditionReport.degraded(
            "unavailable",
            "No model could be reached"
                + (failure.isEmpty() ? "" : " (" + failure + ")")
                + switch ((int) Math.min(waiting, 2)) {
                  case 0 -> ". New messages wait";
                  case 1 -> "; 1 message waits";
                  default -> "; " + waiting + " messages wait";
                }
                + " and will be answered as soon as one can be reached. Nobody has to send anything"
                + " again.",
            "Ends when a model answers.")
        .withNextAttemptAt(next);
  }

  static List<ConditionReport> providers(Models models, Orchestrator turns, Time time) {
    return providers(models.refusingProviders(), nextAsked(turns, time));
  }

  /** The providers that only an operator can bring back; {@code next}: null when not known. */
  static List<ConditionReport> providers(
      Map<String, FailureCode> refusing, @Nullable Instant next) {
    return refusing.entrySet().stream()
        .map(refusal -> provider(refusal.getKey(), refusal.getValue()).withNextAttemptAt(next))
        .toList();
  }

  private static ConditionReport provider(String name, FailureCode code) {
    String end = "Ends when it answers a call; parked messages try automatically.";
    return (code == FailureCode.QUOTA
            ? ConditionReport.failed(
                "quota_used_up",
                name
                    + " no longer answers: the quota of the account is used up. Raise it there; the"
                    + " server notices automatically.",
                end)
            : ConditionReport.failed(
                "key_refused",
                name
                    + " refuses the key. Make it valid at the provider, which the server notices"
                    + " automatically, or configure another one and restart.",
                end))
        .about(name);
  }

  /** The parts that have crashed and do not run again yet, or not for long enough. */
  static List<ConditionReport> supervised(Collection<SupervisedThread> children) {
    return children.stream()
        .filter(child -> child.isAiling() || child.state() == SupervisedThread.State.WAITING)
        .map(
            child ->
                (child.isAiling()
                        ? ConditionReport.degraded(
                            "crashed_too_often",
                            "A part has crashed too often and is retried slowly: "
                                + child.spec().name()
                                + ". This is a bug; the log says where.",
                            "Ends when it has run for a minute.")
                        : ConditionReport.degraded(
                            "restarting",
                            "A part has crashed and is about to be restarted: "
                                + child.spec().name()
                                + ".",
                            "Ends when it runs again."))
                    .about(child.spec().name())
                    .withNextAttemptAt(child.restartsAt()))
        .toList();
  }

  /** Turns whose threads cannot be ended in this process. */
  static List<ConditionReport> turns(int hanging, boolean tooMany) {
    if (tooMany) {
      return List.of(
          ConditionReport.failed(
              "too_many_hang",
              hanging
                  + " threads or tools hang and cannot be ended, which is too many. Restart the"
                  + " server.",
              "Ends with a restart."));
    }
    return hanging == 0
        ? List.of()
        : List.of(
            ConditionReport.degraded(
                "some_hang",
                hanging
                    + " threads or tools hang and cannot be ended; their conversations continue"
                    + " without them. The log says where.",
                "Ends when they end, or with a restart."));
  }

  static ConditionReport uncleanStop() {
    return ConditionReport.degraded(
        "unclean_stop",
        "The last run did not stop cleanly. The database was checked and is intact; interrupted"
            + " messages are being resumed.",
        "Ends five minutes after the start.");
  }
}
