package dev.holdfast.extensions;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.Secrets;
import dev.holdfast.incidents.FakeIncidents;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenConfig;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.resilience.BreakerSettings;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.TimedWait;
import dev.holdfast.tools.ToolOutputConfig;
import dev.holdfast.tools.Toolbox;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/** Extensions with real children, in a toolbox of their own; looked after in short intervals. */
final class ExtensionRig {
  /** As one argument: a child need not see where the sources of the tests lie. */
  private static final String SCRIPT = script();

  /** The interpreter itself: what the path leads to may be a script that looks for one. */
  static final String PYTHON = python();

  private static final Vertx VERTX = Vertx.vertx();

  /** The id of an extension whose breaker is half open soon after it has opened. */
  static final String TRIED_SOON = "brief";

  private static final Duration SOON = Duration.ofMillis(1);

  final Path folder;
  final Map<String, String> environment = new ConcurrentHashMap<>();
  final ConcurrentLinkedQueue<String> labels = new ConcurrentLinkedQueue<>();
  final FakeIncidents incidents = new FakeIncidents();
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final Toolbox toolbox;
  final Guards guards;
  boolean trustsFirstList = true;
  Pace pace =
      new Pace(
          Duration.ofMillis(100),
          Duration.ofMillis(300),
          3,
          Duration.ofMillis(50),
          Duration.ofMillis(300));

  private final SystemTime time = new SystemTime(); // children are real
  private final HttpCaller http = HttpCaller.create(VERTX, time);
  final Secrets secrets = new Secrets();
  private final Children children;
  private final AtomicInteger calls = new AtomicInteger();
  private Extensions extensions;

  ExtensionRig(Path temporary) throws Exception {
    Path data = Files.createDirectories(temporary.resolve("data")).toRealPath();
    folder = Files.createDirectories(data.resolve("extensions"));
    toolbox = new Toolbox(List.of(), new ToolOutputConfig(2_000_000, 5000), secrets, time, meters);
    guards =
        Guards.create(
            new GuardsConfig(
                BreakerSettings.DEFAULT,
                Map.of("ext:" + TRIED_SOON, new BreakerSettings(5, 2, SOON, SOON))),
            GuardMemory.none(),
            time,
            meters,
            VERTX);
    try {
      children = Children.open(ChildrenConfig.of(Sandbox.AUTO, data).hiding(secrets::files), time);
    } catch (CallFailedException e) {
      http.close();
      throw Assumptions.<RuntimeException>abort(e.failure().message());
    }
    extensions = made();
  }

  private static String script() {
    try {
      String text = Files.readString(Path.of("src/test/resources/extensions/mcp_server.py"));
      return new ObjectMapper().writeValueAsString(text.replace("${", "$${"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String python() {
    try {
      Process process =
          new ProcessBuilder("python3", "-c", "import sys; print(sys.executable)").start();
      return new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Extensions made() {
    return new Extensions(services());
  }

  ExtensionServices services() {
    return new ExtensionServices(
        folder,
        () -> children,
        http,
        toolbox,
        guards,
        () -> environment,
        secrets,
        new AttachmentsConfig(
            2,
            100_000,
            1_024,
            Duration.ofSeconds(20),
            1_000_000,
            new AttachmentsConfig.Images(600, 4, 10_000)),
        pace,
        () -> trustsFirstList,
        () -> 0.5,
        new RecentResults(time),
        incidents,
        time,
        meters);
  }

  /** One beside the declared ones, started. */
  McpExtension started(String entry) throws Exception {
    McpExtension extension =
        new McpExtension("configuration", parsed(entry).getFirst(), services());
    extension.start(Optional.empty());
    TimedWait.until("it serves", () -> extension.view().state() == ExtensionState.READY);
    return extension;
  }

  Extensions extensions() {
    return extensions;
  }

  /** With another pace, as if the server were started again. */
  void again(Pace other) throws InterruptedException {
    extensions.close();
    pace = other;
    extensions = made();
  }

  /** The line of holdfast.yaml that starts the server for tests. */
  static String server(String id, String... flags) {
    return server(id, List.of(flags), "");
  }

  static String server(String id, List<String> flags, String more) {
    return "- id: %s\n  command: [%s, -SI, -c, %s%s]\n  restart: {initial_backoff_ms: 20, max_backoff_ms: 40}\n%s"
        .formatted(
            id,
            PYTHON,
            SCRIPT,
            String.join("", flags.stream().map(flag -> ", " + flag).toList()),
            more);
  }

  static List<ExtensionConfig> parsed(String... entries) throws ConfigException {
    String yaml = "extensions:\n" + String.join("", entries);
    return ConfigFile.text("holdfast.yaml", yaml, Map.of()).make(ExtensionConfig::listFrom);
  }

  List<String> declare(String... entries) throws ConfigException {
    return extensions.replaceAll("configuration", parsed(entries));
  }

  /** Declares one and waits until it serves. */
  void serve(String entry) throws ConfigException {
    List<String> _ = declare(entry);
    String id = parsed(entry).getFirst().id();
    await(id, ExtensionState.READY);
  }

  void await(String id, ExtensionState state) {
    TimedWait.until(
        id + " is " + state + ": " + extensions.view(id), () -> view(id).state() == state);
  }

  ExtensionView view(String id) {
    return extensions.view(id).orElseThrow();
  }

  /** How often the child of that name was started. */
  int starts(String id) throws IOException {
    return Files.readAllLines(folder.resolve(id).resolve("files/starts")).size();
  }

  List<String> offered() {
    return toolbox.specs().stream().map(ToolSpec::name).toList();
  }

  ToolResult call(String tool) throws InterruptedException {
    return call(tool, "{}");
  }

  /** Without the words around what an extension says. */
  ToolResult call(String tool, String arguments) throws InterruptedException {
    return callFor("ann", tool, arguments, labels::add);
  }

  /** For another person, whom {@code progress} may ask. */
  ToolResult callFor(String person, String tool, String arguments, ToolContext.Progress progress)
      throws InterruptedException {
    ToolResult framed = callFramed(person, tool, arguments, progress);
    String text = framed.text().replaceFirst("^\\[From extension [^\n]*]\n", "");
    return framed.withText(text);
  }

  ToolResult callFramed(String tool, String arguments) throws InterruptedException {
    return callFramed("ann", tool, arguments, labels::add);
  }

  private ToolResult callFramed(
      String person, String tool, String arguments, ToolContext.Progress progress)
      throws InterruptedException {
    int number = calls.incrementAndGet();
    return toolbox.run(
        new ToolCall("call-" + number, tool, arguments),
        new ToolContext(
            "web:main:t", "event", person, "call-" + number, "key-" + number, folder, progress));
  }

  double counted(String meter, String... tags) {
    return Objects.requireNonNull(meters.find(meter).tags(tags).counter()).count();
  }

  /** Ends all children. */
  void close() throws Exception {
    extensions.close();
    children.close();
    http.close();
  }
}
