package dev.holdfast.matrix;

import dev.holdfast.api.Access;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Draft;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The channel {@code matrix}. Thread-safe. */
final class MatrixChannel implements ChannelAdapter {
  static final String NAME = "matrix";

  /** How long a homeserver shows that somebody types. */
  static final Duration TYPING_SHOWN = Duration.ofSeconds(15);

  private static final Duration TYPING_EVERY = Duration.ofSeconds(10);

  /** More than two syncs, or one large one and the pages behind it. */
  private static final Duration SILENCE_MAX = Duration.ofMinutes(5);

  private static final Duration DRAFT_EVERY = Duration.ofSeconds(1);
  private static final Duration WHO_MAX = Duration.ofSeconds(4);

  private final Duration syncWait;
  private final Map<String, ServedUser> users = new LinkedHashMap<>();

  /** All that is there of one account. */
  record ServedUser(
      MatrixBot bot,
      MatrixEventReader reader,
      RoomInvites invites,
      EncryptedRooms encrypted,
      MatrixDrafts drafts,
      MatrixPosts posts,
      MatrixFiles files) {}

  MatrixChannel(Duration syncWait, List<ServedUser> users) {
    this.syncWait = syncWait;
    users.forEach(user -> this.users.put(user.bot().name(), user));
  }

  ServedUser user(String account) {
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
    return user == null || user.bot().account().listens()
        ? new WebhookVerdict.NoAccount()
        : new TransactionIntake(user).receive(request);
  }

  @Override
  public boolean hasWebhookPaths() {
    return true;
  }

  @Override
  public Map<String, ListenSpec> listens() {
    Map<String, ListenSpec> listens = new LinkedHashMap<>();
    for (ServedUser user : users.values()) {
      MatrixAccount account = user.bot().account();
      if (account.listens()) {
        // How far a user's rooms were read outlives a token that was replaced.
        String who =
            account.userId().isEmpty()
                ? account.token()
                : account.baseUrl() + " " + account.userId();
        listens.put(account.name(), new ListenSpec(who, SILENCE_MAX));
      }
    }
    return listens;
  }

  @Override
  public void listen(String account, MessageSink sink)
      throws CallFailedException, InterruptedException {
    new SyncPoller(user(account), syncWait, sink).run();
  }

  @Override
  public Map<String, Access> access() {
    Map<String, Access> access = new LinkedHashMap<>();
    users.forEach((name, user) -> access.put(name, user.bot().account().access()));
    return access;
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    return MatrixChecks.of(user(account).bot());
  }

  @Override
  public boolean fetches() {
    return true;
  }

  @Override
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    return user(account).files().fetch(attachment, bytesMax);
  }

  @Override
  public int textUnitsMax() {
    return MatrixContent.UNITS_MAX;
  }

  /** By the transaction of an event, which is made of the reply's id. */
  @Override
  public boolean dropsRepeats() {
    return true;
  }

  @Override
  public Duration typingEvery() {
    return TYPING_EVERY;
  }

  @Override
  public void showTyping(String account, String thread)
      throws CallFailedException, InterruptedException {
    ServedUser user = user(account);
    user.drafts().showTyping(thread, user.bot().user(WHO_MAX));
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
    user(draft.account()).drafts().show(draft);
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return user(reply.account()).posts().post(reply);
  }
}
