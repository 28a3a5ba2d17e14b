package dev.holdfast.tests.bench;

import java.time.Duration;

/** Durable acks: 2xx after commit and fsync, beside a route that keeps nothing. */
final class AckRow implements Row {
  private static final int CONNECTIONS = 256;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    LoadResult bare;
    Duration bareCpu;
    LoadResult bareSteady;
    try (BareProcess process = new BareProcess();
        LoadClient client = new LoadClient(process.port(), CONNECTIONS)) {
      WarmUp.until(scale, window -> client.flatOut(Duration.ZERO, window).perSecond());
      Duration before = Probe.cpuTime(process.pid());
      bare = client.flatOut(Duration.ZERO, scale.span(20));
      bareCpu = Probe.cpuTime(process.pid()).minus(before);
      bareSteady = client.steady(1_000, scale.span(20));
    }
    try (HeldRig held = new HeldRig();
        LoadClient client = new LoadClient(held.rig().start().setup().httpPort(), CONNECTIONS)) {
      WarmUp.until(scale, window -> client.flatOut(Duration.ZERO, window).perSecond());
      long pid = held.rig().server().pid();
      Duration before = Probe.cpuTime(pid);
      LoadResult durable = client.flatOut(Duration.ZERO, scale.span(20));
      Duration cpu = Probe.cpuTime(pid).minus(before);
      report.figure(
          "durable acks, " + CONNECTIONS + " connections",
          Report.perSecond(durable.perSecond()) + durable.trouble(),
          Report.perSecond(bare.perSecond()) + bare.trouble());
      report.figure(
          "the server's CPU time per acknowledged event",
          Report.microsEach(cpu, durable.accepted()),
          Report.microsEach(bareCpu, bare.accepted()));
      LoadResult steady = client.steady(1_000, scale.span(20));
      report.figure(
          "ack latency at 1,000/s" + steady.trouble(),
          Report.percentiles(steady.latency()),
          Report.percentiles(bareSteady.latency()));
      int half = (int) (durable.perSecond() / 2);
      LoadResult atHalf = client.steady(half, scale.span(20));
      report.figure(
          "ack latency at half of the highest rate" + atHalf.trouble(),
          Report.percentiles(atHalf.latency()),
          "see above");
    }
  }
}
