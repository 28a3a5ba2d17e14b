package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What all parts of one account share. Thread-safe. */
final class MattermostBot {
  private static final Duration SHORT = Duration.ofSeconds(4);
  private static final Duration ASK_AGAIN = Duration.ofSeconds(2);
  private static final int NAMES_MAX = 200;

  private final PluginContext context;
  private final MattermostAccount account;
  private final MattermostApi api;
  private final PostReader reader;
  private final ConfiguredPlaces places;
  private final RecentMap<ChannelKind> kinds = new RecentMap<>();

  private final RecentMap<String> names = new RecentMap<>();

  /** The conversations that the bot's posts stand in, by post. */
  private final RecentMap<String> threads = new RecentMap<>();

  /** Posts that are not the bot's, or that it does not see. */
  private final RecentMap<Boolean> others = new RecentMap<>();

  /** By channel, up to when it was read in the history since {@link #readFrom}. */
  private RecentMap<Long> readUntil = new RecentMap<>();

  private long readFrom;
  private final ReentrantLock asking = new ReentrantLock();
  private volatile @Nullable MattermostIdentity identity;
  private volatile boolean mayWhisper = true;

  /** Why the last question failed, and when. */
  private @Nullable CallFailedException refused;

  private long refusedAt;

  MattermostBot(PluginContext context, MattermostAccount account) {
    this.context = context;
    this.account = account;
    this.api = new MattermostApi(context, account);
    this.reader = new PostReader(account.name());
    this.places = new ConfiguredPlaces(this);
  }

  String name() {
    return account.name();
  }

  MattermostAccount account() {
    return account;
  }

  PluginContext context() {
    return context;
  }

  MattermostApi api() {
    return api;
  }

  PostReader reader() {
    return reader;
  }

  /** Of its listener. */
  ConfiguredPlaces places() {
    return places;
  }

  /**
   * Who the bot is: without it nobody can tell its own posts from those of others. Asked until it
   * is known; while that fails, every 2 s at most.
   *
   * @param timeout from 1 s; also for the question of another thread
   */
  MattermostIdentity identity(Duration timeout) throws CallFailedException, InterruptedException {
    @Nullable MattermostIdentity known = identity;
    if (known != null) {
      return known;
    }
    if (!asking.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new CallFailedException(
          Failure.of(FailureCode.TIMEOUT, "who the bot is, is not known yet"));
    }
    try {
      known = identity;
      return known == null ? askUnlessRefused(timeout) : known;
    } finally {
      asking.unlock();
    }
  }

  private MattermostIdentity askUnlessRefused(Duration timeout)
      throws CallFailedException, InterruptedException {
    @Nullable CallFailedException before = refused;
    if (before != null && context.nanos() - refusedAt < ASK_AGAIN.toNanos()) {
      throw before;
    }
    try {
      return ask(timeout);
    } catch (CallFailedException e) {
      refused = e;
      refusedAt = context.nanos();
      throw e;
    }
  }

  /** Asks who the bot is, whether it is known or not: the token may have been revoked since. */
  MattermostIdentity ask(Duration timeout) throws CallFailedException, InterruptedException {
    return identityOf(api.get("/users/me", timeout));
  }

