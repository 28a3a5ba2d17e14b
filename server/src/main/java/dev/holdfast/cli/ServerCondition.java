package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A condition of the server as commands show it: the server's own words. */
record ServerCondition(JsonNode json) {
  static List<ServerCondition> of(JsonNode status) {
    return CliJson.items(status, "conditions").stream().map(ServerCondition::new).toList();
  }

  /** As the probes tell them, which ask for no token. */
  static List<ServerCondition> ofHealth(JsonNode health) {
    return CliJson.items(health, "checks").stream()
        .flatMap(check -> of(check.path("data")).stream())
        .toList();
  }

  boolean hasFailed() {
    return CliJson.text(json, "status").equals("failed");
  }

  String type() {
    return CliJson.text(json, "type");
  }

  String message() {
    return CliJson.text(json, "message");
  }

  /** How it ends, and when the server tries again. */
  String end(Instant now) {
    return CliJson.text(json, "exit_rule")
        + Formats.instant(json.path("next_attempt_at"))
            .map(next -> " The next attempt is in " + length(now, next) + ".")
            .orElse("");
  }

  /** One line. */
  String line(Terminal terminal, Instant now) {
    String since =
        Formats.instant(json.path("since"))
            .map(begin -> " (for " + length(begin, now) + ")")
            .orElse("");
    String status = CliJson.text(json, "status");
    return "%s  %s: %s%s %s"
        .formatted(
            hasFailed() ? terminal.bad(status) : terminal.warning(status),
            type(),
            message(),
            since,
            terminal.dim(end(now)));
  }

  private static String length(Instant from, Instant to) {
    return Formats.length(Duration.between(from, to));
  }
}
