package dev.holdfast.cli;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.bus.BrokerConfig;
import dev.holdfast.bus.ControlListener;
import dev.holdfast.bus.NatsReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether NATS can be used, and what its acknowledgements are worth. */
final class BrokerChecks {
  private static final String NAME = "NATS";
  private static final String CONTROL = "NATS control";
  private static final String HELP = "see docs/bus.md, Control, for permissions and streams";

  /** Whoever reads the stream may be away for a night. */
  private static final Duration KEPT_MIN = Duration.ofDays(1);

  private final BrokerConfig config;

  BrokerChecks(BrokerConfig config) {
    this.config = config;
  }

  /** Empty when nothing is published. Blocks for some seconds at most. */
  Optional<Finding> nats() throws InterruptedException {
    return config.remote().isEmpty() ? Optional.empty() : Optional.of(ask(config.nats()));
  }

  /** Empty when nobody may ask over NATS. Blocks for some seconds at most. */
  Optional<Finding> control() throws InterruptedException {
    if (config.remote().filter(BrokerConfig.Nats::control).isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          ControlListener.problem(config.nats())
              .map(why -> Finding.bad(CONTROL, "requests are not taken: " + why, HELP))
              .orElse(Finding.good(CONTROL, "requests can be taken")));
    } catch (CallFailedException e) {
      return Optional.of(Finding.bad(CONTROL, e.failure().message(), HELP));
    }
  }

  private static Finding ask(BrokerConfig.Nats nats) throws InterruptedException {
    NatsReport report;
    try {
      report = NatsReport.ask(nats);
    } catch (CallFailedException e) {
      return Finding.bad(NAME, e.failure().message(), "see docs/bus.md; events wait on disk");
    }
    String text =
        "%s at %s, stream %s%s, sync_interval %s"
            .formatted(
                report.version(),
                nats.shown(),
                nats.stream(),
                report.stream()
                    .map(BrokerChecks::shown)
                    .orElse(" (not there yet: the server makes it)"),
                report.syncInterval().orElse("unknown"));
    return report.stream()
        .flatMap(stream -> risk(stream, text))
        .or(() -> flushing(report, text))
        .orElse(Finding.good(NAME, text));
  }

  private static String shown(NatsReport.EventStream stream) {
    List<String> facts = new ArrayList<>();
    facts.add(stream.isInMemory() ? "in memory" : "on disk");
    facts.add(
        stream.maxAge().isZero() ? "kept for ever" : "kept for " + Formats.length(stream.maxAge()));
    facts.addAll(stream.limits());
    return " (" + String.join(", ", facts) + ")";
  }

  private static Optional<Finding> risk(NatsReport.EventStream stream, String text) {
    if (stream.isFull()) {
      return Optional.of(
          Finding.bad(
              NAME,
              text + ": the stream is full, so events wait",
              "raise its max_msgs or max_bytes, or set its discard to old"));
    }
    if (stream.isInMemory()) {
      return Optional.of(
          Finding.warning(
              NAME,
              text + ": a restart of nats-server loses what it has acknowledged",
              "delete the stream, so that Holdfast makes one on disk"));
    }
    if (stream.isForConsumers()) {
      return Optional.of(
          Finding.warning(
              NAME,
              text + ": the stream drops what none of its consumers waits for",
              "make a stream with the retention limits, or make sure that each reader has a"
                  + " durable consumer"));
    }
    return stream.maxAge().isPositive() && stream.maxAge().compareTo(KEPT_MIN) < 0
        ? Optional.of(
            Finding.warning(
                NAME,
                text + ": whoever is away for longer misses events",
                "set its max_age to a day or more"))
        : Optional.empty();
  }

  /** What a power failure loses, if it does. */
  private static Optional<Finding> flushing(NatsReport report, String text) {
    if (report.isSynced()) {
      return Optional.empty();
    }
    return Optional.of(
        report.isCurrent()
            ? Finding.warning(
                NAME,
                text
                    + ": what it has acknowledged since it last flushed may be lost when its"
                    + " machine loses power",
                report.syncInterval().isEmpty()
                    ? report.syncUnknown()
                    : "set jetstream { sync_interval: always } in its configuration")
            : Finding.warning(
                NAME,
                text + ": what it has acknowledged may be lost when its machine loses power",
                "upgrade nats-server to 2.14.6 or later and set jetstream { sync_interval: always }"
                    + (report.syncUnknown().isEmpty() ? "" : "; " + report.syncUnknown())));
  }
}
