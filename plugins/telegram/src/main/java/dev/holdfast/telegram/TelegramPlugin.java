package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.ChannelAccounts;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.PostPieces;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Offers the channel {@code telegram}, as the section {@code channels.telegram} has it. */
public final class TelegramPlugin implements Plugin {
  private static final String API = "https://api.telegram.org";

  /** Each poll holds one of the 32 places of the server's client for plugins. */
  private static final int ACCOUNTS_MAX = 20;

  private static final int POLL_SECONDS_MAX = 50;
  private static final int UPLOADS_MAX = 2;
  private static final Duration SWEEP = Duration.ofMinutes(1);
  private static final Duration RETRY_FIRST = Duration.ofSeconds(1);
  private static final Duration RETRY_MAX = Duration.ofMinutes(5);

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig section = context.channelConfig(TelegramChannel.NAME);
    String baseUrl = ChannelAccounts.baseUrl(section, "base_url", API);
    Duration pollWait = pollWait(section);
    List<TelegramAccount> accounts = accounts(section, context);
    if (accounts.stream().anyMatch(account -> account.token().isEmpty())) {
      return; // the problem was reported, so nothing of this is offered
    }
    Path folder = context.stateFolder();
    GroupMigrations migrations =
        new GroupMigrations(
            StateFile.open(folder.resolve("migrations.json"), GroupMigrations.GROUPS_MAX),
            context.logger());
    DraftMessages drafts = DraftMessages.open(context);
    PostPieces pieces = new PostPieces(folder.resolve("posts.json"), context.logger());
    Semaphore uploads = new Semaphore(UPLOADS_MAX);
    List<TelegramChannel.ServedBot> bots = new ArrayList<>();
    for (TelegramAccount account : accounts) {
      BotAccount bot = new BotAccount(context, account, migrations, baseUrl);
      DraftPoster poster = new DraftPoster(context, bot, drafts);
      TelegramPosts posts =
          new TelegramPosts(context, bot, poster, new FileUpload(bot, uploads), pieces);
      bots.add(new TelegramChannel.ServedBot(bot, poster, posts, new WebhookIntake(context, bot)));
      if (!account.polls() && !account.publicUrl().isEmpty()) {
        PluginContext.Background _ =
            context.run("telegram-webhook-" + account.name(), () -> setWebhook(context, bot));
      }
    }
    PluginContext.Background _ =
        context.every(
            "telegram-drafts", SWEEP, () -> drafts.takeAwayLeftOver(draft -> delete(draft, bots)));
    context.offer(new TelegramChannel(context, pollWait, bots));
  }

  private static Duration pollWait(PluginConfig section) {
    int seconds = section.whole("poll_secs", POLL_SECONDS_MAX);
    if (seconds < 1 || seconds > POLL_SECONDS_MAX) {
      section.problem("poll_secs", "poll_secs must be from 1 to " + POLL_SECONDS_MAX);
      return Duration.ofSeconds(POLL_SECONDS_MAX);
    }
    return Duration.ofSeconds(seconds);
  }

  private static List<TelegramAccount> accounts(PluginConfig section, PluginContext context) {
    Optional<String> variable = context.secret(TelegramAccount.VARIABLE);
    String publicUrl = ChannelAccounts.publicUrl(section, "");
    List<TelegramAccount> accounts = new ArrayList<>();
    ChannelAccounts.of(section)
        .forEach(
            (name, each) -> accounts.add(TelegramAccount.read(each, name, variable, publicUrl)));
    if (accounts.size() > ACCOUNTS_MAX) {
      section.problem("accounts", "accounts must be at most " + ACCOUNTS_MAX);
    }
    return accounts;
  }

  /** Until it is set: Telegram may be out of reach when the server starts. */
  private static void setWebhook(PluginContext context, BotAccount bot)
      throws InterruptedException {
    for (Duration wait = RETRY_FIRST; ; wait = longer(wait)) {
      try {
        bot.setWebhook();
        bot.announceCommands();
        return;
      } catch (CallFailedException e) {
        context
            .logger()
            .log(
                Level.WARNING,
                "account {0}: the webhook is not set yet: {1}",
                bot.name(),
                e.failure().summary());
        Duration asked = e.failure().retryAfter();
        context.sleep(asked.compareTo(wait) > 0 ? asked : wait);
      }
    }
  }

  private static Duration longer(Duration wait) {
    Duration twice = wait.multipliedBy(2);
    return twice.compareTo(RETRY_MAX) > 0 ? RETRY_MAX : twice;
  }

  /** Returns whether it is gone, or its account is. */
  private static boolean delete(DraftMessages.Shown draft, List<TelegramChannel.ServedBot> bots)
      throws InterruptedException {
    Optional<TelegramChannel.ServedBot> bot =
        bots.stream().filter(each -> each.account().name().equals(draft.account())).findFirst();
    return bot.isEmpty() || bot.get().drafts().delete(draft);
  }
}
