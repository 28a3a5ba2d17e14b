package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows F37 (DNS) and F38 (TLS): a platform that cannot be reached safely delays nobody else. */
@Timeout(90)
class NetworkTest {
  private static final String OTHER_SECRET = "whsec_c2VjcmV0LW9mLXRoZS1vdGhlci1hY2NvdW50";

  private final ServerRig rig = new ServerRig();

  /** A certificate that nobody signed is refused; not one byte of the reply goes over. */
  @Test
  void neitherAnUnknownHostNorASelfSignedOneDelaysAnybodyElse() throws Exception {
    AtomicInteger bytesRead = new AtomicInteger();
    AtomicInteger connections = new AtomicInteger();
    try (rig;
        SSLServerSocket listener = tlsListener(rig.folder())) {
      Thread.ofVirtual().start(() -> readAll(listener, connections, bytesRead));
      account("unknown", "http://no-such-host.invalid/replies");
      account("unsigned", "https://127.0.0.1:" + listener.getLocalPort() + "/replies");
      rig.start();
      lose("unknown");
      lose("unsigned");
      Await.until("a connection", Duration.ofSeconds(20), () -> connections.get() > 0);
      rig.converse("e1", "t", "hello");
      awaitWaiting("unknown");
      awaitWaiting("unsigned");
      assertThat(rig.server().isReady()).isTrue();
      assertThat(bytesRead).hasValue(0);
    }
  }

  private void account(String name, String replyUrl) {
    rig.setup()
        .setNamed(
            "channels.webhook.accounts",
            name,
            Map.of("secret", OTHER_SECRET, "reply_url", replyUrl, "allow", List.of("*")));
  }

  private void lose(String account) throws IOException {
    WebhookSender sender =
        new WebhookSender(rig.setup().url("/webhooks/webhook/" + account), OTHER_SECRET);
    assertThat(sender.send(account, "t", "hello").isAccepted()).isTrue();
  }

  /** A platform that was never reached counts no attempt: the reply says why it waits. */
  private void awaitWaiting(String event) {
    Await.until(
        "the reply waits and says why",
        Duration.ofSeconds(30),
        () -> {
          JsonNode reply = rig.api().event(event).path("replies").path(0);
          return reply.path("state").asText().equals("retry_at")
              && reply.path("detail").asText().contains("NETWORK");
        });
  }

  private static SSLServerSocket tlsListener(Path folder)
      throws IOException, GeneralSecurityException {
    Path store = folder.resolve("self.p12");
    Commands.run(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-alias",
        "self",
        "-keyalg",
        "EC",
        "-dname",
        "CN=127.0.0.1",
        "-ext",
        "san=ip:127.0.0.1",
        "-keystore",
        store.toString(),
        "-storepass",
        "changeit",
        "-storetype",
        "PKCS12");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, "changeit".toCharArray());
    }
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, "changeit".toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    return (SSLServerSocket)
        context
            .getServerSocketFactory()
            .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private static void readAll(
      SSLServerSocket listener, AtomicInteger connections, AtomicInteger bytesRead) {
    while (true) {
      try (SSLSocket socket = (SSLSocket) listener.accept()) {
        connections.incrementAndGet();
        bytesRead.addAndGet(Math.max(0, socket.getInputStream().readNBytes(1).length));
      } catch (IOException e) {
        if (listener.isClosed()) {
          return;
        }
      }
    }
  }
}
