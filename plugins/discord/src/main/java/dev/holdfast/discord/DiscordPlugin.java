package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.ChannelAccounts;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Offers the channel {@code discord}, as the section {@code channels.discord} has it. */
public final class DiscordPlugin implements Plugin {
  private static final String API = "https://discord.com/api/v10";
  private static final int ACCOUNTS_MAX = 8;
  private static final int UPLOADS_MAX = 2;
  private static final Duration SWEEP = Duration.ofMinutes(1);
  private static final Duration IDENTITY_MAX = Duration.ofSeconds(20);
  private static final Duration DELETE_MAX = Duration.ofSeconds(4);

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig section = context.channelConfig(DiscordChannel.NAME);
    String baseUrl = ChannelAccounts.baseUrl(section, "base_url", API);
    List<DiscordAccount> accounts = accounts(section, context);
    if (!accounts.stream().allMatch(DiscordAccount::isComplete)) {
      return; // the problem was reported, so nothing of this is offered
    }
    DraftMessages drafts = DraftMessages.open(context);
    StateFile channels = open(context, "channels.json", ACCOUNTS_MAX);
    OpenInteractions interactions =
        new OpenInteractions(
            context, open(context, "interactions.json", OpenInteractions.OPEN_MAX));
    Semaphore uploads = new Semaphore(UPLOADS_MAX);
    List<DiscordChannel.ServedBot> bots = new ArrayList<>();
    for (DiscordAccount account : accounts) {
      DiscordBot bot = new DiscordBot(context, account, baseUrl);
      DiscordDrafts shown = new DiscordDrafts(bot, drafts, interactions);
      SentPosts sent = new SentPosts();
      GatewayState state = new GatewayState();
      TalkedChannels talked = new TalkedChannels(context, channels, account.name());
      Optional<InteractionIntake> intake =
          account.publicKey().isEmpty()
              ? Optional.empty()
              : Optional.of(new InteractionIntake(bot, interactions));
      bots.add(
          new DiscordChannel.ServedBot(
              bot,
              shown,
              new DiscordPosts(bot, shown, interactions, sent, uploads),
              new PostSearch(bot, interactions, sent),
              new DiscordFiles(bot.api()),
              intake,
              sink -> new Gateway(bot, state, talked, interactions, sent, sink)));
      PluginContext.Background _ =
          context.run("discord-commands-" + account.name(), () -> prepare(bot));
    }
    PluginContext.Background _ =
        context.every("discord-drafts", SWEEP, () -> takeAwayLeftOver(drafts, interactions, bots));
    context.offer(new DiscordChannel(bots));
  }

  private static StateFile open(PluginContext context, String name, int entriesMax)
      throws IOException {
    return StateFile.open(context.stateFolder().resolve(name), entriesMax);
  }

  private static List<DiscordAccount> accounts(PluginConfig section, PluginContext context) {
    List<DiscordAccount> accounts = new ArrayList<>();
    ChannelAccounts.of(section)
        .forEach((name, each) -> accounts.add(DiscordAccount.read(each, name, context::secret)));
    if (accounts.size() > ACCOUNTS_MAX) {
      section.problem("accounts", "accounts must be at most " + ACCOUNTS_MAX);
    }
    return accounts;
  }

  /** Asks who the bot is, so that the first interaction need not wait for it. */
  private static void prepare(DiscordBot bot) throws InterruptedException {
    try {
      DiscordIdentity _ = bot.identity(IDENTITY_MAX);
    } catch (CallFailedException e) {
      bot.context()
          .logger()
          .log(Level.WARNING, "account {0}: {1}", bot.name(), e.failure().summary());
    }
    if (bot.account().registersCommands()) {
      DiscordCommands.register(bot);
    }
  }

  private static void takeAwayLeftOver(
      DraftMessages drafts, OpenInteractions interactions, List<DiscordChannel.ServedBot> bots)
      throws InterruptedException {
    drafts.takeAwayLeftOver(
        draft -> {
          Optional<DiscordChannel.ServedBot> bot =
              bots.stream().filter(each -> each.bot().name().equals(draft.account())).findFirst();
          return bot.isEmpty() || bot.get().drafts().delete(draft); // its account is no more
        });
    for (DiscordChannel.ServedBot each : bots) {
      for (OpenInteractions.Open open : interactions.takeOver(each.bot().name())) {
        takeAway(each.bot(), open);
      }
    }
  }

  /** Nobody has answered it: it would say for ever that somebody is thinking. */
  private static void takeAway(DiscordBot bot, OpenInteractions.Open open)
      throws InterruptedException {
    try {
      DiscordAnswer _ = bot.api().delete(open.deferred().original(), DELETE_MAX);
    } catch (CallFailedException e) {
      bot.context()
          .logger()
          .log(Level.DEBUG, "account {0}: {1}", bot.name(), e.failure().summary());
    }
  }
}
