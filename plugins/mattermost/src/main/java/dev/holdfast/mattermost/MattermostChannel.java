package dev.holdfast.mattermost;

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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The channel {@code mattermost}. Thread-safe. */
final class MattermostChannel implements ChannelAdapter {
  static final String NAME = "mattermost";

  /** A quiet connection is asked every 30 s whether it lives, and has 15 s to answer. */
  private static final Duration SILENCE_MAX = Duration.ofMinutes(2);

  /** Mattermost shows it for 5 s. */
  private static final Duration TYPING_EVERY = Duration.ofSeconds(4);

  private static final Duration DRAFT_EVERY = Duration.ofSeconds(1);

  private final Map<String, ServedMember> members = new LinkedHashMap<>();
  private final boolean hasButtons;

  /** All that is there of one account. */
  record ServedMember(
      MattermostBot bot,
      MattermostDrafts drafts,
      MattermostPosts posts,
      MattermostFiles files,
      MattermostIntake intake) {}

  /**
   * @param hasButtons whether Mattermost can tell this server of clicks
   */
  MattermostChannel(List<ServedMember> members, boolean hasButtons) {
    members.forEach(member -> this.members.put(member.bot().name(), member));
    this.hasButtons = hasButtons;
  }

  private ServedMember member(String account) {
    @Nullable ServedMember member = members.get(account);
    if (member == null) {
      throw new IllegalArgumentException("there is no account " + account);
    }
    return member;
  }

  @Override
  public String channel() {
    return NAME;
  }

  @Override
  public Set<String> accounts() {
    return Set.copyOf(members.keySet());
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) throws InterruptedException {
    @Nullable ServedMember member = members.get(request.account());
    return member == null || !member.bot().account().takesWebhooks()
        ? new WebhookVerdict.NoAccount()
        : member.intake().receive(request);
  }

  @Override
  public Map<String, ListenSpec> listens() {
    Map<String, ListenSpec> listens = new LinkedHashMap<>();
    for (ServedMember member : members.values()) {
      MattermostAccount account = member.bot().account();
      if (account.listens()) {
        listens.put(account.name(), new ListenSpec(account.token(), SILENCE_MAX));
      }
    }
    return listens;
  }

  @Override
  public void listen(String account, MessageSink sink)
      throws CallFailedException, InterruptedException {
    new MattermostListener(member(account).bot(), sink).run();
  }

  @Override
  public Map<String, Access> access() {
    Map<String, Access> access = new LinkedHashMap<>();
    members.forEach((name, member) -> access.put(name, member.bot().account().access()));
    return access;
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    return MattermostChecks.of(member(account).bot());
  }

  @Override
  public boolean fetches() {
    return true;
  }

  @Override
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    return member(account).files().fetch(attachment, bytesMax);
  }

  @Override
  public boolean showsChoices() {
    return hasButtons;
  }

  @Override
  public void answerClick(Click click, String text) throws InterruptedException {
    MattermostPlace at = MattermostPlace.ofThread(click.thread());
    member(click.account()).bot().whisper(at, click.sender(), text);
  }

  @Override
  public void settle(SettledPost post) throws CallFailedException, InterruptedException {
    member(post.account()).posts().settle(post);
  }

  @Override
  public int textUnitsMax() {
    return PostBody.UNITS_MAX;
  }

  @Override
  public Duration typingEvery() {
    return TYPING_EVERY;
  }

  @Override
  public void showTyping(String account, String thread)
      throws CallFailedException, InterruptedException {
    member(account).drafts().showTyping(MattermostPlace.ofThread(thread));
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
    member(draft.account()).drafts().show(draft);
  }

  /** Mattermost drops repeats too, but for 30 s only, and the server waits longer. */
  @Override
  public boolean findsPosts() {
    return true;
  }

  @Override
  public FindOutcome find(OutboundReply reply) throws InterruptedException {
    return member(reply.account()).posts().find(reply);
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return member(reply.account()).posts().post(reply);
  }
}
