package dev.holdfast.cli;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.bus.BrokerConfig;
import dev.holdfast.bus.ControlListener;
import dev.holdfast.bus.NatsReport;
import java.util.Optional;

/** Whether NATS can be used, and what its acknowledgements are worth. */
final class BrokerChecks {
  private static final String NAME = "NATS";
  private static final String CONTROL = "NATS control";
  private static final String HELP = "see docs/bus.md, Control, for permissions and streams";

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
      return Finding.bad(
          NAME, e.failure().message(), "events wait on disk until it can be reached");
    }
    String text =
        "%s at %s, stream %s, sync_interval %s"
            .formatted(
                report.version(),
                nats.shown(),
                nats.stream(),
                report.syncInterval().orElse("unknown"));
    if (report.isSynced()) {
      return Finding.good(NAME, text);
    }
    if (!report.isCurrent()) {
      return Finding.warning(
          NAME,
          text + ": what it has acknowledged may be lost when its machine loses power",
          "upgrade nats-server to 2.14.6 or later and set jetstream { sync_interval: always }");
    }
    return Finding.warning(
        NAME,
        text
            + ": what it has acknowledged since it last flushed may be lost when its machine loses"
            + " power",
        report.syncInterval().isEmpty()
            ? "set broker.nats.monitor_url, so that this can be checked"
            : "set jetstream { sync_interval: always } in its configuration");
  }
}
