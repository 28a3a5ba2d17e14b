package dev.holdfast.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.wire.HttpConfig;
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
                      new dev.holdfast.time.SystemTime()))
          .isInstanceOf(java.io.IOException.class)
          .hasMessageContaining("127.0.0.1:" + port);
    }
  }
}
