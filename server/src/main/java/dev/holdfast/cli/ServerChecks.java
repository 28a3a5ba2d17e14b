package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.store.LockHolder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Whether a server runs, and whether one could. */
final class ServerChecks {
  private final RootCommand root;
  private List<ServerCondition> conditions = List.of();
  private boolean answers;

  ServerChecks(RootCommand root) {
    this.root = root;
  }

  Finding answer() throws CliException, InterruptedException {
    Path data = root.dataFolder();
    Optional<Long> holder = LockHolder.find(data);
    ApiClient api;
    try {
      api = root.api();
    } catch (CliException e) {
      if (e.exitCode() != ExitCode.IO) {
        throw e;
      }
      return Finding.bad("server", String.valueOf(e.getMessage()), ""); // the rest is still of use
    }
    try {
      JsonNode status = api.get("/api/v1/status");
      if (holder.isEmpty() && Files.exists(data.resolve("holdfast.db"))) {
        return Finding.warning(
            "server",
            "one answers at " + api.base() + ", but it does not use " + data + ": nothing does",
            "give --url or --data so that both are of one server");
      }
      answers = true;
      conditions = ServerCondition.of(status);
      String text =
          "%s answers at %s%s"
              .formatted(
                  CliJson.text(status, "version"),
                  api.base(),
                  holder.map(pid -> ", process " + pid).orElse(""));
      return status.path("ready").asBoolean()
          ? Finding.good("server", text)
          : Finding.bad("server", text + ", not ready", "");
    } catch (ApiClient.UnavailableException e) {
      return holder.isPresent()
          ? Finding.bad(
              "server",
              "process "
                  + holder.get()
                  + " holds "
                  + data
                  + ", but "
                  + api.base()
                  + " does not answer",
              "its log says where it listens: it may still be starting, or a changed http.port"
                  + " waits for a restart; --url names another address")
          : Finding.warning("server", "none runs at " + api.base(), "start one: holdfast run");
    } catch (ApiClient.RefusedException e) {
      answers = holder.isPresent(); // else it may be anything
      conditions = ofHealth(api);
      return Finding.warning(
          "server", "answers at " + api.base() + ", but: " + e.getMessage(), "give --token");
    }
  }

  private static List<ServerCondition> ofHealth(ApiClient api) throws InterruptedException {
    try {
      return ServerCondition.ofHealth(api.health());
    } catch (ApiClient.UnavailableException e) {
      return List.of();
    }
  }

  /** What the server that answered says of itself; empty before {@link #answer}. */
  List<ServerCondition> conditions() {
    return conditions;
  }

  /** The channels of the server that answered; empty before {@link #answer}. */
  List<String> channels() throws CliException, InterruptedException {
    try {
      return answers
          ? CliJson.items(root.api().get(ChannelsCommand.CALLS), "channels").stream()
              .map(channel -> CliJson.raw(channel, "name"))
              .toList()
          : List.of();
    } catch (ApiClient.UnavailableException | ApiClient.RefusedException _) {
      return List.of(); // what is wrong with the server or the token was said before
    }
  }

  /** Of the server that answered; empty when there is nothing to say. */
  List<Finding> incidents() throws CliException, InterruptedException {
    if (!answers) {
      return List.of();
    }
    try {
      JsonNode open = root.api().get(IncidentsCommand.PATH + "?state=open&limit=1").path("open");
      long critical = open.path("critical").asLong();
      long all = critical + open.path("warning").asLong() + open.path("info").asLong();
      return List.of(
          all == 0
              ? Finding.good("incidents", "none is open")
              : Finding.warning(
                  "incidents",
                  "%d open, %d of them critical".formatted(all, critical),
                  "read them: holdfast incidents list"));
    } catch (ApiClient.UnavailableException | ApiClient.RefusedException _) {
      return List.of(); // what is wrong with the server or the token was said before
    }
  }

  /** One for each account that needs anything: whether it has it, and else what mends it. */
  List<Finding> channel(String name) throws CliException, InterruptedException {
    JsonNode report;
    try {
      report = root.api().post(ChannelsCommand.path(name, ""), CliJson.object());
    } catch (ApiClient.UnavailableException | ApiClient.RefusedException e) {
      return List.of(
          Finding.warning(
              "channel",
              name + " could not be checked: " + e.getMessage(),
              "try: holdfast channels check " + name));
    }
    return CliJson.items(report, "accounts").stream()
        .filter(account -> !account.path("checks").isEmpty())
        .map(account -> account(name, account))
        .toList();
  }

  private static Finding account(String channel, JsonNode account) {
    String source = channel + ":" + CliJson.text(account, "account");
    List<JsonNode> unmet =
        CliJson.items(account, "checks").stream()
            .filter(check -> !check.path("met").asBoolean())
            .toList();
    if (unmet.isEmpty()) {
      return Finding.good("channel", source + " has what it needs");
    }
    String more = unmet.size() > 1 ? " (and " + (unmet.size() - 1) + " more)" : "";
    return Finding.bad(
        "channel",
        source + ": not so: " + CliJson.text(unmet.getFirst(), "what") + more,
        unmet.size() > 1
            ? "see all: holdfast channels check " + source
            : CliJson.text(unmet.getFirst(), "step"));
  }

  /** After {@link #answer}: a port of the server that answered, ready or not, is rightly taken. */
  List<Finding> ports() {
    return List.of(port("http", 8080), port("metrics", 9090));
  }

  private Finding port(String section, int fallback) {
    String host = root.host(section);
    int port = root.port(section, fallback);
    String name = section + " port";
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(host))) {
      return Finding.good(name, host + ":" + socket.getLocalPort() + " is free");
    } catch (IOException | IllegalArgumentException e) {
      return answers
          ? Finding.good(name, host + ":" + port + " is taken, by this server as it seems")
          : Finding.bad(
              name,
              host + ":" + port + " cannot be listened on: " + e.getMessage(),
              "stop what listens there, or change " + section + ".port");
    }
  }
}
