package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.FailureCode;
import dev.holdfast.net.WebFetcher.Bounds;
import dev.holdfast.net.WebFetcher.Fetched;
import dev.holdfast.time.SystemTime;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebFetcherTest extends HttpCase {
  private static final Bounds BOUNDS = new Bounds(Duration.ofSeconds(20), 10_000, "*/*");
  private static final String OK = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";

  private static WebFetcher fetcher(NameResolver resolver, String... allowed) {
    return new WebFetcher(
        http, resolver, new WebPolicy(Set.of(allowed), Set::of), new SystemTime());
  }

  private static WebFetcher local() {
    return fetcher(NameResolver.SYSTEM, "127.0.0.1");
  }

  private static HttpFailedException failure(WebFetcher fetcher, String url, Bounds bounds) {
    return catchThrowableOfType(HttpFailedException.class, () -> fetcher.fetch(url, bounds));
  }

  private static String answer(String body) {
    return OK + "content-length: " + body.length() + "\r\n\r\n" + body;
  }

  private static String redirect(String location) {
    return "HTTP/1.1 302 Found\r\nlocation: " + location + "\r\ncontent-length: 0\r\n\r\n";
  }

  private static int port(RawServer server) {
    return URI.create(server.url()).getPort();
  }

  @Test
  void whatTheOperatorLetsThroughIsFetched() throws Exception {
    try (RawServer server = new RawServer(c -> c.write(answer("hello")))) {
      Fetched page = local().fetch(server.url() + "/a?b=c#d", BOUNDS);
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.contentType()).isEqualTo("text/plain");
      assertThat(new String(page.body(), StandardCharsets.UTF_8)).isEqualTo("hello");
      assertThat(page.url()).isEqualTo(server.url() + "/a?b=c");
      assertThat(page.cut()).isFalse();
    }
  }

  @Test
  void aPrivateAddressIsNotEvenConnectedTo() throws Exception {
    try (RawServer server = new RawServer(c -> c.write(answer("secret")))) {
      HttpFailedException e = failure(fetcher(NameResolver.SYSTEM), server.url(), BOUNDS);
      assertThat(e.failure().code()).isEqualTo(FailureCode.INVALID_REQUEST);
      assertThat(server.connections()).isZero();
    }
  }

  /** First public, then private: the address that was judged is the one that is connected to. */
  @Test
  void aNameThatChangesItsAddressCannotLeadInside() throws Exception {
    try (RawServer server = new RawServer(c -> c.write(answer("secret")))) {
      AtomicInteger asked = new AtomicInteger();
      NameResolver rebinding =
          _ ->
              List.of(
                  InetAddress.ofLiteral(asked.getAndIncrement() == 0 ? "192.0.1.1" : "127.0.0.1"));
      Bounds brief = new Bounds(Duration.ofMillis(500), 10_000, "*/*");
      HttpFailedException e =
          failure(fetcher(rebinding), "http://rebind.example.org:" + port(server) + "/", brief);
      assertThat(e).isNotNull();
      assertThat(asked).hasValue(1);
      assertThat(server.connections()).isZero();
      assertThat(
              failure(fetcher(rebinding), "http://rebind.example.org:" + port(server) + "/", brief)
                  .failure()
                  .code())
          .isEqualTo(FailureCode.INVALID_REQUEST);
      assertThat(server.connections()).isZero();
    }
  }

  @Test
  void theNameIsWhatTheOtherSideHears() throws Exception {
    CompletableFuture<String> head = new CompletableFuture<>();
    try (HeadServer server = new HeadServer(head)) {
      WebFetcher fetcher =
          fetcher(_ -> List.of(InetAddress.ofLiteral("127.0.0.1")), "wiki.example.org");
      fetcher.fetch("http://wiki.example.org:" + server.port() + "/", BOUNDS);
      assertThat(head.get())
          .containsIgnoringCase("host: wiki.example.org:" + server.port())
          .containsIgnoringCase("accept-encoding: identity")
          .doesNotContainIgnoringCase("authorization")
          .doesNotContainIgnoringCase("cookie");
    }
  }

  @Test
  void aRedirectToAPrivateAddressIsRefused() throws Exception {
    try (RawServer inside = new RawServer(c -> c.write(answer("secret")))) {
      for (String to :
          List.of(
              "http://localhost:" + port(inside) + "/",
              "http://[::ffff:127.0.0.1]:" + port(inside) + "/",
              "http://169.254.169.254/latest/",
              "file:///etc/passwd",
              "http://u:p@127.0.0.1/")) {
        try (RawServer server = new RawServer(c -> c.write(redirect(to)))) {
          WebFetcher fetcher = fetcher(NameResolver.SYSTEM, "127.0.0.1:" + port(server));
          HttpFailedException e = failure(fetcher, server.url(), BOUNDS);
          assertThat(e.failure().code()).as(to).isEqualTo(FailureCode.INVALID_REQUEST);
        }
      }
      assertThat(inside.connections()).isZero();
    }
  }

  @Test
  void threeRedirectsAreFollowedAndNoMore() throws Exception {
    try (RawServer end = new RawServer(c -> c.write(answer("there")))) {
      List<RawServer> hops = new ArrayList<>(List.of(end));
      for (int i = 0; i < 4; i++) {
        String next = hops.getLast().url();
        hops.add(new RawServer(c -> c.write(redirect(next))));
      }
      assertThat(local().fetch(hops.get(3).url(), BOUNDS).url()).isEqualTo(end.url() + "/");
      assertThat(failure(local(), hops.get(4).url(), BOUNDS).failure().message())
          .contains("redirects");
      hops.forEach(RawServer::close);
    }
  }

  @Test
  void anEndlessBodyIsCutAndItsConnectionClosed() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(OK + "transfer-encoding: chunked\r\n\r\n");
              while (true) {
                c.chunk("x".repeat(8000));
              }
            })) {
      Fetched page = local().fetch(server.url(), BOUNDS);
      assertThat(page.cut()).isTrue();
      assertThat(page.body()).hasSize(10_000);
      server.gone().await();
      assertThat(server.written()).isLessThan(50_000_000);
    }
  }

  @Test
  void aBodyThatDripsIsGivenUpWhenTheTimeIsOver() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(OK + "transfer-encoding: chunked\r\n\r\n");
              while (!never.await(50, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                c.chunk("x");
              }
            })) {
      HttpFailedException e =
          failure(local(), server.url(), new Bounds(Duration.ofMillis(700), 10_000, "*/*"));
      assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
      server.gone().await();
    }
  }

  @Test
  void whatIsCompressedIsNotUnpacked() throws Exception {
    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bomb)) {
      byte[] zeros = new byte[1 << 20];
      for (int i = 0; i < 20; i++) {
        out.write(zeros);
      }
    }
    for (String coding : List.of("gzip", "br", "zstd", "deflate, gzip")) {
      try (RawServer server =
          new RawServer(
              c -> {
                c.write(
                    OK
                        + "content-encoding: "
                        + coding
                        + "\r\ncontent-length: "
                        + bomb.size()
                        + "\r\n\r\n");
                c.write(bomb.toByteArray());
                c.awaitClose();
              })) {
        assertThat(failure(local(), server.url(), BOUNDS).failure().message())
            .contains("compressed");
      }
    }
  }

  @Test
  void hugeHeadersAreRefused() throws Exception {
    try (RawServer server =
        new RawServer(
            c -> {
              c.write("HTTP/1.1 200 OK\r\n");
              for (int i = 0; i < 5000; i++) {
                c.write("x-" + i + ": " + "y".repeat(1000) + "\r\n");
              }
              c.awaitClose();
            })) {
      assertThat(failure(local(), server.url(), BOUNDS)).isNotNull();
    }
  }

  @Test
  void aNameServerThatHangsIsNotWaitedFor() {
    CountDownLatch never = new CountDownLatch(1);
    NameResolver hanging =
        _ -> {
          try {
            never.await();
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
          return List.of();
        };
    HttpFailedException e =
        failure(
            fetcher(hanging),
            "http://slow.example.org/",
            new Bounds(Duration.ofMillis(200), 10_000, "*/*"));
    assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
  }

  /** Its calls into the C library would hold the carriers of all virtual threads. */
  @Test
  void noNameIsResolvedOnAVirtualThread() {
    List<Thread> asked = new ArrayList<>();
    NameResolver resolver =
        _ -> {
          asked.add(Thread.currentThread());
          return List.of();
        };
    assertThat(failure(fetcher(resolver), "http://none.example.org/", BOUNDS)).isNotNull();
    assertThat(asked).noneMatch(Thread::isVirtual).hasSize(1);
  }

  @Test
  void anInterruptEndsAFetchThatHangs() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (RawServer server =
        new RawServer(
            c -> {
              c.write(OK + "transfer-encoding: chunked\r\n\r\n");
              c.chunk("begun");
              asked.countDown();
              c.awaitClose();
            })) {
      CompletableFuture<Throwable> ended = new CompletableFuture<>();
      Thread thread =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      local().fetch(server.url(), BOUNDS);
                    } catch (Exception e) {
                      ended.complete(e);
                    }
                  });
      asked.await();
      thread.interrupt();
      assertThat(ended.get()).isInstanceOf(InterruptedException.class);
      server.gone().await();
    }
  }

  /** Keeps the head of the one request that it gets. */
  private static final class HeadServer implements AutoCloseable {
    private final java.net.ServerSocket socket =
        new java.net.ServerSocket(0, 5, InetAddress.getLoopbackAddress());

    HeadServer(CompletableFuture<String> head) throws java.io.IOException {
      Thread.ofVirtual()
          .start(
              () -> {
                try (java.net.Socket client = socket.accept()) {
                  StringBuilder text = new StringBuilder();
                  while (text.indexOf("\r\n\r\n") < 0) {
                    text.append((char) client.getInputStream().read());
                  }
                  head.complete(text.toString());
                  client.getOutputStream().write(answer("x").getBytes(StandardCharsets.US_ASCII));
                } catch (java.io.IOException e) {
                  head.completeExceptionally(e);
                }
              });
    }

    int port() {
      return socket.getLocalPort();
    }

    @Override
    public void close() throws java.io.IOException {
      socket.close();
    }
  }
}
