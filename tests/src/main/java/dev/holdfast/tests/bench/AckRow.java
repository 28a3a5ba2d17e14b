package dev.holdfast.tests.bench;

/** Durable acks: 2xx after commit and fsync, beside a route that keeps nothing. */
final class AckRow implements Row {
  private static final int CONNECTIONS = 256;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    LoadResult bare;
    LoadResult bareSteady;
    try (BareProcess process = new BareProcess();
        LoadClient client = new LoadClient(process.port(), CONNECTIONS)) {
      bare = client.flatOut(scale.warmUp(), scale.span(20));
      bareSteady = client.steady(1_000, scale.span(20));
    }
    try (HeldRig held = new HeldRig();
        LoadClient client = new LoadClient(held.rig().start().setup().httpPort(), CONNECTIONS)) {
      LoadResult durable = client.flatOut(scale.warmUp(), scale.span(20));
      report.figure(
          "durable acks, " + CONNECTIONS + " connections",
          Report.perSecond(durable.perSecond()) + durable.trouble(),
          Report.perSecond(bare.perSecond()) + bare.trouble());
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
