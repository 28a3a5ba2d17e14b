package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Over TLS, events and questions go to the server of the address, and to nobody who poses as it.
 */
@Outside(
    covers = {"server/src/main/java/dev/holdfast/bus", "nats-kit/src/main"},
    needs = "nats-server:nats-server")
@Timeout(180)
class NatsTlsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void onlyTheServerOfTheAddressIsTrusted() throws Exception {
    Path folder = ServerRig.newFolder("holdfast-tls");
    TlsIdentity right = new TlsIdentity(folder, "localhost");
    TlsIdentity ofAnotherHost = new TlsIdentity(folder, "nats.example.org");
    TlsIdentity ofAnotherAuthority = new TlsIdentity(folder, "localhost");
    TlsIdentity expired = new TlsIdentity(folder, "localhost", 100);
    Path trusted =
        Files.writeString(
            folder.resolve("ca.pem"),
            Files.readString(right.certificate())
                + Files.readString(ofAnotherHost.certificate())
                + Files.readString(expired.certificate()));
    try (NatsServer nats = new NatsServer().configured(right.natsConfig(), Map.of()).start();
        ServerRig rig = new ServerRig()) {
      List<String> servers = List.of("tls://localhost:" + nats.port());
      rig.setup()
          .plugin("nats")
          .set("broker.kind", "nats")
          .set("broker.nats.servers", servers)
          .set("broker.nats.ca_file", trusted.toString())
          .setNamed(
              "breakers", "bus:nats", Map.of("initial_backoff_ms", 300, "max_backoff_ms", 1000))
          .setNamed(
              "channels.nats.accounts",
              "main",
              Map.of("servers", servers, "ca_file", trusted.toString()));
      rig.start();
      rig.accept("m1", "t", "over TLS");
      awaitPublished(rig);
      assertThat(check(rig)).contains("NATS can be reached at tls://localhost");

      restart(nats, ofAnotherHost.natsConfig());
      awaitTrouble(rig, "is not trusted", "localhost", "docs/bus.md");
      assertThat(check(rig)).contains("is not trusted", "localhost");
      rig.accept("m2", "t", "not for that server");
      restart(nats, ofAnotherAuthority.natsConfig());
      awaitTrouble(rig, "is not trusted", "PKIX path");
      restart(nats, expired.natsConfig());
      awaitTrouble(rig, "is not trusted", "PKIX path");
      restart(nats, "max_payload: 1MB");
      awaitTrouble(rig, "offers no TLS");
      assertThat(check(rig)).contains("offers no TLS");
      assertThat(rig.metrics().sum("holdfast_bus_queue_depth")).isPositive();

      restart(nats, right.natsConfig());
      awaitPublished(rig);
    } finally {
      ServerRig.delete(folder);
    }
  }

  private static void restart(NatsServer nats, String config) {
    nats.kill9();
    NatsServer _ = nats.configured(config, Map.of()).start();
  }

  private static void awaitPublished(ServerRig rig) {
    Await.until(
        "all events are published",
        LIMIT,
        () ->
            rig.metrics().sum("holdfast_bus_published_total") > 0
                && rig.metrics().sum("holdfast_bus_queue_depth") == 0);
  }

  private static void awaitTrouble(ServerRig rig, String... words) {
    Await.until(
        "conditions say " + String.join(", ", words),
        LIMIT,
        () -> {
          String conditions = rig.api().get("/api/v1/conditions").body();
          for (String word : words) {
            if (!conditions.contains(word)) {
              return false;
            }
          }
          return true;
        });
  }

  private static String check(ServerRig rig) throws IOException {
    return rig.api().post("/api/v1/channels/nats/check", Map.of()).body();
  }
}
