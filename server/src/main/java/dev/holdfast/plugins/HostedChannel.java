package dev.holdfast.plugins;

import dev.holdfast.api.Access;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Click;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** A plugin's channel as the server sees it. What it says of itself is asked for once. */
final class HostedChannel implements ChannelAdapter {
  /** A platform must have an answer within 3 s. */
  private static final Duration RECEIVE_MAX = Duration.ofMillis(2500);

  private static final Duration POST_MAX = Duration.ofMinutes(2);
  private static final Duration TYPING_MAX = Duration.ofSeconds(6);
  private static final Duration CHECK_MAX = Duration.ofSeconds(20);
  private static final Duration FETCH_MAX = Duration.ofMinutes(2);
  private static final int CHECKS_MAX = 100;
  private static final Duration FIND_MAX = Duration.ofSeconds(25);

  private final ChannelAdapter channel;
  private final PluginCalls calls;
  private final Facts facts;

  private record Facts(
      String name,
      Set<String> accounts,
      Map<String, ListenSpec> listens,
      int textUnitsMax,
      boolean posts,
      boolean dropsRepeats,
      boolean findsPosts,
      Duration typingEvery,
      boolean showsDrafts,
      Duration draftEvery,
      Map<String, Access> access,
      boolean fetches,
      boolean showsChoices,
      boolean hasWebhookPaths) {}

  private HostedChannel(ChannelAdapter channel, PluginCalls calls, Facts facts) {
    this.channel = channel;
    this.calls = calls;
    this.facts = facts;
  }

  /** Asks it what it is; to be called on a thread of the plugin. */
  static HostedChannel of(ChannelAdapter channel, PluginCalls calls) {
    return new HostedChannel(
        channel,
        calls,
        new Facts(
            channel.channel(),
            Set.copyOf(channel.accounts()),
            Map.copyOf(channel.listens()),
            channel.textUnitsMax(),
            channel.posts(),
            channel.dropsRepeats(),
            channel.findsPosts(),
            channel.typingEvery(),
            channel.showsDrafts(),
            channel.draftEvery(),
            Map.copyOf(channel.access()),
            channel.fetches(),
            channel.showsChoices(),
            channel.hasWebhookPaths()));
  }

  @Override
  public String channel() {
    return facts.name();
  }

  @Override
  public Set<String> accounts() {
    return facts.accounts();
  }

  @Override
  public int textUnitsMax() {
    return facts.textUnitsMax();
  }

  @Override
  public boolean posts() {
    return facts.posts();
  }

  @Override
  public boolean dropsRepeats() {
    return facts.dropsRepeats();
  }

  @Override
  public Map<String, ListenSpec> listens() {
    return facts.listens();
  }

  @Override
  public boolean findsPosts() {
    return facts.findsPosts();
  }

  @Override
  public Duration typingEvery() {
    return facts.typingEvery();
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    try {
      return shown(calls.call("receive", RECEIVE_MAX, () -> ownOnly(channel.receive(request))));
    } catch (PluginFailedException e) {
      if (!e.isBegun()) {
        return new WebhookVerdict.Answer(503, "text/plain", "send again later\n");
      }
      throw failed(e);
    } catch (CallFailedException e) {
      throw failed(e);
    }
  }

  @Override
  public void listen(String account, MessageSink sink)
      throws CallFailedException, InterruptedException {
    try {
      boolean _ =
          calls.listen(
              "listen " + account,
              () -> {
                channel.listen(account, sink);
                return true;
              });
    } catch (PluginFailedException e) {
      throw new CallFailedException(failure(e));
    }
  }

  @Override
  public boolean showsDrafts() {
    return facts.showsDrafts();
  }

  @Override
  public Duration draftEvery() {
    return facts.draftEvery();
  }

  @Override
  public Map<String, Access> access() {
    return facts.access();
  }

  @Override
  public boolean fetches() {
    return facts.fetches();
  }

  @Override
  public boolean showsChoices() {
    return facts.showsChoices();
  }

  @Override
  public boolean hasWebhookPaths() {
    return facts.hasWebhookPaths();
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    try {
      return calls.call("check", CHECK_MAX, () -> shown(List.copyOf(channel.check(account))));
    } catch (PluginFailedException | CallFailedException e) {
      throw failed(e);
    }
  }

