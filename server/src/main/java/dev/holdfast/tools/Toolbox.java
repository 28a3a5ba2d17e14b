package dev.holdfast.tools;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Risk;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.config.Secrets;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.registry.Registry;
import dev.holdfast.registry.Use;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tools by name, each call within its limits. Tools come and go while the server runs: one that
 * was removed begins no call, and a turn that asks for it reads so. Thread-safe.
 */
public final class Toolbox {
  private static final Logger LOG = LoggerFactory.getLogger(Toolbox.class);
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);

  /** In the place of a name that no tool has: what a model writes may not become a label. */
  private static final String UNKNOWN = "unknown";

  /** How long the label of a tool, and the check of its arguments, may take. */
  private static final Duration QUERY_MAX = Duration.ofSeconds(2);

  private static final int LABEL_UNITS_MAX = 200;

  private static final List<String> USUAL_OUTCOMES =
      List.of("ok", "invalid_request", "timeout", "cancelled", "io", "backend_failure");

  private final Registry<RegisteredTool> tools;
  private final ToolSearchTool search;
  private final Set<String> reserved;
  private final ToolThreads threads;
  private final OutputCap cap;
  private final Secrets secrets;
  private final Time time;
  private final MeterRegistry meters;

  /**
   * @param builtIns the tools that are there from the start, and stay
   * @throws IllegalArgumentException when one of them cannot be used, or two have one name
   */
  public Toolbox(
      List<Tool> builtIns,
      ToolOutputConfig output,
      Secrets secrets,
      Time time,
      MeterRegistry meters) {
    this.tools = new Registry<>(ToolFacts.KIND, this::forget);
    this.search = new ToolSearchTool(() -> specs(false));
    this.threads = new ToolThreads(time);
    this.cap = new OutputCap(output);
    this.secrets = secrets;
    this.time = time;
    this.meters = meters;
    Set<String> names = new HashSet<>(BuiltIns.NAMES);
    try {
      for (Tool tool : Stream.concat(Stream.of(search), builtIns.stream()).toList()) {
        RegisteredTool read = RegisteredTool.builtIn(tool);
        Registration _ = tools.add(read.facts().name(), () -> read);
        expect(read.facts().name());
        names.add(read.facts().name().toLowerCase(Locale.ROOT));
      }
    } catch (RegistrationRefusedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    this.reserved = Set.copyOf(names);
  }

  private Toolbox(Toolbox full) {
    this.tools = new Registry<>(ToolFacts.KIND, _ -> {});
    this.search = full.search;
    this.reserved = full.reserved;
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

  /**
   * Adds a tool: the next request to a model offers it. What it says about itself is read here,
   * once; when this throws, nothing was added.
   */
  public Registration add(Tool tool) throws RegistrationRefusedException {
    return add(tool, Set.of());
  }

  /** As {@link #add(Tool)}; may take the place of one of {@code replaceable} without a gap. */
  public Registration add(Tool tool, Set<Registration> replaceable)
      throws RegistrationRefusedException {
    RegisteredTool read = RegisteredTool.added(tool, reserved);
    return tools.add(
        read.facts().name(),
        () -> {
          expect(read.facts().name());
          return read;
        },
        replaceable);
  }

  /** Adds a tool of our own, which may come and go with what it works on. */
  public Registration addOwn(Tool tool) throws RegistrationRefusedException {
    RegisteredTool read = RegisteredTool.builtIn(tool);
    return tools.add(
        read.facts().name(),
        () -> {
          expect(read.facts().name());
          return read;
        });
  }

  /** So that a rate can be read before the first call; other outcomes appear with theirs. */
  private void expect(String tool) {
    USUAL_OUTCOMES.forEach(
        outcome -> meters.counter("holdfast.tool.calls", "tool", tool, "outcome", outcome));
  }

  /** The last call of a tool that was removed has ended: its name may never come back. */
  private void forget(String tool) {
    List.copyOf(meters.find("holdfast.tool.calls").tag("tool", tool).meters())
        .forEach(meters::remove);
    List.copyOf(meters.find("holdfast.tool").tag("tool", tool).meters()).forEach(meters::remove);
  }

  /** All that models may call, in a stable order, but for the search for tools. */
  public List<ToolSpec> specs() {
    return tools.all().stream().filter(tool -> tool.tool() != search).map(Toolbox::spec).toList();
  }

  /**
   * What a request offers, in a stable order.
   *
   * @param windowTokens of the model
   * @param found what the turn's searches have found so far, in that order
   */
  public ToolOffer offer(int windowTokens, List<String> found) {
    return ToolOffer.of(specs(true), specs(false), search.spec(), windowTokens, found);
  }

  private List<ToolSpec> specs(boolean areBuiltIn) {
    return tools.all().stream()
        .filter(tool -> tool.isBuiltIn() == areBuiltIn && tool.tool() != search)
        .map(Toolbox::spec)
        .toList();
  }

  private static ToolSpec spec(RegisteredTool tool) {
    return tool.facts().spec();
  }

  public Optional<ToolFacts> find(String name) {
    return tools.find(name).map(RegisteredTool::facts);
  }

  /** What one call can do; of most tools each call can do the same. */
  public Risk risk(ToolCall call, ToolFacts facts) {
    return tools.find(call.tool()).map(RegisteredTool::tool).orElse(null)
            instanceof RiskOfCall differing
        ? differing.risk(arguments(call))
        : facts.risk();
  }

  /**
   * What a call is about to do, in a few words for people; the tool's name when it has no words for
   * it. Blocks for a moment at most.
   */
  public String label(ToolCall call) throws InterruptedException {
    Optional<Use<RegisteredTool>> begun = tools.begin(call.tool());
    if (begun.isEmpty()) {
      return call.tool();
    }
    try (Use<RegisteredTool> use = begun.get()) {
      String label = query(use, () -> use.value().tool().label(call.arguments()));
      return label.length() <= LABEL_UNITS_MAX ? label : label.substring(0, LABEL_UNITS_MAX);
    } catch (TimeoutException | ExecutionException | RejectedExecutionException e) {
      LOG.warn("tool {}: has no label for call {}", call.tool(), call.id());
      return call.tool();
    }
  }

  /**
   * A short look into a tool: on this thread into one of our own, on another into a foreign one.
   */
  private <T> T query(Use<RegisteredTool> use, Callable<T> body)
      throws TimeoutException, ExecutionException, InterruptedException {
    if (!use.value().isBuiltIn()) {
      return threads.run(body, QUERY_MAX, use.another()::close);
    }
    try {
      return body.call();
    } catch (Exception e) {
      throw new ExecutionException(e);
    }
  }

  /** How many calls of tools still run long after they were told to stop. */
  public int hanging() {
    return threads.hanging();
  }

  /**
   * Runs one call: arguments checked against the schema, timeout, one retry after 1 s for a passing
   * failure of a repeatable tool, the result checked where the tool declares its shape, output
   * capped with all of it in a file that the text names. A tool that is not there (any more), bad
   * arguments, an exception, a timeout: an error result. Blocks.
   *
   * @throws InterruptedException when the turn is cancelled; the tool has been interrupted too
   */
  public ToolResult run(ToolCall call, ToolContext context) throws InterruptedException {
    Optional<Use<RegisteredTool>> begun = tools.begin(call.tool());
    if (begun.isEmpty()) {
      return refused(UNKNOWN, unavailable(call.tool()));
    }
    try (Use<RegisteredTool> use = begun.get()) {
      Optional<String> problem = problem(use, call);
      return problem.isPresent() ? refused(call.tool(), problem.get()) : run(use, call, context);
    }
  }

  private ToolResult run(Use<RegisteredTool> use, ToolCall call, ToolContext context)
      throws InterruptedException {
    RegisteredTool tool = use.value();
    long begun = time.nanos();
    ToolResult result = attempt(use, call, context);
    Failure failure = result.failure();
    if (failure != null && failure.isPassing() && tool.facts().replay().isRepeatable()) {
      time.sleep(RETRY_PAUSE);
      result = use.isRemoved() ? result : attempt(use, call, context);
    }
    result = checked(use, result);
    count(call.tool(), result);
    meters
        .timer("holdfast.tool", "tool", call.tool())
        .record(Duration.ofNanos(time.nanos() - begun));
    return result.withText(cap.cap(secrets.redact(result.text()), context));
  }

  /** Of a call in an old context too: nobody knows any more whether the tool was there then. */
  private String unavailable(String tool) {
    List<String> names = specs().stream().map(ToolSpec::name).toList();
    String others =
        names.isEmpty()
            ? "There are none now."
            : names.size() > ToolOffer.TOOLS_MAX
                ? "Find others with " + ToolSearchTool.NAME + "."
                : "There are: " + String.join(", ", names);
    return "There is no tool called "
        + tool
        + ": it is no longer available, or there never was one. "
        + others;
  }

  private Optional<String> problem(Use<RegisteredTool> use, ToolCall call)
      throws InterruptedException {
    try {
      return query(use, () -> use.value().arguments().problem(call.arguments()));
    } catch (TimeoutException | ExecutionException | RejectedExecutionException e) {
      LOG.warn("tool {}: the arguments of call {} were not checked", call.tool(), call.id(), e);
      return Optional.of("The arguments could not be checked in time.");
    }
  }

  private ToolResult attempt(Use<RegisteredTool> use, ToolCall call, ToolContext context)
      throws InterruptedException {
    RegisteredTool tool = use.value();
    Duration timeout = tool.facts().timeout();
    try {
      return threads.run(
          () -> requireComplete(tool.tool().run(arguments(call), context)),
          timeout,
          use.another()::close);
    } catch (RejectedExecutionException e) {
      String text = "Too many tools are running.";
      return ToolResult.error(Failure.of(FailureCode.OVERLOADED, text));
    } catch (TimeoutException e) {
      String text = "The tool did not end within " + timeout.toSeconds() + " s and was stopped.";
      return ToolResult.error(Failure.of(FailureCode.TIMEOUT, text));
    } catch (ExecutionException e) {
      Throwable bug = Objects.requireNonNull(e.getCause());
      Fatal.check(bug);
      LOG.error("tool {}: threw in call {}", call.tool(), call.id(), bug);
      String text = "The tool failed: " + bug.getClass().getSimpleName();
      return ToolResult.error(Failure.of(FailureCode.INTERNAL, text));
    }
  }

  private static ToolResult requireComplete(ToolResult result) {
    Objects.requireNonNull(result, "the result");
    Objects.requireNonNull(result.text(), "the result's text");
    return result;
  }

  private ToolResult checked(Use<RegisteredTool> use, ToolResult result)
      throws InterruptedException {
    try {
      return query(use, () -> use.value().checked(result));
    } catch (TimeoutException | ExecutionException | RejectedExecutionException e) {
      LOG.warn("tool {}: a result was not checked", use.value().facts().name(), e);
      String text = "The result could not be checked in time.";
      return ToolResult.error(Failure.of(FailureCode.BACKEND_FAILURE, text));
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
