package dev.holdfast.mattermost;

import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.ChannelAccounts;
import dev.holdfast.kit.DraftMessages;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** Offers the channel {@code mattermost}, as the section {@code channels.mattermost} has it. */
public final class MattermostPlugin implements Plugin {
  /** Each has one of the 64 sockets of a plugin, and a second one while it is checked. */
  private static final int ACCOUNTS_MAX = 20;

  private static final int UPLOADS_MAX = 2;
  private static final Duration SWEEP = Duration.ofMinutes(1);

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig section = context.channelConfig(MattermostChannel.NAME);
    String publicUrl = publicUrl(section);
    List<MattermostAccount> accounts = accounts(section, context, publicUrl);
    if (!accounts.stream().allMatch(MattermostAccount::isComplete)) {
      return; // the problem was reported, so nothing of this is offered
    }
    DraftMessages drafts = DraftMessages.open(context);
    Semaphore uploads = new Semaphore(UPLOADS_MAX);
    List<MattermostChannel.ServedMember> members = new ArrayList<>();
    for (MattermostAccount account : accounts) {
      MattermostBot bot = new MattermostBot(context, account);
      MattermostDrafts shown = new MattermostDrafts(bot, drafts);
      MattermostFiles files = new MattermostFiles(bot.api(), uploads);
      ClickSignature clicks = new ClickSignature(account);
      members.add(
          new MattermostChannel.ServedMember(
              bot,
              shown,
              new MattermostPosts(bot, shown, files, clicks),
              files,
              new MattermostIntake(bot, clicks)));
    }
    PluginContext.Background _ =
        context.every(
            "mattermost-drafts",
            SWEEP,
            () -> drafts.takeAwayLeftOver(draft -> delete(draft, members)));
    context.offer(new MattermostChannel(members, !publicUrl.isEmpty()));
  }

  private static String publicUrl(PluginConfig section) {
    return section.text("public_url", "").isBlank()
        ? ""
        : ChannelAccounts.baseUrl(section, "public_url", "https://bot.example.org");
  }

  private static List<MattermostAccount> accounts(
      PluginConfig section, PluginContext context, String publicUrl) {
    List<MattermostAccount> accounts = new ArrayList<>();
    ChannelAccounts.of(section)
        .forEach(
            (name, each) ->
                accounts.add(MattermostAccount.read(each, name, context::secret, publicUrl)));
    if (accounts.size() > ACCOUNTS_MAX) {
      section.problem("accounts", "accounts must be at most " + ACCOUNTS_MAX);
    }
    return accounts;
  }

  /** Returns whether it is gone, or its account is. */
  private static boolean delete(
      DraftMessages.Shown draft, List<MattermostChannel.ServedMember> members)
      throws InterruptedException {
    Optional<MattermostChannel.ServedMember> member =
        members.stream().filter(each -> each.bot().name().equals(draft.account())).findFirst();
    return member.isEmpty() || member.get().drafts().delete(draft);
  }
}
