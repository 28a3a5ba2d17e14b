package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginContext;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One bot and what is done with it besides messages. Blocks the calling thread. Thread-safe. */
final class BotAccount {
  private static final Duration SHORT = Duration.ofSeconds(4);
  private static final int ANSWER_UNITS_MAX = 200;

  /** A longer sentence is gone before it is read, unless it waits for a tap. */
  private static final int GLANCE_UNITS_MAX = 60;

  private static final List<Map<String, String>> COMMANDS =
      List.of(
          command("stop", "Stop what is being done"),
          command("new", "Begin anew"),
          command("status", "What is being done"),
          command("help", "What can be said"));

  private final PluginContext context;
  private final TelegramAccount account;
  private final GroupMigrations migrations;
  private final BotApi api;
  private final UpdateReader reader;
  private boolean announced;

  BotAccount(
      PluginContext context, TelegramAccount account, GroupMigrations migrations, String baseUrl) {
    this.context = context;
    this.account = account;
    this.migrations = migrations;
    this.api = new BotApi(context, baseUrl, account.token());
    this.reader = new UpdateReader(account, migrations);
  }

  private static Map<String, String> command(String name, String description) {
    return Map.of("command", name, "description", description);
  }

  String name() {
    return account.name();
  }

  TelegramAccount account() {
    return account;
  }

  BotApi api() {
    return api;
  }

  UpdateReader reader() {
    return reader;
  }

  /** Where a conversation is now. */
  ChatAddress address(String thread) {
    return migrations.address(thread);
  }

  void note(TelegramUpdate.Migrated moved) {
    migrations.moved(moved.from(), moved.to());
  }

  /** For the operator: nobody is answered where the bot is not. */
  void note(TelegramUpdate.Membership change) {
    context
        .logger()
        .log(
            Level.INFO,
            "account {0}: in chat {1} the bot is {2} now",
            name(),
            change.chat(),
            change.status().replaceAll("[^a-z_]", "?"));
  }

  /** A click whose answer fails has done its work nevertheless. */
  void answerClick(String query, String sentence) throws InterruptedException {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("callback_query_id", query);
    parameters.put("text", sentence.substring(0, Math.min(sentence.length(), ANSWER_UNITS_MAX)));
    parameters.put("show_alert", sentence.length() > GLANCE_UNITS_MAX);
    tryCall("answerCallbackQuery", parameters);
  }

  /** Lists the commands in the menu of the clients, once in a run. */
  synchronized void announceCommands() throws InterruptedException {
    if (!announced) {
      announced = true;
      tryCall("setMyCommands", Map.of("commands", COMMANDS));
    }
  }

  private void tryCall(String method, Map<String, ?> parameters) throws InterruptedException {
    String problem;
    try {
      BotAnswer answer = api.call(method, parameters, SHORT);
      problem = answer.isOk() ? "" : answer.failure().summary();
    } catch (CallFailedException e) {
      problem = e.failure().summary();
    }
    if (!problem.isEmpty()) {
      context.logger().log(Level.DEBUG, "account {0}: {1}: {2}", name(), method, problem);
    }
  }

  /** Tells Telegram where to send updates; what has waited so far comes too. */
  void setWebhook() throws CallFailedException, InterruptedException {
    Map<String, Object> _ =
        api.call(
                "setWebhook",
                Map.of(
                    "url",
                    account.webhookUrl(),
                    "secret_token",
                    account.webhookSecret(),
                    "allowed_updates",
                    UpdateReader.KINDS,
                    "drop_pending_updates",
                    false))
            .orThrow();
  }
}
