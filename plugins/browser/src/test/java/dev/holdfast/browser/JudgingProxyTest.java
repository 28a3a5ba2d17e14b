package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.testing.FakeContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JudgingProxyTest {
  private final List<String> judged = new CopyOnWriteArrayList<>();
  private final List<String> served = new CopyOnWriteArrayList<>();
  private HttpServer site;
  private JudgingProxy proxy;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final FakeContext context = new FakeContext(new Judge());

  /** Lets {@code good} through, which is the site, and nothing else. */
  private final class Judge implements PluginHttp {
    @Override
    public Answer send(Request request) {
      throw new IllegalStateException("nothing is sent");
    }

    @Override
    public InetSocketAddress judge(String url) throws CallFailedException {
      judged.add(url);
      if (!url.contains("://good")) {
        throw new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, "not public"));
      }
      return site.getAddress();
    }
  }

  @BeforeEach
  void open() throws IOException {
    site = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    site.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          served.add(
              exchange.getRequestMethod()
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + new String(body, StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("ok".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    site.start();
    proxy = serving(new ServerSocket(0, 128, InetAddress.getLoopbackAddress()));
  }

  private JudgingProxy serving(ServerSocket server) {
    JudgingProxy made = new JudgingProxy(context, server, sockets);
    Thread _ =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    made.serve();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
    return made;
  }

  @AfterEach
  void close() {
    proxy.close();
    site.stop(0);
  }

  /** All that comes back until the connection ends. */
  private String say(String text) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      socket.setSoTimeout(10_000);
      String lines = text.replace("\n", "\r\n");
      socket.getOutputStream().write(lines.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aRequestGoesToTheAddressThatWasJudged() throws Exception {
    String answer =
        say(
            """
            POST http://good/a?b=c HTTP/1.1
            Host: good
            Content-Length: 3
            Proxy-Connection: keep-alive

            abc\
            """);
    assertThat(answer).startsWith("HTTP/1.1 200").contains("Connection: close").endsWith("ok");
    assertThat(judged).containsExactly("http://good/a?b=c");
    assertThat(served).containsExactly("POST /a?b=c abc");
  }

  @Test
  void anotherRequestOnTheSameConnectionReachesNobody() throws Exception {
    String answer =
        say(
            """
            GET http://good/1 HTTP/1.1
            Host: good

            GET http://good/2 HTTP/1.1
            Host: good

            """);
    assertThat(answer).containsOnlyOnce("HTTP/1.1");
    assertThat(served).containsExactly("GET /1 ");
  }

  @Test
  void whatIsNotPublicIsRefusedWithTheReason() throws Exception {
    assertThat(say("GET http://10.0.0.1/ HTTP/1.1\nHost: good\n\n"))
        .startsWith("HTTP/1.1 403")
        .endsWith("not public");
    assertThat(say("CONNECT 10.0.0.1:443 HTTP/1.1\n\n")).startsWith("HTTP/1.1 403");
    assertThat(served).isEmpty();
  }

  @Test
  void aTunnelIsJudgedByItsHostAndCarriesBothWays() throws Exception {
    String answer =
        say(
            """
            CONNECT good:443 HTTP/1.1

            GET /t HTTP/1.1
            Host: x
            Connection: close

            """);
    assertThat(judged).containsExactly("https://good:443");
    assertThat(answer).startsWith("HTTP/1.1 200 Connected").endsWith("ok");
    assertThat(served).containsExactly("GET /t ");
  }

  @Test
  void whatIsNoRequestIsRefused() throws Exception {
    assertThat(say("hello\n\n")).startsWith("HTTP/1.1 400");
    assertThat(say("POST http://good/ HTTP/1.1\nTransfer-Encoding: chunked\n\n"))
        .startsWith("HTTP/1.1 411");
    assertThat(served).isEmpty();
  }

  @Test
  void aConnectionThatFailsIsForgotten() throws Exception {
    site.stop(0);
    assertThat(say("CONNECT good:443 HTTP/1.1\n\n")).isEmpty();
    proxy.close();
    assertThat(sockets).isEmpty();
  }

  @Test
  void whatCannotBeAcceptedIsWaitedFor() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    ServerSocket exhausted =
        new ServerSocket() {
          private int fails;

          @Override
          public Socket accept() throws IOException {
            if (fails++ == 2) {
              close();
              closed.countDown();
            }
            throw new IOException("too many open files");
          }
        };
    JudgingProxy _ = serving(exhausted);
    closed.await();
    assertThat(context.sleeps()).hasSize(2);
  }
}
