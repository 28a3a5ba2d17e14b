package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
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
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HostedProviderTest {
  private static final ModelRequest REQUEST =
      new ModelRequest("m", "", List.of(new Message.User("hello")), List.of(), 100);

  private final PluginCalls calls =
      new PluginCalls(
          "p",
          getClass().getClassLoader(),
          new SystemTime(), // its threads are real
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
    return answering(
        (_, listener) -> {
          answer.accept(listener);
          return answer(said("x", ""), TokenUsage.NONE);
        });
  }

  private HostedProvider answering(BiFunction<ModelRequest, ModelListener, ModelAnswer> answer) {
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
            return answer.apply(request, listener);
          }
        },
        calls);
  }

  private static Message.Assistant said(String text, String opaque) {
    return new Message.Assistant(text, List.of(), opaque, "p/m");
  }

  private static ModelAnswer answer(Message.Assistant said, TokenUsage usage) {
    return new ModelAnswer(said, ModelAnswer.StopReason.END, usage);
  }

  @SuppressWarnings("NullAway") // as a plugin might
  private static Stream<Supplier<ModelAnswer>> noAnswers() {
    return Stream.of(
        () -> null,
        () -> answer(null, TokenUsage.NONE),
        () -> answer(said("x", ""), null),
        () -> answer(said(null, ""), TokenUsage.NONE),
        () -> answer(said("x", null), TokenUsage.NONE),
        () -> answer(said("x", ""), new TokenUsage(-1, 0, 0, 0)),
        () -> answer(said("x", ""), new TokenUsage(0, Long.MAX_VALUE, 0, 0)),
        () -> answer(said("x".repeat(10_485_761), ""), TokenUsage.NONE));
  }

  @ParameterizedTest
  @MethodSource("noAnswers")
  void anAnswerThatIsNoneIsAFailedAttempt(Supplier<ModelAnswer> answer) {
    assertThatThrownBy(() -> answering((_, _) -> answer.get()).ask(REQUEST, heard::add))
        .isInstanceOfSatisfying(
            CallFailedException.class,
            e -> assertThat(e.failure().message()).startsWith("the provider failed: ask threw "));
  }
}
