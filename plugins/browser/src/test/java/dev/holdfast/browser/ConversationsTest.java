package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.kit.testing.FakeContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ConversationsTest {
  private static final int PAGES_MAX = 8;

  private final FakeBrowser browser =
      new FakeBrowser(
          Map.of(
              "Target.createBrowserContext", "{\"browserContextId\":\"c\"}",
              "Target.createTarget", "{\"targetId\":\"t\"}",
              "Target.attachToTarget", "{\"sessionId\":\"s\"}"));
  private final DevTools tools = browser.connected();
  private final AtomicInteger checks = new AtomicInteger();
  private final CountDownLatch end = new CountDownLatch(1);
  private final PluginHttp http =
      _ -> {
        throw new IllegalStateException("nothing is sent");
      };
  private final Conversations conversations =
      new Conversations(
          new Conversations.Browser() {
            @Override
            public DevTools tools() {
              return tools;
            }

            @Override
            public void checkAnswers() {
              checks.incrementAndGet();
            }
          },
          new FakeContext(http));

  @AfterEach
  void close() {
    end.countDown();
    tools.close();
  }

  private void open(String thread) throws Exception {
    assertThat(conversations.use(thread, true, Page::isOpen)).isTrue();
  }

  private boolean hasPage(String thread) throws Exception {
    try {
      return conversations.use(thread, false, Page::isOpen);
    } catch (CallFailedException e) {
      return false;
    }
  }

  /** Uses its page until the end of the test, or fails. */
  private CompletableFuture<Void> hold(String thread) throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread _ =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    boolean open =
                        conversations.use(
                            thread,
                            true,
                            page -> {
                              begun.countDown();
                              end.await();
                              return page.isOpen();
                            });
                    assertThat(open).isTrue();
                    done.complete(null);
                  } catch (Exception | AssertionError e) {
                    done.completeExceptionally(e);
                  }
                });
    begun.await();
    return done;
  }

  @Test
  void thePageThatWasUsedLongestAgoMakesRoom() throws Exception {
    for (int i = 0; i <= PAGES_MAX; i++) {
      open("t" + i);
    }
    assertThat(hasPage("t1")).isTrue();
    assertThat(hasPage("t0")).isFalse();
    assertThat(closed()).isEqualTo(1);
  }

  @Test
  void aPageInUseMakesNoRoom() throws Exception {
    CompletableFuture<Void> held = hold("t0");
    for (int i = 1; i <= PAGES_MAX; i++) {
      open("t" + i);
    }
    end.countDown();
    held.get();
    assertThat(hasPage("t0")).isTrue();
    assertThat(hasPage("t1")).isFalse();
  }

  @Test
  void whenAllPagesAreInUseAnotherIsRefused() throws Exception {
    List<CompletableFuture<Void>> held = new ArrayList<>();
    for (int i = 0; i < PAGES_MAX; i++) {
      held.add(hold("t" + i));
    }
    assertThat(
            catchThrowableOfType(CallFailedException.class, () -> open("another")).failure().code())
        .isEqualTo(FailureCode.OVERLOADED);
    end.countDown();
    for (CompletableFuture<Void> each : held) {
      each.get();
    }
    open("another");
  }

  @Test
  void aCommandThatTimesOutHasTheBrowserChecked() {
    assertThatThrownBy(() -> fail(FailureCode.TIMEOUT)).isInstanceOf(CallFailedException.class);
    assertThat(checks).hasValue(1);
    assertThatThrownBy(() -> fail(FailureCode.INVALID_REQUEST))
        .isInstanceOf(CallFailedException.class);
    assertThat(checks).hasValue(1);
  }

  private void fail(FailureCode code) throws CallFailedException, InterruptedException {
    conversations.use(
        "t",
        true,
        _ -> {
          throw new CallFailedException(Failure.of(code, "no"));
        });
  }

  @Test
  void ofAPageThatCannotBeOpenedNothingIsLeft() throws Exception {
    tools.crashed("s");
    assertThatThrownBy(() -> open("t")).isInstanceOf(CallFailedException.class);
    assertThat(closed()).isEqualTo(1);
  }

  private long closed() throws Exception {
    Map<String, Object> _ = tools.call("", "Last", Map.of());
    return browser.commands().stream()
        .filter(each -> each.startsWith("Target.disposeBrowserContext"))
        .count();
  }
}
