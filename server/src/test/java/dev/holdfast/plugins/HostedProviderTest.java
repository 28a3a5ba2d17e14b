package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.time.SystemTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class HostedProviderTest {
  private static final ModelRequest REQUEST =
      new ModelRequest("m", "", List.of(new Message.User("hello")), List.of(), 100);

  private final PluginCalls calls =
      new PluginCalls(
          "p",
          getClass().getClassLoader(),
          new SystemTime(),
          reason -> {},
          new PluginTexts(text -> text));
  private final List<String> heard = new CopyOnWriteArrayList<>();

  @Test
  void whatItSaysAfterItWasCutOffIsNotHeard() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    CountDownLatch late = new CountDownLatch(1);
    HostedProvider provider =
        provider(
            listener -> {
              listener.onText("in time");
              begun.countDown();
              awaitStubbornly(over);
              listener.onText("too late");
              late.countDown();
            });
    Thread caller = Thread.ofVirtual().unstarted(() -> ask(provider));
    caller.start();
    begun.await();
    caller.interrupt();
    caller.join();
    over.countDown();
    late.await();
    assertThat(heard).containsExactly("in time");
  }

  private void ask(HostedProvider provider) {
    try {
      ModelAnswer _ = provider.ask(REQUEST, heard::add);
    } catch (Exception _) {
      return; // it was interrupted
    }
  }

  private static void awaitStubbornly(CountDownLatch latch) {
    boolean ended = false;
    while (!ended) {
      try {
        latch.await();
        ended = true;
      } catch (InterruptedException _) {
        ended = false; // as a provider that ignores it
      }
    }
  }

  private HostedProvider provider(Consumer<ModelListener> answer) {
    return HostedProvider.of(
        new ModelProvider() {
          @Override
          public String name() {
            return "p";
          }

          @Override
          public boolean isLocal() {
            return true;
          }

          @Override
          public int windowTokens(String model) {
            return 1000;
          }

          @Override
          public ModelAnswer ask(ModelRequest request, ModelListener listener) {
            answer.accept(listener);
            return new ModelAnswer(
                new Message.Assistant("x", List.of(), "", "p/m"),
                ModelAnswer.StopReason.END,
                TokenUsage.NONE);
          }
        },
        calls);
  }
}
