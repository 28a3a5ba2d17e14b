package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The worker agents that do the tasks of plans. */
@Command(name = "agents", description = "List the worker agents, or close an agent's circuit.")
final class AgentsCommand extends CommandGroup {
  AgentsCommand(RootCommand root) {
    super(root, "agents list or reset");
  }

  @Command(
      name = "list",
      description = "List the worker agents, their health and their actions.",
      footer = {"", "Example: holdfast agents list"})
  int list() throws CliException, InterruptedException {
    JsonNode agents = root.ask(api -> api.get("/api/v1/agents"));
    return print(agents, () -> printAll(agents));
  }

  private void printAll(JsonNode agents) {
    List<List<String>> rows = new ArrayList<>();
    agents.forEach(agent -> rows.add(row(agent)));
    if (rows.isEmpty()) {
      root.terminal().line("no worker agents");
    } else {
      root.terminal()
          .table(
              List.of(
                  "AGENT",
                  "HEALTH",
                  "FAILURES",
                  "RECENT",
                  "REFUSED UNTIL",
                  "RUNNING",
                  "REVIEW",
                  "ACTIONS"),
              rows);
    }
  }

  @Command(
      name = "reset",
      description = {
        "Close an agent's circuit: it gets tasks again at once.",
        "Its configured settings apply again."
      },
      footer = {"", "Example: holdfast agents reset files"})
  int reset(@Parameters(paramLabel = "AGENT", description = "Its id, as list shows it.") String id)
      throws CliException, InterruptedException {
    String path = "/api/v1/agents/" + segment(id, "agent") + "/reset";
    JsonNode agent = root.ask(api -> api.post(path, CliJson.object()));
    return print(
        agent,
        () -> root.terminal().line(VisibleText.line(id) + " is " + CliJson.text(agent, "health")));
  }

  private static List<String> row(JsonNode agent) {
    List<String> actions = new ArrayList<>();
    agent.path("actions").forEach(action -> actions.add(action.asText()));
    JsonNode until = agent.path("circuit_open_until");
    return List.of(
        CliJson.text(agent, "agent_id"),
        CliJson.text(agent, "health"),
        CliJson.text(agent, "consecutive_failures"),
        CliJson.text(agent, "recent_failures") + "/" + CliJson.text(agent, "recent_results"),
        until.isTextual() ? Formats.day(until) : "",
        CliJson.text(agent, "running") + "/" + CliJson.text(agent, "max_concurrent"),
        review(agent.path("review")),
        String.join(", ", actions));
  }

  /** When, what, and the settings that hold since. */
  private static String review(JsonNode review) {
    if (!review.isObject()) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    text.append(Formats.day(review.path("at")))
        .append(' ')
        .append(CliJson.text(review, "decision"));
    for (String setting : List.of("timeout_secs", "max_concurrent")) {
      if (review.path(setting).isNumber()) {
        text.append(", ").append(setting).append(' ').append(review.path(setting).asInt());
      }
    }
    return text.toString();
  }
}
