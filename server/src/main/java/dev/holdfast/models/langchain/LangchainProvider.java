package dev.holdfast.models.langchain;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ToolCall;
import dev.holdfast.models.http.ModelWire;
import dev.holdfast.models.http.StreamWatch;
import dev.holdfast.models.http.UsageFacts;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.time.Time;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * A provider whose wire format LangChain4j knows, over our own transport. Always streams: only so
 * can a stall be told from a long answer. Thread-safe.
 */
public final class LangchainProvider implements ModelProvider {
  private static final int TOOL_CALLS_MAX = 128;

  /** {@code limits}: of each request. */
  public record Connection(HttpCaller http, HttpCaller.Limits limits, Time time) {}

  private final ProviderAccount account;
  private final Dialect dialect;
  private final Connection connection;
  private final ToIntFunction<String> window;

  private LangchainProvider(
      ProviderAccount account,
      Dialect dialect,
      Connection connection,
      ToIntFunction<String> window) {
    this.account = account;
    this.dialect = dialect;
    this.connection = connection;
    this.window = window;
  }

  /**
   * The provider that {@code account} names.
   *
   * @param window the tokens of context of a model
   * @throws IllegalArgumentException when no wire format is known for the name
   */
  public static LangchainProvider of(
      ProviderAccount account, Connection connection, ToIntFunction<String> window) {
    Dialect dialect =
        switch (account.name()) {
          case "anthropic" ->
              new AnthropicDialect(account, "https://api.anthropic.com", "2026-10-21");
          case "minimax" ->
              new AnthropicDialect(account, "https://api.minimax.io/anthropic", "2023-06-01");
          case "openai" -> new OpenAiDialect(account);
          case "gemini" -> new GeminiDialect(account);
          case "ollama" -> new OllamaDialect(account, window);
          default -> throw new IllegalArgumentException("no such provider: " + account.name());
        };
    return new LangchainProvider(account, dialect, connection, window);
  }

  @Override
  public String name() {
    return account.name();
  }

  @Override
  public boolean isLocal() {
    return account.isLocal();
  }

  @Override
  public int windowTokens(String model) {
    return window.applyAsInt(model);
  }

  @Override
  public ModelAnswer ask(ModelRequest asked, ModelListener listener)
      throws CallFailedException, InterruptedException {
    ModelRequest request = withOwnOpaqueParts(asked);
    StreamWatch watch = dialect.watch();
    ModelWire wire =
        new ModelWire(
                connection.http(),
                connection.limits(),
                connection.time(),
                new ModelWire.Shape(name(), account.secret(), dialect.jsonLines()))
            .watchedBy(watch)
            .tells(listener::onSign)
            .tellsOfWork(listener::onWork)
            .edits(body -> dialect.edit(body, request));
    StreamedAnswer heard = new StreamedAnswer(listener, wire);
    dialect.model(request, wire.builder()).chat(LangchainMessages.request(request, dialect), heard);
    wire.check();
    heard.checkBug();
    if (heard.isTooLong()) {
      throw endless("an endless text", watch);
    }
    if (wire.failure().isPresent()) {
      throw new CallFailedException(UsageFacts.write(wire.failure().get(), watch.usage()));
    }
    Throwable error = heard.error();
    if (error != null) {
      throw unreadable(error, watch);
    }
    return answer(
        Objects.requireNonNull(heard.answer(), "no answer and no failure"), watch, request);
  }

  private ModelAnswer answer(ChatResponse response, StreamWatch watch, ModelRequest request)
      throws CallFailedException {
    AiMessage said = response.aiMessage();
    List<ToolCall> calls = told(watch.calls());
    if (calls.size() > TOOL_CALLS_MAX) {
      throw endless(calls.size() + " tool calls at once", watch);
    }
    StopReason stop = watch.stop();
    if (!calls.isEmpty()) {
      stop = stop == StopReason.END ? StopReason.TOOL_CALLS : stop;
    } else if (stop == StopReason.TOOL_CALLS) {
      stop = StopReason.END;
    }
    String text = said.text() == null ? "" : CleanText.of(said.text());
    Message.Assistant message =
        new Message.Assistant(text, calls, watch.opaque(), fullName(request.model()));
    return new ModelAnswer(message, stop, watch.usage());
  }

  /** An id that was used before in the same answer could not tell its result from the other's. */
  private static List<ToolCall> told(List<ToolCall> calls) {
    List<ToolCall> told = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (ToolCall call : calls) {
      String id = !call.id().isBlank() && ids.add(call.id()) ? call.id() : CallIds.make();
      String arguments = call.arguments().isBlank() ? "{}" : call.arguments();
      told.add(new ToolCall(id, call.tool(), arguments));
    }
    return told;
  }

  /** Signatures are bound to the model that made them: to any other they are an error. */
  private ModelRequest withOwnOpaqueParts(ModelRequest request) {
    String model = fullName(request.model());
    List<Message> messages =
        request.messages().stream()
            .map(
                message ->
                    message instanceof Message.Assistant said && !said.model().equals(model)
                        ? new Message.Assistant(said.text(), said.toolCalls(), "", said.model())
                        : message)
            .toList();
    return new ModelRequest(
        request.model(), request.system(), messages, request.tools(), request.outputTokensMax());
  }

  private String fullName(String model) {
    return name() + "/" + model;
  }

  private CallFailedException endless(String what, StreamWatch watch) {
    Failure failure =
        Failure.of(FailureCode.BACKEND_FAILURE, name() + " answered with " + what)
            .as(FailureKind.INVALID);
    return new CallFailedException(UsageFacts.write(failure, watch.usage()));
  }

  private CallFailedException unreadable(Throwable error, StreamWatch watch) {
    Failure failure =
        Failure.of(
            FailureCode.BACKEND_FAILURE,
            name() + " sent an unreadable response (" + error.getClass().getSimpleName() + ")");
    return new CallFailedException(UsageFacts.write(failure, watch.usage()), error);
  }
}
