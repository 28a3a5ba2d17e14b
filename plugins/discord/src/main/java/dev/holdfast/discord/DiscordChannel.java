package dev.holdfast.discord;

import dev.holdfast.api.Access;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Click;
import dev.holdfast.api.Draft;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The channel {@code discord}. Thread-safe. */
final class DiscordChannel implements ChannelAdapter {
  static final String NAME = "discord";

  /** Heartbeats are answered every 41 s. */
  private static final Duration SILENCE_MAX = Duration.ofMinutes(3);

  /** Discord shows it for 10 s, or until the bot has posted. */
  private static final Duration TYPING_EVERY = Duration.ofSeconds(9);

  private static final Duration DRAFT_EVERY = Duration.ofMillis(1200);

  private final Map<String, ServedBot> bots = new LinkedHashMap<>();

  /**
   * All that is there of one account.
   *
   * @param intake empty without a public key
   */
  record ServedBot(
      DiscordBot bot,
      DiscordDrafts drafts,
      DiscordPosts posts,
      PostSearch search,
      DiscordFiles files,
      Optional<InteractionIntake> intake,
      Listening listening) {}

  /** Connects one account to the Gateway. */
  @FunctionalInterface
  interface Listening {
    Gateway to(MessageSink sink);
  }

  DiscordChannel(List<ServedBot> bots) {
    bots.forEach(bot -> this.bots.put(bot.bot().name(), bot));
  }

  private ServedBot bot(String account) {
    @Nullable ServedBot bot = bots.get(account);
    if (bot == null) {
      throw new IllegalArgumentException("there is no account " + account);
    }
    return bot;
  }

  @Override
  public String channel() {
    return NAME;
  }

  @Override
  public Set<String> accounts() {
    return Set.copyOf(bots.keySet());
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    @Nullable ServedBot bot = bots.get(request.account());
    return bot == null || bot.intake().isEmpty()
        ? new WebhookVerdict.NoAccount()
        : bot.intake().get().receive(request);
  }

  @Override
  public Map<String, ListenSpec> listens() {
    Map<String, ListenSpec> listens = new LinkedHashMap<>();
    for (ServedBot bot : bots.values()) {
      DiscordAccount account = bot.bot().account();
      if (account.listens()) {
        // Two connections with one token get every event twice.
        listens.put(account.name(), new ListenSpec(account.token(), SILENCE_MAX));
      }
    }
    return listens;
  }

  @Override
  public void listen(String account, MessageSink sink) throws Exception {
    bot(account).listening().to(sink).run();
  }

  @Override
  public Map<String, Access> access() {
    Map<String, Access> access = new LinkedHashMap<>();
    bots.forEach((name, bot) -> access.put(name, bot.bot().account().access()));
    return access;
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    return DiscordChecks.of(bot(account).bot());
  }

  @Override
  public boolean fetches() {
    return true;
  }

  @Override
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    return bot(account).files().fetch(attachment, bytesMax);
  }

  @Override
  public boolean showsChoices() {
    return true;
  }

  /** One that came over the Gateway is answered there; this is for those by HTTP. */
  @Override
  public void answerClick(Click click, String text) throws InterruptedException {
    bot(click.account()).bot().answerClick(click.reference(), text);
  }

  @Override
  public void settle(SettledPost post) throws CallFailedException, InterruptedException {
    bot(post.account()).posts().settle(post);
  }

  @Override
  public int textUnitsMax() {
    return DiscordMarkup.UNITS_MAX;
  }

  @Override
  public Duration typingEvery() {
    return TYPING_EVERY;
  }

  @Override
  public void showTyping(String account, String thread)
      throws CallFailedException, InterruptedException {
    bot(account).drafts().showTyping(thread);
  }

  @Override
  public boolean showsDrafts() {
    return true;
  }

  @Override
  public Duration draftEvery() {
    return DRAFT_EVERY;
  }

  @Override
  public void showDraft(Draft draft) throws CallFailedException, InterruptedException {
    bot(draft.account()).drafts().show(draft);
  }

  @Override
  public boolean findsPosts() {
    return true;
  }

  @Override
  public FindOutcome find(OutboundReply reply) throws InterruptedException {
    return bot(reply.account()).search().find(reply);
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return bot(reply.account()).posts().post(reply);
  }
}
