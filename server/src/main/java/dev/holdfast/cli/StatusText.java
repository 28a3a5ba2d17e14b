package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A server in one look: what the API says of each of its parts, as objects that are empty where the
 * token may not see them.
 *
 * @param usage of the last 24 hours
 */
record StatusText(
    JsonNode status,
    JsonNode mode,
    JsonNode approvals,
    JsonNode incidents,
    JsonNode deadLetters,
    JsonNode usage,
    JsonNode breakers,
    JsonNode channels,
    JsonNode plugins) {
  private static final List<String> OPEN = List.of("pending", "running", "parked");
  private static final List<String> ENDED =
      List.of("answered", "silent", "held", "dead_lettered", "cancelled");

  /** Of a breaker's name: what stands before the name of a provider. */
  private static final String MODEL_BREAKER = "llm:";

  void print(Terminal terminal, URI url, Instant now) {
    head(terminal, url, now);
    terminal.line("");
    facts(terminal);
    table(terminal, List.of("MODELS", "STATE", "CALLS IN 24 H", "TOKENS", "COST"), models());
    table(terminal, List.of("CHANNEL", "MESSAGES COME BY", "STATE", "REPLIES WAITING"), accounts());
    table(terminal, List.of("PLUGIN", "VERSION", "STATE"), pluginRows());
  }

  private void head(Terminal terminal, URI url, Instant now) {
    boolean ready = status.path("ready").asBoolean();
    terminal.line(
        (ready ? terminal.good("ready") : terminal.bad("not ready")) + inMode(terminal, now));
    for (ServerCondition condition : ServerCondition.of(status)) {
      terminal.line(condition.line(terminal, now));
    }
    terminal.line(
        "Holdfast %s at %s, up %s, data in %s"
            .formatted(
                CliJson.text(status, "version"),
                url,
                since(status.path("started_at"), now, "for an unknown time"),
                CliJson.text(status, "data_dir")));
  }

  private String inMode(Terminal terminal, Instant now) {
    String name = CliJson.text(mode, "mode");
    if (name.isEmpty()) {
      return "";
    }
    String since = since(mode.path("since"), now, "");
    return ", mode "
        + (name.equals("full") ? name : terminal.warning(name))
        + (since.isEmpty() ? "" : " for " + since)
        + (name.equals("full") ? "" : ": " + CliJson.text(mode, "reason"));
  }

  private static String since(JsonNode value, Instant now, String unknown) {
    return Formats.instant(value)
        .map(since -> Formats.length(Duration.between(since, now)))
        .orElse(unknown);
  }

  private void facts(Terminal terminal) {
    long open = OPEN.stream().mapToLong(this::count).sum();
    List<String> now = counted(OPEN);
    List<String> ended = counted(ENDED);
    terminal.field(
        "messages",
        "%d open%s, %s"
            .formatted(
                open,
                now.isEmpty() ? "" : " (" + String.join(", ", now) + ")",
                ended.isEmpty() ? "none ended yet" : String.join(", ", ended)));
    terminal.field("threads", status.path("threads_active").asLong() + " active");
    terminal.field("replies", status.path("outbox_depth").asLong() + " waiting");
    if (usage.has("budget")) {
      terminal.field("cost", UsageCommand.spent(usage.path("budget")));
    }
    todo(terminal, "approvals", approvals.path("approvals").size(), "waiting", "approvals list");
    long strangers = status.path("pairings_pending").asLong();
    todo(terminal, "people", strangers, "waiting to be let in", "pair list");
    todo(terminal, "incidents", sum(incidents.path("open")), "open", "incidents list");
    todo(terminal, "given up", sum(deadLetters.path("counts")), "dead-lettered", "dlq list");
  }

  private static long sum(JsonNode counts) {
    return counts.valueStream().mapToLong(JsonNode::asLong).sum();
  }

  private static void todo(
      Terminal terminal, String name, long count, String what, String command) {
    if (count > 0) {
      terminal.field(name, terminal.warning(count + " " + what) + "; see holdfast " + command);
    }
  }

  private long count(String state) {
    return status.path("counts").path(state).asLong();
  }

  private List<String> counted(List<String> states) {
    return states.stream()
        .filter(state -> count(state) > 0)
        .map(state -> count(state) + " " + state.replace('_', '-'))
        .toList();
  }

  private static void table(Terminal terminal, List<String> heading, List<List<String>> rows) {
    if (!rows.isEmpty()) {
      terminal.line("");
      terminal.table(heading, rows);
    }
  }

  private List<List<String>> models() {
    Map<String, String> states = new TreeMap<>();
    for (JsonNode breaker : CliJson.items(breakers, "breakers")) {
      String name = CliJson.text(breaker, "name");
      if (name.startsWith(MODEL_BREAKER)) {
        states.put(name.substring(MODEL_BREAKER.length()), BreakersCommand.state(breaker));
      }
    }
    List<JsonNode> sums = CliJson.items(usage, "sums");
    List<List<String>> rows = new ArrayList<>();
    states.forEach(
        (provider, state) -> {
          List<JsonNode> own =
              sums.stream().filter(sum -> CliJson.text(sum, "provider").equals(provider)).toList();
          rows.add(
              List.of(
                  provider,
                  state.equals("closed") ? "available" : "breaker " + state,
                  String.valueOf(sum(own, "calls")),
                  String.valueOf(sum(own, "input_tokens") + sum(own, "output_tokens")),
                  Formats.dollars(
                      own.stream().mapToDouble(s -> s.path("cost_usd").asDouble()).sum())));
        });
    return rows;
  }

  private static long sum(List<JsonNode> sums, String field) {
    return sums.stream().mapToLong(sum -> sum.path(field).asLong()).sum();
  }

  private List<List<String>> accounts() {
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode channel : CliJson.items(channels, "channels")) {
      for (JsonNode account : CliJson.items(channel, "accounts")) {
        rows.add(
            List.of(
                CliJson.text(channel, "name") + ":" + CliJson.text(account, "account"),
                CliJson.text(account, "way"),
                CliJson.text(account, "state"),
                CliJson.text(account, "replies_waiting")));
      }
    }
    return rows;
  }

  private List<List<String>> pluginRows() {
    return CliJson.items(plugins, "plugins").stream()
        .map(
            plugin ->
                List.of(
                    CliJson.text(plugin, "id"),
                    CliJson.text(plugin, "version"),
                    CliJson.text(plugin, "state")))
        .toList();
  }
}
