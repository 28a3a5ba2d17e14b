package dev.holdfast.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs what operators run most, against answers made up on loopback, for the cache of commands. */
final class CommandRehearsal {
  private static final byte[] ANSWER =
      """
      {"version":"1","ready":true,"started_at":"2026-01-01T00:00:00Z","data_dir":"data",
       "counts":{"answered":1},"mode":"full","conditions":[{"type":"a/b","status":"degraded",
       "message":"m","since":"2026-01-01T00:00:00Z","exit_rule":"e"}],"sums":[{"provider":"p"}],
       "budget":{"today_usd":0.5},"breakers":[{"name":"llm:p","state":"closed","open_until":null}],
       "channels":[{"name":"web","accounts":[{"account":"main"}]}],"plugins":[{"id":"p"}],
       "dead_letters":[{"id":"d","reason":"two words"}],"threads":[{"thread_id":"t"}],
       "event_id":"e","received_at":"2026-01-01T00:00:00Z","state":"answered",
       "story":[{"at":"2026-01-01T00:00:00Z","what":"turn.started","attempt":1}],
       "model_calls":[{"at":"2026-01-01T00:00:00Z"}],"replies":[{"state":"sent"}]}
      """
          .getBytes(StandardCharsets.UTF_8);

  /** No server listens there. */
  private static final String NOBODY = "http://127.0.0.1:1";

  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("status"),
          List.of("status", "--json"),
          List.of("conditions"),
          List.of("usage"),
          List.of("breakers", "list"),
          List.of("dlq", "list"),
          List.of("threads", "list"),
          List.of("approvals", "list"),
          List.of("trace", "e"),
          List.of("status", "--url", NOBODY),
          List.of("dlq", "--help"),
          List.of("version"),
          List.of("help"));

  private CommandRehearsal() {}

  public static void main(String[] args) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", CommandRehearsal::answer);
    server.start();
    Path folder = Files.createTempDirectory("holdfast-rehearsal");
    Path config = folder.resolve("holdfast.yaml");
    Path token = folder.resolve("token");
    try {
      Files.writeString(config, configuration(server.getAddress().getPort()));
      Files.writeString(token, "rehearsal\n");
      for (List<String> command : COMMANDS) {
        int _ = Cli.main(words(command, folder), _ -> ExitCode.OK, (section, _) -> section);
      }
    } finally {
      server.stop(0);
      Files.deleteIfExists(config);
      Files.deleteIfExists(token);
      Files.delete(folder);
    }
  }

  /** With each form of YAML that is usual. */
  private static String configuration(int port) {
    return """
    # of the rehearsal
    http: {port: %d}
    models:
      levels:
        operational: [embedded/echo]
      choice:
        - "operational"
    """
        .formatted(port);
  }

  private static String[] words(List<String> command, Path folder) {
    return Stream.concat(
            command.stream(),
            Stream.of(
                "--config",
                folder.resolve("holdfast.yaml").toString(),
                "--data",
                folder.toString()))
        .toArray(String[]::new);
  }

  private static void answer(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, ANSWER.length);
    exchange.getResponseBody().write(ANSWER);
    exchange.close();
  }
}
