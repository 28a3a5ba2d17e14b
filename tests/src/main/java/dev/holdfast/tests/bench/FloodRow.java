package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Flood;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * S13: honest messages, 50 a second, while strangers keep connections, bodies and answers half
 * done. All come from one address.
 */
final class FloodRow implements Row {
  private static final int HONEST_PER_SECOND = 50;
  private static final String HOOK = "/webhooks/webhook/ci";

  private record Kind(int connections, Flood.Attack attack) {}

  private static Map<String, Kind> kinds() {
    Map<String, Kind> kinds = new LinkedHashMap<>();
    kinds.put("nothing", new Kind(0, Flood.announced(HOOK)));
    kinds.put("1,200 unfinished logins", new Kind(1_200, Flood.unfinished("/login")));
    kinds.put("700 unfinished chunked webhooks", new Kind(700, Flood.unfinishedChunks(HOOK)));
    kinds.put("200 announced bodies", new Kind(200, Flood.announced(HOOK)));
    kinds.put("2,000 slow readers", new Kind(2_000, Flood.unread("/openapi.yaml")));
    return kinds;
  }

  @Override
  public void run(Scale scale, Report report) throws Exception {
    Duration span = scale.span(60);
    try (ServerRig rig = new ServerRig(false);
        LoadClient client = new LoadClient(rig.start().setup().httpPort(), 16)) {
      WarmUp.until(scale, window -> client.flatOut(Duration.ZERO, window).perSecond());
      LoadResult alone = null;
      for (Map.Entry<String, Kind> kind : kinds().entrySet()) {
        LoadResult honest;
        int attacks;
        Kind against = kind.getValue();
        try (Flood flood =
            Flood.of(rig.setup().httpPort(), against.connections(), against.attack())) {
          honest = client.steady(HONEST_PER_SECOND, span);
          attacks = flood.attacks();
        }
        alone = alone == null ? honest : alone;
        report.figure(
            "acks at 50/s during " + kind.getKey() + " (" + attacks + ")" + honest.trouble(),
            Report.percentiles(honest.latency()),
            Report.percentiles(alone.latency()));
        report.line(
            "resident memory then: " + Report.mebibytes(Probe.residentBytes(rig.server().pid())));
      }
      rig.api().awaitQuiet(Duration.ofMinutes(2));
      report.line("states at the end: " + rig.api().status().path("counts"));
    }
  }
}
