package dev.holdfast.slack;

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

/** The channel {@code slack}. Thread-safe. */
final class SlackChannel implements ChannelAdapter {
  static final String NAME = "slack";

  /** A socket that is quiet is replaced every 2 min, and the new one says hello. */
  private static final Duration SILENCE_MAX = Duration.ofMinutes(10);

  /** Slack shows it for 2 min, or until the app has posted. */
  private static final Duration TYPING_EVERY = Duration.ofSeconds(50);

  private static final Duration DRAFT_EVERY = Duration.ofSeconds(1);

  private final Map<String, ServedApp> apps = new LinkedHashMap<>();

  /**
   * All that is there of one account.
   *
   * @param intake empty without a signing secret
   */
  record ServedApp(
      SlackBot bot,
      SlackDrafts drafts,
      SlackPosts posts,
      SlackFiles files,
      Optional<SlackIntake> intake) {}

  SlackChannel(List<ServedApp> apps) {
    apps.forEach(app -> this.apps.put(app.bot().name(), app));
  }

  SlackBot bot(String account) {
    return app(account).bot();
  }

  private ServedApp app(String account) {
    @Nullable ServedApp app = apps.get(account);
    if (app == null) {
      throw new IllegalArgumentException("there is no account " + account);
    }
    return app;
  }

  @Override
  public String channel() {
    return NAME;
  }

  @Override
  public Set<String> accounts() {
    return Set.copyOf(apps.keySet());
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    @Nullable ServedApp app = apps.get(request.account());
    return app == null || app.intake().isEmpty()
        ? new WebhookVerdict.NoAccount()
        : app.intake().get().receive(request);
  }

  @Override
  public Map<String, ListenSpec> listens() {
    Map<String, ListenSpec> listens = new LinkedHashMap<>();
    for (ServedApp app : apps.values()) {
      SlackAccount account = app.bot().account();
      if (account.listens()) {
        // By the app's token: Slack spreads the events of an app over all of its sockets.
        listens.put(account.name(), new ListenSpec(account.appToken(), SILENCE_MAX));
      }
    }
    return listens;
  }

  @Override
  public void listen(String account, MessageSink sink) throws Exception {
    new SocketMode(app(account).bot(), sink, SocketMode.QUIET_MAX).run();
  }

  @Override
  public Map<String, Access> access() {
    Map<String, Access> access = new LinkedHashMap<>();
    apps.forEach((name, app) -> access.put(name, app.bot().account().access()));
    return access;
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    return SlackChecks.of(app(account).bot());
  }

  @Override
  public boolean fetches() {
    return true;
  }

  @Override
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    return app(account).files().fetch(attachment, bytesMax);
  }

  @Override
  public boolean showsChoices() {
    return true;
  }

  @Override
  public void answerClick(Click click, String text) throws InterruptedException {
    app(click.account()).bot().whisper(click.thread(), click.sender(), text);
  }

  @Override
  public void settle(SettledPost post) throws CallFailedException, InterruptedException {
    app(post.account()).posts().settle(post);
  }

  @Override
  public int textUnitsMax() {
    return SlackMarkup.UNITS_MAX;
  }

  @Override
  public Duration typingEvery() {
    return TYPING_EVERY;
  }

  @Override
  public void showTyping(String account, String thread) throws InterruptedException {
    app(account).drafts().showStatus(SlackPlace.ofThread(thread), "is thinking...");
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
    app(draft.account()).drafts().show(draft);
  }

  @Override
  public boolean findsPosts() {
    return true;
  }

  @Override
  public FindOutcome find(OutboundReply reply) throws InterruptedException {
    return app(reply.account()).posts().find(reply);
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return app(reply.account()).posts().post(reply);
  }
}
