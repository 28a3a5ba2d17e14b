package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.ChannelAccounts;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Offers the channel {@code slack}, as the section {@code channels.slack} has it. */
public final class SlackPlugin implements Plugin {
  private static final String API = "https://slack.com/api";

  /** Each has up to six sockets while they are replaced, and a job for names. */
  private static final int ACCOUNTS_MAX = 8;

  private static final Duration IDENTITY_MAX = Duration.ofSeconds(20);
  private static final int UPLOADS_MAX = 2;
  private static final Duration SWEEP = Duration.ofMinutes(1);

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig section = context.channelConfig(SlackChannel.NAME);
    String baseUrl = ChannelAccounts.baseUrl(section, "base_url", API);
    List<SlackAccount> accounts = accounts(section, context);
    if (accounts.stream().anyMatch(SlackPlugin::isIncomplete)) {
      return; // the problem was reported, so nothing of this is offered
    }
    Path folder = context.stateFolder();
    DraftMessages drafts = DraftMessages.open(context);
    StateFile uploaded = StateFile.open(folder.resolve("uploads.json"), SlackUploads.REPLIES_KEPT);
    Semaphore uploads = new Semaphore(UPLOADS_MAX);
    List<SlackChannel.ServedApp> apps = new ArrayList<>();
    for (SlackAccount account : accounts) {
      SlackBot bot = new SlackBot(context, account, baseUrl);
      SlackDrafts shown = new SlackDrafts(bot, drafts);
      Optional<SlackIntake> intake =
          account.signingSecret().isEmpty() || account.listens()
              ? Optional.empty()
              : Optional.of(new SlackIntake(bot));
      apps.add(
          new SlackChannel.ServedApp(
              bot,
              shown,
              new SlackPosts(bot, shown, new SlackUploads(bot, uploaded, uploads)),
              new SlackFiles(bot.api()),
              intake));
      PluginContext.Background _ =
          context.run("slack-names-" + account.name(), () -> serveNames(bot));
    }
    PluginContext.Background _ =
        context.every(
            "slack-drafts", SWEEP, () -> drafts.takeAwayLeftOver(draft -> delete(draft, apps)));
    context.offer(new SlackChannel(apps));
  }

  /** Before that, asks who the app is: the first event need not wait for it. */
  private static void serveNames(SlackBot bot) throws InterruptedException {
    try {
      SlackIdentity _ = bot.identity(IDENTITY_MAX);
    } catch (CallFailedException e) {
      bot.context()
          .logger()
          .log(Level.WARNING, "account {0}: {1}", bot.name(), e.failure().summary());
    }
    bot.names().run();
  }

  private static boolean isIncomplete(SlackAccount account) {
    String needed = account.listens() ? account.appToken() : account.signingSecret();
    return account.botToken().isEmpty() || needed.isEmpty();
  }

  private static List<SlackAccount> accounts(PluginConfig section, PluginContext context) {
    List<SlackAccount> accounts = new ArrayList<>();
    ChannelAccounts.of(section)
        .forEach((name, each) -> accounts.add(SlackAccount.read(each, name, context::secret)));
    if (accounts.size() > ACCOUNTS_MAX) {
      section.problem("accounts", "accounts must be at most " + ACCOUNTS_MAX);
    }
    return accounts;
  }

  /** Returns whether it is gone, or its account is. */
  private static boolean delete(DraftMessages.Shown draft, List<SlackChannel.ServedApp> apps)
      throws InterruptedException {
    Optional<SlackChannel.ServedApp> app =
        apps.stream().filter(each -> each.bot().name().equals(draft.account())).findFirst();
    return app.isEmpty() || app.get().drafts().delete(SlackDraft.of(draft));
  }
}