  /** Keeps what {@code /users/me} answered. */
  MattermostIdentity identityOf(MattermostAnswer answer) throws CallFailedException {
    MattermostIdentity found = MattermostIdentity.of(answer.orThrow().body());
    if (!MattermostPlace.isId(found.user()) || found.name().isEmpty()) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE, "/users/me does not say who the bot is: check url"));
    }
    identity = found;
    return found;
  }

  void noteKind(String channel, ChannelKind kind) {
    if (kind.isKnown()) {
      kinds.put(channel, kind);
    }
  }

  ChannelKind kind(String channel, Duration timeout)
      throws CallFailedException, InterruptedException {
    Optional<ChannelKind> known = kinds.find(channel);
    if (known.isPresent()) {
      return known.get();
    }
    ChannelKind found = ChannelKind.of(api.get("/channels/" + channel, timeout).orThrow().body());
    noteKind(channel, found);
    return found;
  }

  /** What Mattermost shows as a person's name; empty when it is not known. */
  String nameOf(String user) {
    return names.find(user).orElse("");
  }

  /** Asks for names that are not known, once; without them people have none. */
  void learnNames(Collection<String> users) throws InterruptedException {
    List<String> wanted =
        users.stream()
            .filter(user -> MattermostPlace.isId(user) && !names.has(user))
            .distinct()
            .limit(NAMES_MAX)
            .toList();
    if (wanted.isEmpty()) {
      return;
    }
    try {
      for (Map<String, Object> user : api.post("/users/ids", wanted, SHORT).orThrow().items()) {
        names.put(JsonText.text(user, "id"), JsonText.text(user, "username"));
      }
    } catch (CallFailedException e) {
      debug(e.failure());
    }
  }

  /**
   * By channel, up to when it was read in the history since the position: a try that failed at one
   * channel begins no other one again. Of another position, nothing.
   *
   * @param position in milliseconds since 1970
   */
  synchronized RecentMap<Long> readSince(long position) {
    if (position != readFrom) {
      readFrom = position;
      readUntil = new RecentMap<>();
    }
    return readUntil;
  }

  /** All channels were read: the next position is another one, whatever it says. */
  synchronized void allRead() {
    readUntil = new RecentMap<>();
  }

  /** A post of the bot stands there. */
  void posted(MattermostPlace place, String post) {
    threads.put(post, place.thread());
  }

  /** Whether {@link #placeOf} knows the post without asking for it. */
  boolean knows(String post) {
    return threads.has(post) || others.has(post);
  }

  /** The conversation that a post belongs to; empty when it is not the bot's. */
  Optional<MattermostPlace> placeOf(String post, MattermostIdentity me, Duration timeout)
      throws CallFailedException, InterruptedException {
    if (others.has(post)) {
      return Optional.empty();
    }
    Optional<MattermostPlace> known = threads.find(post).map(MattermostPlace::ofThread);
    if (known.isPresent()) {
      return known;
    }
    MattermostAnswer answer = api.get("/posts/" + post, timeout);
    Optional<MattermostPlace> place =
        answer.isRefused() ? Optional.empty() : ownPlace(answer.orThrow().body(), me);
    place.ifPresentOrElse(found -> posted(found, post), () -> others.put(post, true));
    return place;
  }

  private static Optional<MattermostPlace> ownPlace(
      Map<String, Object> found, MattermostIdentity me) {
    String channel = JsonText.text(found, "channel_id");
    String root = JsonText.text(found, "root_id");
    boolean isOwn = JsonText.text(found, "user_id").equals(me.user());
    return isOwn && MattermostPlace.isId(channel)
        ? Optional.of(new MattermostPlace(channel, MattermostPlace.isId(root) ? root : ""))
        : Optional.empty();
  }

  /** Deletes a post; false when another try may succeed. */
  boolean delete(String post) throws InterruptedException {
    try {
      MattermostAnswer answer = api.delete("/posts/" + post, SHORT);
      return answer.isOk() || !answer.failure().isPassing();
    } catch (CallFailedException e) {
      debug(e.failure());
      return false;
    }
  }

  /**
   * Tells one person something: below the place, seen by nobody else, where the bot's roles allow
   * that ({@code create_post_ephemeral}), else directly. What nobody sees has changed nothing.
   */
  void whisper(MattermostPlace at, String user, String text) throws InterruptedException {
    try {
      if (mayWhisper) {
        Map<String, Object> post = at.post();
        post.put("message", text);
        Map<String, Object> whispered = Map.of("user_id", user, "post", post);
        MattermostAnswer answer = api.post("/posts/ephemeral", whispered, SHORT);
        mayWhisper = !answer.isForbidden();
        if (answer.isOk()) {
          return;
        }
      }
      String me = identity(SHORT).user();
      MattermostAnswer direct = api.post("/channels/direct", List.of(me, user), SHORT).orThrow();
      Map<String, Object> post = new MattermostPlace(JsonText.text(direct.body(), "id"), "").post();
      post.put("message", text);
      MattermostAnswer _ = api.post("/posts", post, SHORT).orThrow();
    } catch (CallFailedException e) {
      debug(e.failure());
    }
  }

  private void debug(Failure failure) {
    context.logger().log(Level.DEBUG, "account {0}: {1}", name(), failure.summary());
  }

  /** Whatever the operator may want to know. */
  void warn(String sentence) {
    context.logger().log(Level.WARNING, "account {0}: {1}", name(), sentence);
  }
}
