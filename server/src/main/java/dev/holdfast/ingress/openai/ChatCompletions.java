package dev.holdfast.ingress.openai;

import dev.holdfast.agents.context.Command;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.ingress.api.WebMessages;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/chat/completions}: in a chat thread an answer of the agent, elsewhere one of the
 * models alone.
 */
final class ChatCompletions implements OpenAiCall {
  /** As long as OpenAI's own clients wait. */
  static final Duration WAIT_MAX = Duration.ofMinutes(10);

  private final OfferedModels models;
  private final ModelAnswers direct;
  private final ThreadAnswers threads;
  private final Time time;

  ChatCompletions(OfferedModels models, ModelAnswers direct, ThreadAnswers threads, Time time) {
    this.time = time;
    this.models = models;
    this.direct = direct;
    this.threads = threads;
  }

  @Override
  public Optional<ApiAnswer> run(OpenAiExchange exchange)
      throws RefusedRequestException, CallFailedException, InterruptedException {
    JsonObject body = exchange.request().body();
    OpenAiParameters.checkChat(body);
    String model = models.of(body);
    OpenAiMessages messages = OpenAiMessages.ofChat(body);
    body.remove("messages"); // may be megabytes, and an answer may take minutes
    List<ToolSpec> tools = OpenAiMessages.tools(body);
    boolean isAgent = model.equals(OfferedModels.AGENT);
    Optional<String> named = AskedThread.named(exchange, isAgent);
    if (named.isPresent() && !isAgent) {
      throw OpenAiErrors.invalid(
          "model", "only the model " + OfferedModels.AGENT + " answers in a conversation");
    }
    OpenAiMessages.PersonsWords said = messages.lastOfUser();
    Optional<String> thread =
        named.or(() -> AskedThread.ofPage(exchange, said == null ? null : said.text()));
    boolean streams = Boolean.TRUE.equals(body.getValue("stream"));
    ChatCompletionText text =
        new ChatCompletionText(
            exchange.events(), model, time.now(), streams, body.getValue("stream_options"));
    CompletedAnswer answer =
        isAgent && thread.isPresent()
            ? ofThread(exchange, thread.get(), said, tools, text)
            : direct.ask(
                models.levelOf(model),
                WebMessages.sender(exchange.request().caller(), userOf(exchange)),
                messages.question(tools),
                text);
    if (streams) {
      text.end(answer);
      return Optional.empty();
    }
    return Optional.of(ApiAnswer.ok(text.whole(answer)));
  }

  private static @Nullable String userOf(OpenAiExchange exchange) {
    String user = AskedThread.user(exchange);
    return user.isEmpty() ? null : user;
  }

  private CompletedAnswer ofThread(
      OpenAiExchange exchange,
      String threadId,
      OpenAiMessages.@Nullable PersonsWords said,
      List<ToolSpec> tools,
      AnswerProgress progress)
      throws RefusedRequestException, CallFailedException, InterruptedException {
    if (!tools.isEmpty()) {
      throw OpenAiErrors.unsupported(
          "tools", "in a conversation the agent has its own tools; send none, or no conversation");
    }
    if (said == null) {
      throw OpenAiErrors.invalid("messages", "the last message must be the user's");
    }
    ThreadAnswers.Sent sent =
        threads.send(exchange.request(), threadId, AskedThread.user(exchange), said);
    CompletedAnswer answer = answer(sent, progress);
    Optional<ThreadAnswers.Sent> resumed =
        isDecision(said.text()) ? threads.resumedBy(sent) : Optional.empty();
    if (resumed.isEmpty()) {
      return answer;
    }
    progress.onText(answer.text());
    progress.onRound();
    CompletedAnswer then = answer(resumed.get(), progress);
    return new CompletedAnswer(answer.text() + "\n\n" + then.text(), then.usage());
  }

  private static boolean isDecision(String said) {
    return Command.of(said)
        .map(Command::word)
        .filter(word -> word == Command.Word.APPROVE || word == Command.Word.DENY)
        .isPresent();
  }

  private CompletedAnswer answer(ThreadAnswers.Sent sent, AnswerProgress progress)
      throws RefusedRequestException, InterruptedException {
    return switch (threads.follow(
        sent, WAIT_MAX, ThreadAnswers.Patience.UNTIL_IT_WAITS, progress)) {
      case FollowedAnswer.Answered(CompletedAnswer answer) -> answer;
      case FollowedAnswer.Asks(String text) -> new CompletedAnswer(text, TokenUsage.NONE);
      case FollowedAnswer.Behind behind -> new CompletedAnswer(behind.text(), TokenUsage.NONE);
      case FollowedAnswer.Failed(FailureCode code, String text) ->
          throw OpenAiErrors.accepted(code, text);
      case FollowedAnswer.Later(String reason) ->
          throw OpenAiErrors.accepted(
              FailureCode.AGENT_UNAVAILABLE,
              "the message is accepted as event "
                  + sent.event().id()
                  + " and will be answered in its conversation: "
                  + reason);
    };
  }
}
