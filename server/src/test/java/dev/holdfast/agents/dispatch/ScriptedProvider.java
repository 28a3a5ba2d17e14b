package dev.holdfast.agents.dispatch;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.MessageStamp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A model that does what a test has told it, call by call; when nothing is left it repeats the last
 * words it hears.
 */
public final class ScriptedProvider implements ModelProvider {
  private final Deque<Step> script = new ArrayDeque<>();
  private final List<ModelRequest> requests = new ArrayList<>();
  private int windowTokens = 100_000;

  /** One call. */
  public interface Step {
    ModelAnswer answer(ModelRequest request, ModelListener listener)
        throws CallFailedException, InterruptedException;
  }

  @Override
  public String name() {
    return "embedded";
  }

  @Override
  public boolean isLocal() {
    return true;
  }

  @Override
  public int windowTokens(String model) {
    return windowTokens;
  }

  @Override
  public ModelAnswer ask(ModelRequest request, ModelListener listener)
      throws CallFailedException, InterruptedException {
    Step step;
    synchronized (this) {
      requests.add(request);
      step = script.isEmpty() ? (asked, _) -> text("heard: " + lastUser(asked)) : script.poll();
    }
    return step.answer(request, listener);
  }

  public synchronized List<ModelRequest> requests() {
    return List.copyOf(requests);
  }

  synchronized ScriptedProvider window(int tokens) {
    windowTokens = tokens;
    return this;
  }

  public synchronized ScriptedProvider then(Step step) {
    script.add(step);
    return this;
  }

  ScriptedProvider says(String text) {
    return then((_, _) -> text(text));
  }

  public ScriptedProvider calls(ToolCall... calls) {
    return then((_, _) -> calling(calls));
  }

  static ModelAnswer calling(ToolCall... calls) {
    return new ModelAnswer(
        new Message.Assistant("", List.of(calls), "", "embedded/echo"),
        ModelAnswer.StopReason.TOOL_CALLS,
        TokenUsage.NONE);
  }

  public ScriptedProvider fails(FailureCode code, int times) {
    for (int i = 0; i < times; i++) {
      then(
          (_, _) -> {
            throw new CallFailedException(Failure.of(code, "as the test wants it"));
          });
    }
    return this;
  }

  /** Says nothing until it is interrupted; {@code begun} tells that it was asked. */
  ScriptedProvider hangs(CountDownLatch begun) {
    return then(
        (_, _) -> {
          begun.countDown();
          new CountDownLatch(1).await();
          return text("never");
        });
  }

  static ModelAnswer text(String text) {
    return new ModelAnswer(
        new Message.Assistant(text, List.of(), "", "embedded/echo"),
        ModelAnswer.StopReason.END,
        TokenUsage.NONE);
  }

  /** What the model was sent last, without the lines that the server adds. */
  synchronized List<Message> heard() {
    return requests.getLast().messages().stream()
        .map(
            message ->
                message instanceof Message.User user
                    ? new Message.User(MessageStamp.off(user.text()))
                    : message)
        .toList();
  }

  static String lastUser(ModelRequest request) {
    return request.messages().reversed().stream()
        .filter(Message.User.class::isInstance)
        .map(message -> MessageStamp.off(((Message.User) message).text()))
        .findFirst()
        .orElse("nobody");
  }
}