  @Override
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    try {
      return calls.call("fetch", FETCH_MAX, () -> channel.fetch(account, attachment, bytesMax));
    } catch (PluginFailedException e) {
      throw new CallFailedException(failure(e));
    } catch (CallFailedException e) {
      throw new CallFailedException(calls.texts().of(e.failure()));
    }
  }

  @Override
  public void answerClick(Click click, String text)
      throws CallFailedException, InterruptedException {
    show(
        "answerClick",
        () -> {
          channel.answerClick(click, text);
          return true;
        });
  }

  @Override
  public void settle(SettledPost post) throws CallFailedException, InterruptedException {
    show(
        "settle",
        () -> {
          channel.settle(post);
          return true;
        });
  }

  @Override
  public void showTyping(String account, String thread)
      throws CallFailedException, InterruptedException {
    show(
        "showTyping",
        () -> {
          channel.showTyping(account, thread);
          return true;
        });
  }

  @Override
  public void showDraft(Draft draft) throws CallFailedException, InterruptedException {
    show(
        "showDraft",
        () -> {
          channel.showDraft(draft);
          return true;
        });
  }

  private void show(String what, Callable<Boolean> code)
      throws CallFailedException, InterruptedException {
    try {
      boolean _ = calls.call(what, TYPING_MAX, code);
    } catch (PluginFailedException e) {
      throw new CallFailedException(failure(e));
    }
  }

  @Override
  public FindOutcome find(OutboundReply reply) throws InterruptedException {
    try {
      return shown(calls.call("find", FIND_MAX, () -> channel.find(reply)));
    } catch (PluginFailedException | CallFailedException e) {
      throw failed(e);
    }
  }

  /** Whatever goes wrong in the plugin's code, nobody knows whether the platform has the reply. */
  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    try {
      return shown(calls.call("post", POST_MAX, () -> channel.post(reply)));
    } catch (CallFailedException e) {
      return new PostOutcome.Unknown(e.failure());
    } catch (PluginFailedException e) {
      return e.isBegun()
          ? new PostOutcome.Unknown(failure(e))
          : new PostOutcome.NotDelivered(failure(e));
    }
  }

  private static Failure failure(PluginFailedException e) {
    return e.isBegun()
        ? Failure.of(FailureCode.BACKEND_FAILURE, "the channel failed: " + e.getMessage())
        : Failure.of(FailureCode.BULKHEAD_FULL, "the channel was not called: " + e.getMessage());
  }

  private static IllegalStateException failed(Exception e) {
    return new IllegalStateException("the channel failed: " + e.getMessage(), e);
  }

  private WebhookVerdict ownOnly(WebhookVerdict verdict) {
    if (verdict instanceof WebhookVerdict.Messages told
        && !told.messages().stream().allMatch(each -> facts.accounts().contains(each.account()))) {
      throw new IllegalArgumentException("a message is of an account that the channel has not");
    }
    if (verdict instanceof WebhookVerdict.Clicked(Click click, _)
        && !facts.accounts().contains(click.account())) {
      throw new IllegalArgumentException("a click is of an account that the channel has not");
    }
    return verdict;
  }

  /** What goes to a platform or into a store stays as it is. */
  private WebhookVerdict shown(WebhookVerdict verdict) {
    PluginTexts texts = calls.texts();
    return switch (verdict) {
      case WebhookVerdict.Messages _,
          WebhookVerdict.Clicked _,
          WebhookVerdict.Answer _,
          WebhookVerdict.NoAccount _ ->
          verdict;
      case WebhookVerdict.Refused(String reason) -> new WebhookVerdict.Refused(texts.of(reason));
      case WebhookVerdict.Unparsable(String reason) ->
          new WebhookVerdict.Unparsable(texts.of(reason));
      case WebhookVerdict.UnknownType(String received, List<String> supported) ->
          new WebhookVerdict.UnknownType(
              texts.of(received), supported.stream().map(texts::of).toList());
    };
  }

  private PostOutcome shown(PostOutcome outcome) {
    return switch (outcome) {
      case PostOutcome.Sent _ -> outcome;
      case PostOutcome.NotDelivered(Failure failure) ->
          new PostOutcome.NotDelivered(calls.texts().of(failure));
      case PostOutcome.Unknown(Failure failure) ->
          new PostOutcome.Unknown(calls.texts().of(failure));
    };
  }

  private List<ChannelCheck> shown(List<ChannelCheck> checks) {
    return checks.stream()
        .limit(CHECKS_MAX)
        .map(
            each ->
                new ChannelCheck(
                    calls.texts().of(each.what()), each.isMet(), calls.texts().of(each.remedy())))
        .toList();
  }

  private FindOutcome shown(FindOutcome outcome) {
    return outcome instanceof FindOutcome.Failed(Failure failure)
        ? new FindOutcome.Failed(calls.texts().of(failure))
        : outcome;
  }
}
