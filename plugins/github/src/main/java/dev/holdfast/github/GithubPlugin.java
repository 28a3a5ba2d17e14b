package dev.holdfast.github;

import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.ChannelAccounts;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Offers the channel {@code github}, as the section {@code channels.github} has it. */
public final class GithubPlugin implements Plugin {
  private static final String API = "https://api.github.com";
  private static final int ACCOUNTS_MAX = 8;

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig section = context.channelConfig(GithubChannel.NAME);
    String baseUrl = ChannelAccounts.baseUrl(section, "base_url", API);
    List<GithubAccount> accounts = accounts(section, context);
    if (accounts.stream().anyMatch(GithubPlugin::isIncomplete)) {
      return; // the problem was reported, so nothing of this is offered
    }
    List<GithubChannel.ServedUser> users = new ArrayList<>();
    for (GithubAccount account : accounts) {
      GithubBot bot = new GithubBot(context, account, baseUrl);
      Optional<GithubIntake> intake =
          account.polls() ? Optional.empty() : Optional.of(new GithubIntake(bot));
      users.add(new GithubChannel.ServedUser(bot, new GithubPosts(bot), intake));
    }
    StateFile positions =
        StateFile.open(context.stateFolder().resolve("positions.json"), KeptPosition.ENTRIES_MAX);
    context.offer(new GithubChannel(users, positions));
  }

  private static boolean isIncomplete(GithubAccount account) {
    return account.token().isEmpty() || (!account.polls() && account.webhookSecret().isEmpty());
  }

  private static List<GithubAccount> accounts(PluginConfig section, PluginContext context) {
    List<GithubAccount> accounts = new ArrayList<>();
    ChannelAccounts.of(section)
        .forEach((name, each) -> accounts.add(GithubAccount.read(each, name, context::secret)));
    if (accounts.size() > ACCOUNTS_MAX) {
      section.problem("accounts", "accounts must be at most " + ACCOUNTS_MAX);
    }
    return accounts;
  }
}
