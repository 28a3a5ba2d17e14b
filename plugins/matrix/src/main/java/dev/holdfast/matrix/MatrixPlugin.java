package dev.holdfast.matrix;

import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.ChannelAccounts;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Offers the channel {@code matrix}, as the section {@code channels.matrix} has it. */
public final class MatrixPlugin implements Plugin {
  /** Each sync holds one of the 32 places of the server's client for plugins. */
  private static final int ACCOUNTS_MAX = 20;

  private static final int SYNC_SECONDS = 30;
  private static final int SYNC_SECONDS_MAX = 60;
  private static final int DRAFT_SECONDS = 3;
  private static final int DRAFT_SECONDS_LEAST = 2;
  private static final int DRAFT_SECONDS_MAX = 60;
  private static final int UPLOADS_MAX = 2;
  private static final Duration SWEEP = Duration.ofMinutes(1);
  private static final Duration JOIN_EVERY = Duration.ofSeconds(1);

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig section = context.channelConfig(MatrixChannel.NAME);
    Duration syncWait = seconds(section, "sync_secs", SYNC_SECONDS, 1, SYNC_SECONDS_MAX);
    Duration draftEvery =
        seconds(section, "draft_secs", DRAFT_SECONDS, DRAFT_SECONDS_LEAST, DRAFT_SECONDS_MAX);
    List<MatrixAccount> accounts = accounts(section, context);
    if (accounts.stream().anyMatch(MatrixAccount::isIncomplete)) {
      return; // the problem was reported, so nothing of this is offered
    }
    Path folder = context.stateFolder();
    DraftMessages drafts = DraftMessages.open(context);
    StateFile invitations =
        StateFile.open(folder.resolve("invitations.json"), RoomInvites.WAITING_MAX);
    EncryptedRooms encrypted =
        new EncryptedRooms(
            StateFile.open(folder.resolve("encrypted.json"), EncryptedRooms.ROOMS_MAX));
    Semaphore uploads = new Semaphore(UPLOADS_MAX);
    List<MatrixChannel.ServedUser> users = new ArrayList<>();
    for (MatrixAccount account : accounts) {
      MatrixBot bot = new MatrixBot(context, account);
      MatrixDrafts shown = new MatrixDrafts(bot, drafts, draftEvery);
      MatrixFiles files = new MatrixFiles(bot.api(), uploads);
      users.add(
          new MatrixChannel.ServedUser(
              bot,
              new MatrixEventReader(bot),
              new RoomInvites(bot, invitations),
              encrypted,
              shown,
              new MatrixPosts(bot, shown, files),
              files));
      PluginContext.Background _ =
          context.run("matrix-background-" + account.name(), () -> bot.background().run());
    }
    PluginContext.Background _ = context.every("matrix-invitations", JOIN_EVERY, () -> join(users));
    PluginContext.Background _ =
        context.every(
            "matrix-drafts", SWEEP, () -> drafts.takeAwayLeftOver(draft -> takeAway(draft, users)));
    context.offer(new MatrixChannel(syncWait, users));
  }

  private static Duration seconds(
      PluginConfig section, String key, int usual, int least, int most) {
    int seconds = section.whole(key, usual);
    if (seconds < least || seconds > most) {
      section.problem(key, "%s must be from %d to %d".formatted(key, least, most));
      return Duration.ofSeconds(usual);
    }
    return Duration.ofSeconds(seconds);
  }

  private static List<MatrixAccount> accounts(PluginConfig section, PluginContext context) {
    String url = section.text("base_url", "").strip();
    List<MatrixAccount> accounts = new ArrayList<>();
    ChannelAccounts.of(section)
        .forEach(
            (name, each) -> accounts.add(MatrixAccount.read(each, name, url, context::secret)));
    if (accounts.size() > ACCOUNTS_MAX) {
      section.problem("accounts", "accounts must be at most " + ACCOUNTS_MAX);
    }
    return accounts;
  }

  private static void join(List<MatrixChannel.ServedUser> users) throws InterruptedException {
    for (MatrixChannel.ServedUser user : users) {
      user.invites().join();
    }
  }

  /** Also when its account is no more. */
  private static boolean takeAway(DraftMessages.Shown draft, List<MatrixChannel.ServedUser> users)
      throws InterruptedException {
    Optional<MatrixChannel.ServedUser> user =
        users.stream().filter(each -> each.bot().name().equals(draft.account())).findFirst();
    return user.isEmpty() || user.get().drafts().delete(draft);
  }
}
