package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;

/** One server for all attacks; after each of them it must still serve. */
@Timeout(60)
@ResourceLock("the server that is attacked")
abstract class SharedServer {
  static final String ANN = "ann-token-0123456789abcdef012";
  static final String BOB = "bob-token-0123456789abcdef012";
  static final String READER = "reader-token-0123456789abcdef";
  static final String OTHER_SECRET = "whsec_c2VjcmV0LW9mLXRoZS1vdGhlci1hY2NvdW50";

  @RegisterExtension static final Served SERVED = Served.shared(SharedServer::configure);

  final ServerRig rig = SERVED.rig();
  final Http http = new Http();

  private static void configure(ServerRig rig) {
    rig.setup()
        .set("tools.shell.enabled", true)
        .set("tools.autonomy", "supervised")
        .set("extensions", List.of(new AgentScript(rig, "worker").declaration()))
        .set(
            "api.tokens",
            List.of(
                Map.of("name", "ann", "token", ANN, "scopes", List.of("read", "chat")),
                Map.of("name", "bob", "token", BOB, "scopes", List.of("read", "chat")),
                Map.of("name", "reader", "token", READER, "scopes", List.of("read"))))
        .setNamed(
            "channels.webhook.accounts",
            "other",
            Map.of(
                "secret",
                OTHER_SECRET,
                "reply_url",
                rig.platform().replyUrl(),
                "allow",
                List.of("*")));
  }

  /** The status of the first answer to raw bytes; 0 when the connection was closed without one. */
  int rawStatus(String bytes) throws IOException {
    return RawClient.status(RawClient.ask(rig.setup().httpPort(), bytes));
  }

  int accepted() throws IOException {
    return rig.api().status().path("counts").path("accepted").asInt();
  }

  void assertNoEvent(String id) throws IOException {
    assertThat(rig.api().get("/api/v1/events/" + id).status()).as("no event " + id).isEqualTo(404);
  }
}
