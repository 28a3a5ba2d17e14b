package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The channels of a running server. */
@Command(
    name = "channels",
    aliases = "channel",
    description = "List the channels, or check whether they have what they need.")
final class ChannelsCommand extends CommandGroup {
  static final String CALLS = "/api/v1/channels";

  private static final String UNKNOWN = "see holdfast channels list";

  ChannelsCommand(RootCommand root) {
    super(root, "channels list or check");
  }

  @Command(
      name = "list",
      description = "List each account: what provides it, and how messages arrive and leave.",
      footer = {"", "Example: holdfast channels list"})
  int list() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(CALLS));
    if (root.json) {
      root.print(answer);
      return ExitCode.OK;
    }
    Instant now = root.environment.time().now();
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode channel : answer.path("channels")) {
      channel.path("accounts").forEach(account -> rows.add(row(channel, account, now)));
      long more = channel.path("more").asLong();
      if (more > 0) {
        root.terminal().note(CliJson.text(channel, "name") + ": " + more + " more accounts");
      }
    }
    if (rows.isEmpty()) {
      root.terminal().line("no channels");
    } else {
      root.terminal()
          .table(List.of("ACCOUNT", "FROM", "MESSAGES COME IN", "STATE", "REPLIES"), rows);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "check",
      description =
          "Check whether the accounts have what they need: tokens, scopes, connections. Exits with"
              + " 1 if something is missing, and says how to fix it.",
      footer = {
        "",
        "This asks the platforms, for at most 20 s per channel.",
        "",
        "Example: holdfast channels check telegram:main"
      })
  int check(
      @Parameters(
              paramLabel = "NAME[:ACCOUNT]",
              arity = "0..1",
              defaultValue = "",
              description = "A channel, or one account of it. Default: all.")
          String name)
      throws CliException, InterruptedException {
    String channel = name.split(":", 2)[0];
    String account = name.contains(":") ? name.substring(channel.length() + 1) : "";
    List<String> names = name.isEmpty() ? names() : List.of(channel);
    ArrayNode reports = CliJson.object().putArray("channels");
    for (String each : names) {
      root.terminal().progress("checking " + VisibleText.line(each) + "...");
      JsonNode report = root.ask(api -> api.post(path(each, account), CliJson.object()), UNKNOWN);
      reports.add(report);
    }
    boolean isGood = true;
    for (JsonNode report : reports) {
      isGood &= report(report);
    }
    if (root.json) {
      ObjectNode answer = CliJson.object().put("good", isGood);
      answer.set("channels", reports);
      root.print(answer);
    }
    return isGood ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  static String path(String channel, String account) {
    return CALLS
        + "/"
        + ApiClient.encoded(channel)
        + "/check"
        + (account.isEmpty() ? "" : "?account=" + ApiClient.encoded(account));
  }

  private List<String> names() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.get(CALLS));
    return CliJson.items(answer, "channels").stream()
        .map(channel -> CliJson.raw(channel, "name"))
        .toList();
  }

  /** True when nothing is missing. */
  private boolean report(JsonNode report) {
    boolean isGood = true;
    Terminal terminal = root.terminal();
    for (JsonNode account : report.path("accounts")) {
      String source = CliJson.text(report, "name") + ":" + CliJson.text(account, "account");
      for (JsonNode check : account.path("checks")) {
        boolean isMet = check.path("met").asBoolean();
        isGood &= isMet;
        if (!root.json) {
          terminal.line(
              "%s  %s  %s"
                  .formatted(
                      isMet ? terminal.good("ok ") : terminal.bad("BAD"),
                      source,
                      CliJson.text(check, "what")));
        }
        if (!root.json && !isMet) {
          terminal.line("     " + terminal.bold(CliJson.text(check, "step")));
        }
      }
    }
    long more = report.path("more").asLong();
    if (more > 0) {
      terminal.note(
          "%s: %d more accounts were not checked; name one: holdfast channels check %s:ACCOUNT"
              .formatted(CliJson.text(report, "name"), more, CliJson.text(report, "name")));
    }
    return isGood;
  }

  private static List<String> row(JsonNode channel, JsonNode account, Instant now) {
    String plugin = CliJson.text(channel, "plugin");
    return List.of(
        CliJson.text(channel, "name") + ":" + CliJson.text(account, "account"),
        plugin.isEmpty() ? "built in" : "plugin " + plugin,
        way(account),
        state(account, now),
        replies(account));
  }

  private static String way(JsonNode account) {
    return switch (CliJson.raw(account, "way")) {
      case "webhook" -> {
        String url = CliJson.text(account, "url");
        yield url.isEmpty() ? CliJson.text(account, "webhook") : url;
      }
      case "listens" -> "it listens";
      default -> "on its page";
    };
  }

  private static String state(JsonNode account, Instant now) {
    StringBuilder text = new StringBuilder(CliJson.text(account, "state").replace('_', ' '));
    JsonNode listener = account.path("listener");
    if (listener.isObject()) {
      add(text, "since %s", Formats.instant(listener.path("since")), now);
      add(text, "last heard %s", Formats.instant(listener.path("received_at")), now);
      long restarts = listener.path("restarts").asLong();
      if (restarts > 0) {
        text.append(", ").append(restarts).append(restarts == 1 ? " restart" : " restarts");
        String failure = CliJson.text(listener, "failure");
        text.append(failure.isEmpty() ? "" : " (" + failure + ")");
      }
    }
    return text.toString();
  }

  private static void add(StringBuilder text, String what, Optional<Instant> at, Instant now) {
    at.map(then -> Duration.between(then, now))
        .filter(ago -> !ago.isNegative())
        .ifPresent(ago -> text.append(", ").append(what.formatted(Formats.length(ago) + " ago")));
  }

  private static String replies(JsonNode account) {
    List<String> words = new ArrayList<>();
    long waiting = account.path("replies_waiting").asLong();
    if (waiting > 0) {
      words.add(waiting + " waiting");
    }
    String breaker = CliJson.text(account, "breaker");
    if (!breaker.equals("closed")) {
      String until = CliJson.text(account, "open_until");
      words.add("breaker " + breaker.replace('_', '-') + (until.isEmpty() ? "" : " to " + until));
    }
    String paced = CliJson.text(account, "paced_until");
    if (!paced.isEmpty()) {
      words.add("held back to " + paced);
    }
    return String.join(", ", words);
  }
}
