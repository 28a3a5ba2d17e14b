package dev.holdfast.tests.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import java.net.http.HttpHeaders;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Holds our signatures against the published example and the reference library. */
class SignerTest {
  private final Signer signer = new Signer(ServerRig.SECRET);

  @Test
  void signsThePublishedExample() {
    assertThat(signer.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "{\"test\": 2432232314}"))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void theReferenceLibraryTakesItsSignatures() throws Exception {
    String time = Long.toString(Instant.now().getEpochSecond());
    Map<String, List<String>> headers =
        Map.of(
            "webhook-id", List.of("m1"),
            "webhook-timestamp", List.of(time),
            "webhook-signature", List.of(signer.sign("m1", time, "{}")));
    new Webhook(ServerRig.SECRET).verify("{}", HttpHeaders.of(headers, (_, _) -> true));
    assertThat(signer.verifies("v1,AAAA " + signer.sign("m1", time, "{}"), "m1", time, "{}"))
        .isTrue();
    assertThat(signer.verifies(signer.sign("m1", time, "{ }"), "m1", time, "{}")).isFalse();
  }
}
