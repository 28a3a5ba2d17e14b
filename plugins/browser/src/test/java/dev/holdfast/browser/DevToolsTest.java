package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DevToolsTest {
  private final LinkedBlockingQueue<String> sent = new LinkedBlockingQueue<>();
  private final DevTools tools =
      new DevTools(InputStream.nullInputStream(), new Sent(), (_, _) -> {});

  /** The other end, which never answers. */
  private final class Sent extends OutputStream {
    @Override
    public void write(int one) {
      throw new UnsupportedOperationException("messages come whole");
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      sent.add(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  /** A command that waits for its answer. */
  private CompletableFuture<Failure> begun(String session) throws InterruptedException {
    CompletableFuture<Failure> failure = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () ->
                failure.complete(
                    catchThrowableOfType(
                            CallFailedException.class, () -> tools.call(session, "Do", Map.of()))
                        .failure()));
    assertThat(sent.poll(10, TimeUnit.SECONDS)).isNotNull();
    return failure;
  }

  @Test
  void commandsOfABrowserThatIsEndedFailWithItsReason() throws Exception {
    CompletableFuture<Failure> waiting = begun("s1");
    Failure why = Failure.of(FailureCode.BACKEND_FAILURE, "too large").as(FailureKind.INVALID);
    tools.end(why);
    assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo(why);
    assertThat(refusal(tools, "Do")).isEqualTo("too large");
    assertThat(tools.isOpen()).isFalse();
  }

  @Test
  void commandsOfAPageThatCrashedFailAtOnceAndThoseOfOthersGoOn() throws Exception {
    CompletableFuture<Failure> waiting = begun("s1");
    CompletableFuture<Failure> other = begun("s2");
    tools.crashed("s1");
    assertThat(waiting.get(10, TimeUnit.SECONDS).message()).contains("has crashed");
    assertThat(begun("s1").get(10, TimeUnit.SECONDS).message()).contains("has crashed");
    assertThat(tools.isOpen("s1")).isFalse();
    assertThat(tools.isOpen("s2")).isTrue();
    assertThat(other).isNotDone();
    tools.close();
  }

  @Test
  void aCommandHasALimit() {
    assertThat(
            catchThrowableOfType(
                    CallFailedException.class,
                    () -> tools.call("", "Do", Map.of(), Duration.ofMillis(20)))
                .failure()
                .code())
        .isEqualTo(FailureCode.TIMEOUT);
  }

  @Test
  void anAnswerThatIsTooLargeFailsItsOwnCommandAlone() throws Exception {
    String large = "{\"value\":\"" + "a".repeat(9_000_000) + "\"}";
    String many = "{\"value\":[" + "{},".repeat(100_000) + "0]}";
    DevTools browser =
        new FakeBrowser(Map.of("Large", large, "Many", many, "Do", "{\"value\":\"done\"}"))
            .connected();
    assertThat(refusal(browser, "Large")).contains("its answer is too large");
    assertThat(refusal(browser, "Many")).contains("its answer is too large");
    assertThat(browser.call("", "Do", Map.of())).containsEntry("value", "done");
  }

  private static String refusal(DevTools browser, String method) {
    return catchThrowableOfType(CallFailedException.class, () -> browser.call("", method, Map.of()))
        .failure()
        .message();
  }

  @Test
  void aBrowserThatReadsNothingHoldsUpNobody() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            try {
              release.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        };
    DevTools stuck = new DevTools(InputStream.nullInputStream(), full, (_, _) -> {});
    for (int i = 0; i < 2; i++) {
      assertThat(
              catchThrowableOfType(
                      CallFailedException.class,
                      () -> stuck.call("", "Do", Map.of(), Duration.ofMillis(20)))
                  .failure()
                  .code())
          .isEqualTo(FailureCode.TIMEOUT);
    }
    stuck.close();
    release.countDown();
  }
}
