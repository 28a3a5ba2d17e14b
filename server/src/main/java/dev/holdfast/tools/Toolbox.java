package dev.holdfast.tools;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.config.Secrets;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tools by name, each call within its limits. Thread-safe. */
public final class Toolbox {
  private static final Logger LOG = LoggerFactory.getLogger(Toolbox.class);
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

  /** In the place of a name that no tool has: what a model writes may not become a label. */
  private static final String UNKNOWN = "unknown";

  private record Entry(Tool tool, SchemaCheck arguments, Optional<SchemaCheck> results) {
    static Entry of(Tool tool) {
      ToolSpec spec = tool.spec();
      Optional<SchemaCheck> results =
          spec.resultSchema().isEmpty()
              ? Optional.empty()
              : Optional.of(new SchemaCheck("results", spec.resultSchema()));
      return new Entry(tool, new SchemaCheck("arguments", spec.schema()), results);
    }

    /** What does not keep the tool's own word is an error, or the model would build on it. */
    ToolResult checked(ToolResult result) {
      if (result.isError()) {
        return result;
      }
      return results
          .flatMap(check -> check.problem(result.text()))
          .map(text -> ToolResult.error(Failure.of(FailureCode.BACKEND_FAILURE, text)))
          .orElse(result);
    }
  }

  private final Map<String, Entry> tools;
  private final ToolThreads threads;
  private final OutputCap cap;
  private final Secrets secrets;
  private final Time time;
  private final MeterRegistry meters;

  /**
   * @throws IllegalArgumentException when two tools have one name
   */
  public Toolbox(
      List<Tool> tools, ToolOutputConfig output, Secrets secrets, Time time, MeterRegistry meters) {
    this.tools = new TreeMap<>();
    for (Tool tool : tools) {
      if (this.tools.put(tool.spec().name(), Entry.of(tool)) != null) {
        throw new IllegalArgumentException("two tools are called " + tool.spec().name());
      }
    }
    this.threads = new ToolThreads(time);
    this.cap = new OutputCap(output);
    this.secrets = secrets;
    this.time = time;
    this.meters = meters;
  }

  private Toolbox(Toolbox full) {
    this.tools = Map.of();
    this.threads = full.threads;
    this.cap = full.cap;
    this.secrets = full.secrets;
    this.time = full.time;
    this.meters = full.meters;
  }

  /** The same with no tool in it; calls that run in this one go on, and are counted. */
  public Toolbox emptied() {
    return new Toolbox(this);
  }

  /** What is offered to models, in a stable order. */
  public List<ToolSpec> specs() {
    return tools.values().stream().map(entry -> entry.tool().spec()).toList();
  }

  public Optional<Tool> find(String name) {
    return Optional.ofNullable(tools.get(name)).map(Entry::tool);
  }

  /** How many calls of tools still run long after they were told to stop. */
  public int hanging() {
    return threads.hanging();
  }

  /**
   * Runs one call: arguments checked against the schema, timeout, one retry after 1 s for a passing
   * failure of a repeatable tool, the result checked where the tool declares its shape, output
   * capped with all of it in a file that the text names. An unknown tool, bad arguments, an
   * exception, a timeout: an error result. Blocks.
   *
   * @throws InterruptedException when the turn is cancelled; the tool has been interrupted too
   */
  public ToolResult run(ToolCall call, ToolContext context) throws InterruptedException {
    Entry entry = tools.get(call.tool());
    if (entry == null) {
      String others =
          tools.isEmpty()
              ? "There are none now."
              : "There are: " + String.join(", ", tools.keySet());
      return refused(UNKNOWN, "There is no tool called " + call.tool() + ". " + others);
    }
    Optional<String> problem = entry.arguments().problem(call.arguments());
    if (problem.isPresent()) {
      return refused(call.tool(), problem.get());
    }
    long begun = time.nanos();
    ToolResult result = attempt(entry.tool(), call, context);
    Failure failure = result.failure();
    if (failure != null && failure.isPassing() && entry.tool().replay().isRepeatable()) {
      time.sleep(RETRY_PAUSE);
      result = attempt(entry.tool(), call, context);
    }
    result = entry.checked(result);
    count(call.tool(), result);
    meters
        .timer("holdfast.tool", "tool", call.tool())
        .record(Duration.ofNanos(time.nanos() - begun));
    String text = cap.cap(secrets.redact(result.text()), context);
    return new ToolResult(text, result.failure(), result.facts());
  }

  private ToolResult attempt(Tool tool, ToolCall call, ToolContext context)
      throws InterruptedException {
    try {
      return threads.run(() -> tool.run(arguments(call), context), tool.timeout());
    } catch (RejectedExecutionException e) {
      String text = "Too many tools are running.";
      return ToolResult.error(Failure.of(FailureCode.OVERLOADED, text));
    } catch (TimeoutException e) {
      String text =
          "The tool did not end within " + tool.timeout().toSeconds() + " s and was stopped.";
      return ToolResult.error(Failure.of(FailureCode.TIMEOUT, text));
    } catch (ExecutionException e) {
      Throwable bug = Objects.requireNonNull(e.getCause());
      Fatal.check(bug);
      LOG.error("tool {}: threw in call {}", call.tool(), call.id(), bug);
      String text = "The tool failed: " + bug.getClass().getSimpleName();
      return ToolResult.error(Failure.of(FailureCode.INTERNAL, text));
    }
  }

  private static String arguments(ToolCall call) {
    return call.arguments().isBlank() ? "{}" : call.arguments();
  }

  /** A call that reached no tool: it is counted, but took no time worth a timer. */
  private ToolResult refused(String tool, String text) {
    ToolResult result = ToolResult.error(Failure.of(FailureCode.INVALID_REQUEST, text));
    count(tool, result);
    return result;
  }

  private void count(String tool, ToolResult result) {
    Failure failure = result.failure();
    String outcome = failure == null ? "ok" : failure.code().name().toLowerCase(Locale.ROOT);
    meters.counter("holdfast.tool.calls", "tool", tool, "outcome", outcome).increment();
  }
}
