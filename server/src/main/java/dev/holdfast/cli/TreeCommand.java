package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Who watches over whom in the server. */
@Command(
    name = "tree",
    description = "Draw the parts of the server with their states, restarts and last failures.",
    footer = {"", "Example: holdfast tree"})
final class TreeCommand implements Callable<Integer> {
  private final RootCommand root;

  TreeCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    JsonNode tree = root.ask(api -> api.get("/api/v1/supervision"));
    if (root.json) {
      root.print(tree);
    } else {
      draw(tree, "", "");
    }
    return ExitCode.OK;
  }

  private void draw(JsonNode node, String before, String below) {
    root.terminal().line(VisibleText.line(before + line(node)));
    Iterator<JsonNode> children = node.path("children").iterator();
    while (children.hasNext()) {
      JsonNode child = children.next();
      boolean last = !children.hasNext();
      draw(child, below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "));
    }
  }

  private static String line(JsonNode node) {
    StringBuilder line = new StringBuilder(CliJson.text(node, "name"));
    if (node.path("strategy").isTextual()) {
      line.append(" (").append(CliJson.text(node, "strategy")).append(')');
    } else {
      line.append(": ").append(CliJson.text(node, "state"));
    }
    line.append(", ").append(CliJson.text(node, "criticality"));
    long restarts = node.path("restarts").asLong();
    if (restarts > 0) {
      line.append(", ").append(restarts).append(restarts == 1 ? " restart" : " restarts");
    }
    List<String> needs = new ArrayList<>();
    node.path("needs").forEach(need -> needs.add(need.asText()));
    if (!needs.isEmpty()) {
      line.append(", needs ").append(String.join(", ", needs));
    }
    JsonNode failure = node.path("last_failure");
    if (failure.isObject()) {
      line.append(", last failure");
      if (failure.path("at").isTextual()) {
        line.append(' ').append(Formats.day(failure.path("at")));
      }
      line.append(": ").append(CliJson.text(failure, "message"));
    }
    return line.toString();
  }
}
