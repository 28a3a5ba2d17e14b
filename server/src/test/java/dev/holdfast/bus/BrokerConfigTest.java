package dev.holdfast.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.natskit.NatsAddresses;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BrokerConfigTest {
  private static BrokerConfig.Nats nats(String server, String creds, boolean trusted) {
    return new BrokerConfig.Nats(List.of(server), creds, "", "HOLDFAST", 1, trusted, "", false);
  }

  @Test
  void anotherMachineIsReachedOverTlsAndWithCredentialsAlone() {
    assertThat(nats("nats://127.0.0.1:4222", "", false).servers()).hasSize(1);
    assertThat(nats("tls://user:secret@nats.example.org:4222", "", false).servers()).hasSize(1);
    assertThat(nats("tls://nats.example.org:4222", "nats.creds", false).servers()).hasSize(1);
    assertThat(nats("nats://nats:4222", "", true).servers()).hasSize(1);
    for (String refused :
        List.of("nats://nats.example.org:4222", "tls://nats.example.org:4222", "http://x", "x")) {
      assertThatThrownBy(() -> nats(refused, "", false))
          .as(refused)
          .isInstanceOf(RefusedValueException.class);
    }
    assertThatThrownBy(() -> nats("nats://user:secret@nats.example.org:4222", "", false))
        .hasMessageContaining("without TLS")
        .hasMessageNotContaining("secret");
  }

  @Test
  void whatIsSaidOfAnAddressThatIsNoneHoldsNoPassword() {
    for (String password :
        List.of("SEC/RET", "SEC RET", "SEC\nRET", "SEC@RET", "SEC@R/ET", "SEC#RET")) {
      assertThatThrownBy(() -> nats("nats://user:" + password + "@127.0.0.1:4222", "", false))
          .as(password)
          .isInstanceOf(RefusedValueException.class)
          .hasMessageContaining("%2F for /")
          .hasMessageNotContaining("SEC")
          .hasMessageNotContaining("RET");
    }
    assertThatThrownBy(() -> nats("user:S/ECRET@127.0.0.1:4222", "", false))
        .as("without a scheme")
        .hasMessageContaining("got ***@127.0.0.1:4222")
        .hasMessageNotContaining("ECRET");
    assertThat(NatsAddresses.shown("nats://127.0.0.1:4222")).isEqualTo("nats://127.0.0.1:4222");
    assertThat(NatsAddresses.shown("[nats://a:x/y@one:1, tls://b:z@two:2] are not there"))
        .isEqualTo("[nats://***@two:2] are not there");
  }

  @Test
  void aServerThatNeverEndsItsFirstLineIsNoServerOfNats() throws Exception {
    try (ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread talker = Thread.ofVirtual().start(() -> talk(door));
      assertThatThrownBy(
              () ->
                  NatsSession.open(
                      nats("nats://127.0.0.1:" + door.getLocalPort(), "", false), _ -> {}))
          .isInstanceOf(CallFailedException.class)
          .satisfies(
              thrown ->
                  assertThat(((CallFailedException) thrown).failure().message())
                      .contains("its first line does not end"));
      talker.join();
    }
  }

  /** Until the other side has had enough. */
  private static void talk(ServerSocket door) {
    try (Socket guest = door.accept();
        OutputStream out = guest.getOutputStream()) {
      out.write("INFO ".getBytes(StandardCharsets.UTF_8));
      while (true) {
        out.write(new byte[64 * 1024]);
      }
    } catch (IOException _) {
      // It has hung up.
    }
  }

  @Test
  void whatIsSaidOfAServerThatIsNotThereHoldsNoPassword() {
    assertThatThrownBy(
            () -> NatsSession.open(nats("nats://user:secret@127.0.0.1:1", "", false), _ -> {}))
        .isInstanceOf(CallFailedException.class)
        .satisfies(
            thrown ->
                assertThat(((CallFailedException) thrown).failure().message())
                    .contains("cannot be reached")
                    .doesNotContain("secret"));
  }
}
