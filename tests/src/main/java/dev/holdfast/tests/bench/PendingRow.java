package dev.holdfast.tests.bench;

import java.time.Duration;
import java.util.Locale;

/** Durable acks while a million accepted events wait. */
final class PendingRow implements Row {
  @Override
  public void run(Scale scale, Report report) throws Exception {
    int backlog = scale.count(1_000_000, 50_000);
    try (HeldRig held = new HeldRig();
        LoadClient client = new LoadClient(held.rig().start().setup().httpPort(), 256)) {
      WarmUp.until(scale, window -> client.flatOut(Duration.ZERO, window).perSecond());
      long before = Probe.residentBytes(held.rig().server().pid());
      LoadResult empty = client.steady(1_000, scale.span(12));
      LoadResult fill = client.send(backlog);
      long after = Probe.residentBytes(held.rig().server().pid());
      LoadResult full = client.flatOut(scale.span(4), scale.span(12));
      LoadResult steady = client.steady(1_000, scale.span(12));
      String many = String.format(Locale.ROOT, "%,d", backlog);
      report.figure(
          "durable acks with " + many + " pending",
          Report.perSecond(full.perSecond()) + full.trouble(),
          "while filling " + Report.perSecond(fill.perSecond()) + fill.trouble());
      report.figure(
          "ack latency at 1,000/s with " + many + " pending",
          Report.percentiles(steady.latency()),
          "few pending: " + Report.percentiles(empty.latency()));
      report.figure(
          "resident memory with " + many + " pending",
          Report.mebibytes(after),
          "few pending: " + Report.mebibytes(before));
    }
  }
}
