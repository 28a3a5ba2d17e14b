package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StoreWatchTest {
  @TempDir Path folder;

  /** The times of a thread wait to be written then, and whoever writes them waits too. */
  @Test
  void whatWaitsForADiskThatHangsIsRefused() throws Exception {
    AtomicBoolean hangs = new AtomicBoolean();
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    StoreHooks hooks =
        new StoreHooks(
            () -> {
              if (hangs.get()) {
                hanging.countDown();
                awaitQuietly(goOn);
              }
            },
            (code, text) -> {
              throw new AssertionError(code + " " + text);
            });
    ManualTime time = new ManualTime();
    Store store =
        Store.open(
            new StoreConfig(TestStore.INBOX, 0, TestStore.FILES),
            folder,
            time,
            new SimpleMeterRegistry(),
            hooks);
    try {
      CompletableFuture<Appended> first = store.inbox().append(TestStore.event("t", "k1"));
      hangs.set(true);
      first.join();
      hanging.await();
      CompletableFuture<Appended> second = store.inbox().append(TestStore.event("t", "k2"));
      time.advance(Duration.ofMinutes(1));
      ExecutionException thrown =
          catchThrowableOfType(ExecutionException.class, () -> second.get(20, TimeUnit.SECONDS));
      assertThat(thrown.getCause())
          .isInstanceOfSatisfying(
              StoreException.class,
              refused -> assertThat(refused.failure().code()).isEqualTo(FailureCode.OVERLOADED));
    } finally {
      hangs.set(false);
      goOn.countDown();
      store.close();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
