package dev.holdfast.github;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.StateFile;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The channel {@code github}. Thread-safe. */
final class GithubChannel implements ChannelAdapter {
  static final String NAME = "github";

  /** A reaction stays: it is asked for again only for what was written meanwhile. */
  private static final Duration SEEN_EVERY = Duration.ofSeconds(60);

  private final Map<String, ServedUser> users = new LinkedHashMap<>();
  private final StateFile positions;

  /**
   * All that is there of one account.
   *
   * @param intake empty for one that polls alone
   */
  record ServedUser(GithubBot bot, GithubPosts posts, Optional<GithubIntake> intake) {}

  /** {@code positions}: how far each was read. */
  GithubChannel(List<ServedUser> users, StateFile positions) {
    this.positions = positions;
    users.forEach(user -> this.users.put(user.bot().name(), user));
  }

  private ServedUser user(String account) {
    @Nullable ServedUser user = users.get(account);
    if (user == null) {
      throw new IllegalArgumentException("there is no account " + account);
    }
    return user;
  }

  @Override
  public String channel() {
    return NAME;
  }

  @Override
  public Set<String> accounts() {
    return Set.copyOf(users.keySet());
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    @Nullable ServedUser user = users.get(request.account());
    return user == null || user.intake().isEmpty()
        ? new WebhookVerdict.NoAccount()
        : user.intake().get().receive(request);
  }

  @Override
  public Map<String, ListenSpec> listens() {
    Map<String, ListenSpec> listens = new LinkedHashMap<>();
    for (ServedUser user : users.values()) {
      GithubAccount account = user.bot().account();
      listens.put(account.name(), new ListenSpec(account.token(), account.silenceMax()));
    }
    return listens;
  }

  @Override
  public void listen(String account, MessageSink sink)
      throws CallFailedException, InterruptedException {
    CommentPoller.run(user(account).bot(), sink, positions);
  }

  @Override
  public Map<String, Access> access() {
    Map<String, Access> access = new LinkedHashMap<>();
    users.forEach((name, user) -> access.put(name, user.bot().account().access()));
    return access;
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    return GithubChecks.of(user(account).bot());
  }

  @Override
  public int textUnitsMax() {
    return PostedText.UNITS_MAX;
  }

  @Override
  public Duration typingEvery() {
    return SEEN_EVERY;
  }

  @Override
  public void showTyping(String account, String thread)
      throws CallFailedException, InterruptedException {
    user(account).bot().reactions().show(thread);
  }

  @Override
  public boolean findsPosts() {
    return true;
  }

  @Override
  public FindOutcome find(OutboundReply reply) throws InterruptedException {
    return user(reply.account()).posts().find(reply);
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return user(reply.account()).posts().post(reply);
  }
}
