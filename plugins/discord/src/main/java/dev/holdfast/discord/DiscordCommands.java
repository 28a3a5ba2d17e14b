package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The slash commands, as Discord has to be told them. Blocks the calling thread. */
final class DiscordCommands {
  private static final Duration CALL_MAX = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofMinutes(1);
  private static final int TRIES_MAX = 60;
  private static final int TEXT = 3;
  private static final int FLAG = 5;
  private static final int FILE = 11;

  static final Set<String> NAMES = Set.of("ask", "stop", "new", "status", "help");

  private static final List<Map<String, Object>> ALL =
      List.of(
          command(
              "ask",
              "Ask something",
              List.of(
                  option(TEXT, "text", "What you want to know", true),
                  option(FILE, "file", "A file to send with it", false))),
          command(
              "stop",
              "Stop what is running here",
              List.of(option(FLAG, "all", "Also cancel what is waiting", false))),
          command("new", "Start a fresh conversation here", List.of()),
          command("status", "Show what is running here", List.of()),
          command("help", "List the commands", List.of()));

  private DiscordCommands() {}

  private static Map<String, Object> command(
      String name, String description, List<Map<String, Object>> options) {
    return Map.of(
        "type",
        1,
        "name",
        name,
        "description",
        description,
        "options",
        options,
        "integration_types",
        List.of(0),
        "contexts",
        List.of(0, 1));
  }

  private static Map<String, Object> option(
      int type, String name, String description, boolean isRequired) {
    return Map.of("type", type, "name", name, "description", description, "required", isRequired);
  }

  /** Tells Discord those that it does not know; tries again every minute, for an hour. */
  static void register(DiscordBot bot) throws InterruptedException {
    String problem = "";
    for (int tries = 1; tries <= TRIES_MAX; tries++) {
      try {
        for (Map<String, Object> command : missing(bot)) {
          Map<String, Object> _ = bot.api().post(path(bot), command, CALL_MAX).orThrow();
        }
        return;
      } catch (CallFailedException e) {
        problem = e.failure().summary();
        if (!e.failure().isPassing()) {
          break;
        }
        Duration asked = e.failure().retryAfter();
        bot.context().sleep(asked.compareTo(RETRY) > 0 ? asked : RETRY);
      }
    }
    bot.context()
        .logger()
        .log(
            Level.WARNING,
            "account {0}: the slash commands are not registered: {1}",
            bot.name(),
            problem);
  }

  private static String path(DiscordBot bot) throws CallFailedException, InterruptedException {
    return "/applications/" + bot.identity(CALL_MAX).app() + "/commands";
  }

  /** Those that Discord has not, or has otherwise. Other commands of the application stay. */
  private static List<Map<String, Object>> missing(DiscordBot bot)
      throws CallFailedException, InterruptedException {
    DiscordAnswer answer = bot.api().get(path(bot), CALL_MAX);
    Set<String> known =
        answer.listOrThrow().stream().map(DiscordCommands::described).collect(Collectors.toSet());
    return ALL.stream().filter(command -> !known.contains(described(command))).toList();
  }

  private static String described(Map<String, Object> command) {
    return JsonText.text(command, "name")
        + ":"
        + JsonText.text(command, "description")
        + JsonText.maps(command, "options").stream()
            .map(option -> JsonText.text(option, "name"))
            .toList();
  }

  /** How many of them Discord knows. */
  static long registered(DiscordBot bot) throws CallFailedException, InterruptedException {
    DiscordAnswer answer = bot.api().get(path(bot), CALL_MAX);
    return answer.listOrThrow().stream()
        .filter(command -> NAMES.contains(JsonText.text(command, "name")))
        .count();
  }
}
