package dev.holdfast.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.wire.HttpConfig;
import io.micrometer.core.instrument.Gauge;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetricsTest {
  /** Mixed versions of Vert.x lose these without a word. */
  @Test
  void theMetricsOfVertxAreServed() throws Exception {
    try (IngressRig rig = new IngressRig()) {
      rig.get("/live");
      rig.post("/webhooks/webhook/ci", "t|hi|m1", "x-sign: ok");
      rig.get("/api/v1/status");
      try (Raw raw = new Raw(rig.listener.metricsPort())) {
        raw.send(Raw.request("GET", "/metrics", "", IngressRig.bearer(IngressRig.METRICS_TOKEN)));
        Raw.Answer answer = raw.answer();
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("content-type")).startsWith("text/plain; version=0.0.4");
        assertThat(answer.body())
            .contains("vertx_http_server_requests_total")
            .contains("vertx_http_server_response_time_seconds")
            .contains("holdfast_events_total{channel=\"webhook\",outcome=\"accepted\"} 1.0")
            .contains("holdfast_http_refused_total{status=\"401\"} 1.0")
            .doesNotContain(IngressRig.ADMIN);
      }
    }
  }

  /** S31: the metrics listener serves metrics and nothing else, the other one everything but. */
  @Test
  void eachListenerServesItsOwn() throws Exception {
    try (IngressRig rig = new IngressRig()) {
      for (String path :
          new String[] {"/", "/api/v1/status", "/metrics/", "/live", "/../metrics"}) {
        try (Raw raw = new Raw(rig.listener.metricsPort())) {
          raw.send(Raw.request("GET", path, "", IngressRig.bearer(IngressRig.ADMIN)));
          assertThat(raw.answer().status()).isEqualTo(404);
        }
      }
      assertThat(rig.get("/metrics").status()).isEqualTo(404);
    }
  }

  @Test
  void theMetricsAreForWhoHasTheirTokenAndComesByAKnownNameOrAnAddress() throws Exception {
    try (IngressRig rig = new IngressRig()) {
      String token = IngressRig.bearer(IngressRig.METRICS_TOKEN);
      assertThat(scrape(rig)).isEqualTo(401);
      assertThat(scrape(rig, IngressRig.bearer(IngressRig.ADMIN))).isEqualTo(401);
      assertThat(scrape(rig, token, token)).isEqualTo(401);
      assertThat(scrape(rig, token)).isEqualTo(200);
      assertThat(scrape(rig, token, "Host: 10.0.0.7:9090")).isEqualTo(200);
      assertThat(scrape(rig, token, "Host: [fd00::7]:9090")).isEqualTo(200);
      assertThat(scrape(rig, token, "Host: evil.example")).isEqualTo(403);
    }
  }

  private static int scrape(IngressRig rig, String... headers) throws Exception {
    try (Raw raw = new Raw(rig.listener.metricsPort())) {
      return raw.send(Raw.request("GET", "/metrics", "", headers)).answer().status();
    }
  }

  /** Two that scrape the same server know nothing of each other. */
  @Test
  void whoComesDuringAScrapeIsAnsweredWithTheNextOne() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (IngressRig rig = new IngressRig();
        Raw first = new Raw(rig.listener.metricsPort());
        Raw second = new Raw(rig.listener.metricsPort());
        Raw third = new Raw(rig.listener.metricsPort())) {
      Gauge.builder("holdfast.slow", () -> awaited(begun, go)).register(rig.meters);
      String request =
          Raw.request("GET", "/metrics", "", IngressRig.bearer(IngressRig.METRICS_TOKEN));
      first.send(request);
      begun.await();
      rig.meters.counter("holdfast.late").increment();
      second.send(request);
      third.send(request);
      assertThat(rig.get("/live").status()).isEqualTo(200);
      go.countDown();
      assertThat(first.answer().status()).isEqualTo(200);
      for (Raw other : List.of(second, third)) {
        Raw.Answer answer = other.answer();
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).contains("holdfast_late_total 1.0");
      }
    }
  }

  private static double awaited(CountDownLatch begun, CountDownLatch go) {
    begun.countDown();
    try {
      go.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return 1;
  }

  @Test
  void aTakenPortIsSaidWithItsAddress() throws Exception {
    try (IngressRig rig = new IngressRig()) {
      int port = rig.listener.port();
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () ->
                  new IngressRig(
                      free ->
                          new HttpConfig(
                              free.host(),
                              port,
                              "",
                              free.allowedHosts(),
                              free.maxBodyBytes(),
                              free.headerTimeout(),
                              free.bodyTimeout(),
                              free.idleTimeout(),
                              free.maxConnections()),
                      new dev.holdfast.time.ManualTime()))
          .isInstanceOf(java.io.IOException.class)
          .hasMessageContaining("127.0.0.1:" + port);
    }
  }
}
