package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.SystemTime;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

class PluginCallsTest {
  private static final int ROUNDS = 2000;

  @Test
  void whatBeginsWhileAllIsBeingEndedEndsToo() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    for (int i = 0; i < ROUNDS; i++) {
      PluginCalls calls =
          new PluginCalls(
              "p",
              getClass().getClassLoader(),
              new SystemTime(), // its threads are real
              reason -> {},
              new PluginTexts(text -> text));
      CyclicBarrier together = new CyclicBarrier(2);
      Thread caller =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      together.await();
                      boolean _ =
                          calls.call(
                              "wait",
                              Duration.ofMinutes(5),
                              () -> {
                                never.await();
                                return true;
                              });
                    } catch (Exception _) {
                      return; // as it should
                    }
                  });
      together.await();
      assertThat(calls.close(Duration.ofSeconds(5))).isEmpty();
      assertThat(caller.join(Duration.ofSeconds(5))).as("round %s", i).isTrue();
    }
  }
}
