package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Request;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.SelfSignedCertificate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class TlsTest {
  private static final Limits LIMITS =
      new Limits(
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          1000);

  private static final Time TIME = new SystemTime(); // connections are real

  private static Vertx vertx;
  private static SelfSignedCertificate certificate;
  private static HttpServer server;

  @BeforeAll
  static void open() {
    vertx = Vertx.vertx();
    certificate = SelfSignedCertificate.create("localhost");
    server = listen(certificate.keyCertOptions());
  }

  private static HttpServer listen(KeyCertOptions key) {
    return vertx
        .createHttpServer(
            new HttpServerOptions().setSsl(true).setHost("localhost").setKeyCertOptions(key))
        .requestHandler(request -> request.response().end("hello"))
        .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
        .listen(0)
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  @AfterAll
  static void close() {
    certificate.delete();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private static Request get(String url) {
    return new Request("GET", url, Map.of(), new byte[0]);
  }

  @Test
  void aCertificateOfAnUnknownAuthorityIsRefusedBeforeAnythingIsSent() {
    try (HttpCaller http = HttpCaller.create(vertx, TIME)) {
      HttpFailedException e =
          catchThrowableOfType(
              HttpFailedException.class,
              () -> http.send(get("https://localhost:" + server.actualPort()), LIMITS));
      assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
      assertThat(e.failure().message()).contains("TLS");
      assertThat(e.surelyNotSent()).isTrue();
    }
  }

  @Test
  void theSameHoldsForSockets() throws Exception {
    String url = "wss://localhost:" + server.actualPort();
    try (HttpCaller http = HttpCaller.create(vertx, TIME)) {
      HttpFailedException e =
          catchThrowableOfType(
              HttpFailedException.class,
              () -> http.connect(PluginSocket.Request.to(url, Map.of()), () -> {}));
      assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
      assertThat(e.failure().message()).contains("TLS");
      assertThat(e.surelyNotSent()).isTrue();
    }
    try (HttpCaller http = HttpCaller.create(vertx, TIME, certificate.trustOptions())) {
      String otherName = url.replace("localhost", "127.0.0.1");
      HttpFailedException e =
          catchThrowableOfType(
              HttpFailedException.class,
              () -> http.connect(PluginSocket.Request.to(otherName, Map.of()), () -> {}));
      assertThat(e.failure().message()).contains("TLS");
      CountDownLatch gone = new CountDownLatch(1);
      ClientSocket socket = http.connect(PluginSocket.Request.to(url, Map.of()), gone::countDown);
      socket.send("hello");
      assertThat(socket.receive(Duration.ofSeconds(5))).contains(new PluginSocket.Text("hello"));
      socket.close(1000, "");
      assertThat(gone.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aCertificateOfAnotherNameIsRefused() {
    try (HttpCaller http = HttpCaller.create(vertx, TIME, certificate.trustOptions())) {
      HttpFailedException e =
          catchThrowableOfType(
              HttpFailedException.class,
              () -> http.send(get("https://127.0.0.1:" + server.actualPort()), LIMITS));
      assertThat(e.failure().message()).contains("TLS");
      assertThat(e.surelyNotSent()).isTrue();
    }
  }

  /** F38: it differs from the one that is taken in its dates alone. */
  @Test
  @Timeout(60)
  void aCertificateThatHasExpiredIsRefused(@TempDir Path folder) throws Exception {
    Authority authority = new Authority(folder);
    HttpServer valid = listen(authority.sign("valid", "-1H"));
    HttpServer expired = listen(authority.sign("expired", "-2d"));
    try (HttpCaller http = HttpCaller.create(vertx, TIME, authority.trust())) {
      assertThat(http.send(get("https://localhost:" + valid.actualPort()), LIMITS).body())
          .hasSize(5);
      HttpFailedException e =
          catchThrowableOfType(
              HttpFailedException.class,
              () -> http.send(get("https://localhost:" + expired.actualPort()), LIMITS));
      assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
      assertThat(e.failure().message()).contains("TLS");
      assertThat(e.surelyNotSent()).isTrue();
    }
  }

  @Test
  void aTrustedCertificateOfTheRightNameIsFine() throws Exception {
    try (HttpCaller http = HttpCaller.create(vertx, TIME, certificate.trustOptions())) {
      assertThat(http.send(get("https://localhost:" + server.actualPort()), LIMITS).body())
          .hasSize(5);
    }
  }

  @Test
  void aServerThatSpeaksNoTlsIsRefusedBeforeAnythingIsSent() {
    try (RawServer plain = new RawServer(c -> c.write("HTTP/1.1 200 OK\r\n\r\n"));
        HttpCaller http = HttpCaller.create(vertx, TIME)) {
      HttpFailedException e =
          catchThrowableOfType(
              HttpFailedException.class,
              () -> http.send(get(plain.url().replace("http:", "https:")), LIMITS));
      assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
      assertThat(e.surelyNotSent()).isTrue();
    }
  }
}
