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
          List.of("dlq", "--help"),
          List.of("version"),
          List.of("help"));

  private CommandRehearsal() {}

  public static void main(String[] args) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", CommandRehearsal::answer);
    server.start();
    Path config = Files.createTempFile("holdfast-rehearsal", ".yaml");
    try {
      Files.writeString(config, "http: {port: %d}\n".formatted(server.getAddress().getPort()));
      for (List<String> command : COMMANDS) {
        int _ = Cli.main(words(command, config), _ -> ExitCode.OK, (section, _) -> section);
      }
    } finally {
      server.stop(0);
      Files.delete(config);
    }
  }

  private static String[] words(List<String> command, Path config) {
    return Stream.concat(
            command.stream(), Stream.of("--config", config.toString(), "--token", "rehearsal"))
        .toArray(String[]::new);
  }

  private static void answer(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, ANSWER.length);
    exchange.getResponseBody().write(ANSWER);
    exchange.close();
  }
}
