package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What the models were asked, and what it cost. */
@Command(
    name = "usage",
    description = "Show model calls, tokens and cost, and how much of the budget is spent.",
    footer = {"", "Example: holdfast usage --since 7d"})
final class UsageCommand implements Callable<Integer> {
  static final String PATH = "/api/v1/usage?since_secs=";

  private final RootCommand root;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      defaultValue = "30d",
      description = "How far back: 90s, 15m, 2h or 7d. Default: ${DEFAULT-VALUE}.")
  String since = "30d";

  UsageCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    long seconds = Formats.parseLength(since).toSeconds();
    JsonNode usage = root.ask(api -> api.get(PATH + seconds));
    if (root.json) {
      root.print(usage);
    } else {
      show(usage);
    }
    return ExitCode.OK;
  }

  private void show(JsonNode usage) {
    Terminal terminal = root.terminal();
    List<JsonNode> sums = CliJson.items(usage, "sums");
    if (sums.isEmpty()) {
      terminal.line("no model calls since " + Formats.day(usage.path("since")));
    } else {
      terminal.table(
          List.of("PROVIDER", "MODEL", "OUTCOME", "CALLS", "TOKENS IN", "OUT", "COST"),
          sums.stream().map(UsageCommand::row).toList());
      terminal.line("");
      terminal.line(
          "total %s since %s"
              .formatted(
                  Formats.dollars(usage.path("total_cost_usd").asDouble()),
                  Formats.day(usage.path("since"))));
    }
    terminal.line(spent(usage.path("budget")));
  }

  private static List<String> row(JsonNode sum) {
    return List.of(
        CliJson.text(sum, "provider"),
        CliJson.text(sum, "model"),
        CliJson.text(sum, "outcome"),
        CliJson.text(sum, "calls"),
        CliJson.text(sum, "input_tokens"),
        CliJson.text(sum, "output_tokens"),
        Formats.dollars(sum.path("cost_usd").asDouble()));
  }

  /** {@code $0.1000 of $5.0000 today, $2.3000 this month}. */
  static String spent(JsonNode budget) {
    return "%s today, %s this month"
        .formatted(
            spent(budget, "today_usd", "daily_usd"), spent(budget, "month_usd", "monthly_usd"));
  }

  private static String spent(JsonNode budget, String spent, String limit) {
    double most = budget.path(limit).asDouble();
    return Formats.dollars(budget.path(spent).asDouble())
        + (most > 0 ? " of " + Formats.dollars(most) : "");
  }
}
