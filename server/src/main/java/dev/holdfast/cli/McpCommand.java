package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Hands the messages of a client that speaks over pipes to the server, and its answers back. */
@Command(
    name = "mcp",
    description = "Offer the running server to a program as an MCP server over stdin and stdout.",
    footer = {
      "",
      "One JSON-RPC message per line, as MCP clients send them. A client that speaks HTTP can use"
          + " the",
      "server's address with /mcp directly.",
      "",
      "Example, in the configuration of a client:",
      "  {\"mcpServers\": {\"holdfast\": {\"command\": \"holdfast\", \"args\": [\"mcp\"]}}}"
    })
final class McpCommand implements Callable<Integer> {
  private static final String PATH = "/mcp";

  /** The server answers sooner, also when it waits for an agent. */
  private static final Duration ANSWER_MAX = Duration.ofMinutes(11);

  private static final int FAILED = -32000;
  private static final int NOT_JSON = -32700;

  private static final String MAY_BE_DONE =
      ". The call may have been carried out: repeat send_message with the same key, or without one"
          + " look for the message first, with list_threads and read_thread";

  private final RootCommand root;

  McpCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    ApiClient api = root.api();
    List<Thread> running = new ArrayList<>();
    try {
      for (String line = root.environment.in().readLine();
          line != null;
          line = root.environment.in().readLine()) {
        if (!line.isBlank()) {
          String message = line;
          running.removeIf(thread -> !thread.isAlive());
          running.add(Thread.ofVirtual().name("mcp").start(() -> hand(api, message)));
        }
      }
    } catch (IOException e) {
      throw new CliException(ExitCode.IO, "stdin cannot be read: " + e.getMessage());
    }
    for (Thread each : running) {
      each.join();
    }
    return ExitCode.OK;
  }

  private void hand(ApiClient api, String line) {
    JsonNode message;
    try {
      message = CliJson.parse(line);
    } catch (JsonProcessingException _) {
      print(error(CliJson.object(), NOT_JSON, "the line is not JSON"));
      return;
    }
    try {
      String answer = api.exchange(PATH, line, ANSWER_MAX);
      if (!answer.isEmpty()) {
        print(answer);
      }
    } catch (ApiClient.UnavailableException e) {
      String hint = message.path("method").asText().equals("tools/call") ? MAY_BE_DONE : "";
      fail(message, "no server is running at " + api.base() + ": " + e.getMessage() + hint);
    } catch (ApiClient.RefusedException e) {
      fail(message, String.valueOf(RootCommand.refused(e).getMessage()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** What wants no answer gets none. */
  private void fail(JsonNode message, String reason) {
    if (message.has("id") || !message.isObject()) {
      print(error(message, FAILED, reason));
    } else {
      root.terminal().note(reason);
    }
  }

  private static String error(JsonNode message, int code, String reason) {
    ObjectNode answer = CliJson.object().put("jsonrpc", "2.0");
    answer.set("id", message.path("id").isMissingNode() ? null : message.get("id"));
    answer.putObject("error").put("code", code).put("message", reason);
    return answer.toString();
  }

  private void print(String line) {
    root.terminal().line(line.replace("\n", " "));
  }
}
