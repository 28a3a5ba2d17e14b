package dev.holdfast.models.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import java.util.List;

/**
 * Sees each event of one answer before LangChain4j does, and keeps what that drops or blurs:
 * whether the answer is whole, why it stopped, what it used, and the parts that the provider wants
 * back unchanged. For one thread.
 */
public abstract class StreamWatch {
  private boolean finished;
  private boolean last;
  private StopReason stop = StopReason.END;
  private TokenUsage usage = TokenUsage.NONE;

  /**
   * One event, {@code name} empty where the stream names none.
   *
   * @throws CallFailedException when the event says that no answer will come of it
   */
  public abstract void see(String name, JsonNode data) throws CallFailedException;

  /** Whether the model itself says something by this event: a word, a thought, a part of a call. */
  public boolean isWork(String name, JsonNode data) {
    return true;
  }

  /**
   * The event as LangChain4j can read it: it refuses a whole event for one value that it does not
   * know, and mixes up calls that come by turns. Empty: it need not see this one.
   */
  public String readable(JsonNode data, String text) {
    return text;
  }

  /**
   * A whole answer, of a server that does not stream although it is asked to, as the events of a
   * stream; their names are their types. Empty when it is no answer.
   */
  public List<JsonNode> events(JsonNode whole) {
    return List.of();
  }

  /**
   * The calls in the answer, in their order; an id is empty where the provider gave none, and the
   * arguments are as they came.
   */
  public List<ToolCall> calls() {
    return List.of();
  }

  /** What the provider wants back, as JSON; empty when there is nothing. */
  public String opaque() {
    return "";
  }

  /** Whether the provider said that the answer is whole. */
  public final boolean isFinished() {
    return finished;
  }

  /** Whether nothing that matters can come any more. */
  final boolean isLast() {
    return last;
  }

  public final StopReason stop() {
    return stop;
  }

  public final TokenUsage usage() {
    return usage;
  }

  /** The answer is whole; usage and the like may still come. */
  protected final void finish(StopReason reason) {
    stop = reason;
    finished = true;
  }

  /** The stream is over for us, whatever the connection does. */
  protected final void end() {
    last = true;
  }

  protected final void stopsFor(StopReason reason) {
    stop = reason;
  }

  protected final void used(TokenUsage total) {
    usage = total;
  }
}
