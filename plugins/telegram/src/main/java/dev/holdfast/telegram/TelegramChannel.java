package dev.holdfast.telegram;

import dev.holdfast.api.Access;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Click;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The channel {@code telegram}. Thread-safe. */
final class TelegramChannel implements ChannelAdapter {
  static final String NAME = "telegram";

  /** More than two polls. */
  private static final Duration SILENCE_MAX = Duration.ofMinutes(2);

  /** Telegram shows it for 5 s. */
  private static final Duration TYPING_EVERY = Duration.ofSeconds(4);

  private static final Duration DRAFT_EVERY = Duration.ofSeconds(1);
  private static final Duration TYPING_MAX = Duration.ofSeconds(4);

  private final PluginContext context;
  private final Duration pollWait;
  private final Map<String, ServedBot> bots = new LinkedHashMap<>();

  /** All that is there of one account. */
  record ServedBot(
      BotAccount account, DraftPoster drafts, TelegramPosts posts, WebhookIntake webhook) {}

  TelegramChannel(PluginContext context, Duration pollWait, List<ServedBot> bots) {
    this.context = context;
    this.pollWait = pollWait;
    bots.forEach(bot -> this.bots.put(bot.account().name(), bot));
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
    return bot == null ? new WebhookVerdict.NoAccount() : bot.webhook().receive(request);
  }

  @Override
  public Map<String, ListenSpec> listens() {
    Map<String, ListenSpec> listens = new LinkedHashMap<>();
    for (ServedBot bot : bots.values()) {
      TelegramAccount account = bot.account().account();
      if (account.polls()) {
        listens.put(account.name(), new ListenSpec(account.token(), SILENCE_MAX));
      }
    }
    return listens;
  }

  @Override
  public void listen(String account, MessageSink sink)
      throws CallFailedException, InterruptedException {
    new UpdatePoller(context, bot(account).account(), pollWait, sink).run();
  }

  @Override
  public Map<String, Access> access() {
    Map<String, Access> access = new LinkedHashMap<>();
    bots.forEach((name, bot) -> access.put(name, bot.account().account().access()));
    return access;
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    return AccountChecks.of(bot(account).account(), context.now());
  }

  @Override
  public boolean fetches() {
    return true;
  }

  @Override
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    String id = TelegramFiles.fileId(attachment);
    if (id.isEmpty()) {
      throw new CallFailedException(
          Failure.of(FailureCode.INVALID_REQUEST, "Telegram does not have it"));
    }
    return bot(account).account().api().file(id, attachment.bytes(), bytesMax);
  }

  @Override
  public boolean showsChoices() {
    return true;
  }

  @Override
  public void answerClick(Click click, String text) throws InterruptedException {
    bot(click.account()).account().answerClick(click.reference(), text);
  }

  @Override
  public void settle(SettledPost post) throws CallFailedException, InterruptedException {
    bot(post.account()).posts().settle(post);
  }

  @Override
  public int textUnitsMax() {
    return PostText.UNITS_MAX;
  }

  @Override
  public Duration typingEvery() {
    return TYPING_EVERY;
  }

  @Override
  public void showTyping(String account, String thread)
      throws CallFailedException, InterruptedException {
    BotAccount bot = bot(account).account();
    Map<String, Object> parameters = bot.address(thread).parameters();
    parameters.put("action", "typing");
    Map<String, Object> _ = bot.api().call("sendChatAction", parameters, TYPING_MAX).orThrow();
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
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return bot(reply.account()).posts().post(reply);
  }
}
