package dev.holdfast.nats;

import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.ChannelAccounts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Offers the channel {@code nats}, as the section {@code channels.nats} has it. */
public final class NatsPlugin implements Plugin {
  private static final int ACCOUNTS_MAX = 20;

  /** Messages whose reply subject is kept. */
  private static final int REPLIES_MAX = 50_000;

  /** Three of them before NATS gives up. */
  private static final Duration KEEP_EVERY = DurableConsumer.ACK_WAIT.dividedBy(4);

  private final List<AutoCloseable> open = new ArrayList<>();

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig section = context.channelConfig(NatsChannel.NAME);
    List<NatsAccount> accounts = new ArrayList<>();
    ChannelAccounts.of(section).forEach((name, each) -> accounts.add(NatsAccount.read(each, name)));
    if (accounts.size() > ACCOUNTS_MAX) {
      section.problem("accounts", "accounts must be at most " + ACCOUNTS_MAX);
      return;
    }
    List<NatsChannel.Served> served = new ArrayList<>();
    for (NatsAccount account : accounts) {
      ReplySubjects replies =
          ReplySubjects.open(
              context.stateFolder().resolve("replies-" + account.name() + ".txt"), REPLIES_MAX);
      open.add(replies);
      NatsLink link = new NatsLink(account);
      open.add(link::stop);
      served.add(
          new NatsChannel.Served(
              account,
              link,
              new NatsListener(account, replies, context.logger()),
              new NatsPosts(account, replies, link)));
    }
    PluginContext.Background _ =
        context.every(
            "nats-progress", KEEP_EVERY, () -> served.forEach(each -> each.listener().keep()));
    context.offer(new NatsChannel(served));
  }

  @Override
  public void stop() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }
}
