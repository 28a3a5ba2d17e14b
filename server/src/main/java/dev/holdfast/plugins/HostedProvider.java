package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ToolCall;
import java.time.Duration;
import java.util.Objects;

/** A plugin's provider of models as the server sees it. */
final class HostedProvider implements ModelProvider {
  private static final Duration FACT_MAX = Duration.ofSeconds(2);

  /** The limits of a model's answer end it long before. */
  private static final Duration ANSWER_MAX = Duration.ofHours(2);

  private static final int TEXT_MAX = 10_485_760;
  private static final int TOOL_CALLS_MAX = 1000;

  private final ModelProvider provider;
  private final PluginCalls calls;
  private final String name;
  private final boolean local;

  private HostedProvider(ModelProvider provider, PluginCalls calls, String name, boolean local) {
    this.provider = provider;
    this.calls = calls;
    this.name = name;
    this.local = local;
  }

  /** Asks it what it is; to be called on a thread of the plugin. */
  static HostedProvider of(ModelProvider provider, PluginCalls calls) {
    return new HostedProvider(provider, calls, provider.name(), provider.isLocal());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean isLocal() {
    return local;
  }

  @Override
  public int windowTokens(String model) {
    try {
      return calls.call("windowTokens", FACT_MAX, () -> provider.windowTokens(model));
    } catch (PluginFailedException | CallFailedException e) {
      throw new IllegalStateException("the provider failed: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the provider was interrupted", e);
    }
  }

  @Override
  public ModelAnswer ask(ModelRequest request, ModelListener listener)
      throws CallFailedException, InterruptedException {
    OpenListener open = new OpenListener(listener);
    try {
      return calls.call("ask", ANSWER_MAX, () -> bounded(provider.ask(request, open)));
    } catch (PluginFailedException e) {
      throw new CallFailedException(
          Failure.of(FailureCode.BACKEND_FAILURE, "the provider failed: " + e.getMessage()));
    } finally {
      open.close();
    }
  }

  private static ModelAnswer bounded(ModelAnswer answer) {
    Message.Assistant said = Objects.requireNonNull(answer, "the answer").message();
    long units = said.text().length() + (long) said.opaque().length();
    for (ToolCall call : said.toolCalls()) {
      units += call.id().length() + (long) call.tool().length() + call.arguments().length();
    }
    if (units > TEXT_MAX || said.toolCalls().size() > TOOL_CALLS_MAX) {
      throw new IllegalArgumentException(
          "the answer has %d UTF-16 units and %d calls of tools; at most %d and %d may be"
              .formatted(units, said.toolCalls().size(), TEXT_MAX, TOOL_CALLS_MAX));
    }
    return answer;
  }

  /** Hears a plugin until its call is over: one that does not end speaks into no later answer. */
  private static final class OpenListener implements ModelListener {
    private final ModelListener listener;
    private boolean closed;

    OpenListener(ModelListener listener) {
      this.listener = listener;
    }

    synchronized void close() {
      closed = true;
    }

    @Override
    public synchronized void onText(String delta) {
      if (!closed) {
        listener.onText(delta);
      }
    }

    @Override
    public synchronized void onSign() {
      if (!closed) {
        listener.onSign();
      }
    }

    @Override
    public synchronized void onWork() {
      if (!closed) {
        listener.onWork();
      }
    }
  }
}
