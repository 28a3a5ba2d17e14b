package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What all parts of one account share. Thread-safe. */
final class MatrixBot {
  static final String WHOAMI = MatrixApi.CLIENT + "/account/whoami";
  private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

  private final PluginContext context;
  private final MatrixAccount account;
  private final MatrixApi api;
  private final RoomTalk talk = new RoomTalk();
  private final RoomSizes sizes;
  private final BackgroundCalls background;

  /** How often in a row the history of a room could not be read. */
  private final RecentMap<Integer> failedHistories = new RecentMap<>();

  private final ReentrantLock asking = new ReentrantLock();
  private volatile @Nullable String user;

  /** Why the last question failed, and when. */
  private @Nullable CallFailedException refused;

  private long refusedAt;

  MatrixBot(PluginContext context, MatrixAccount account) {
    this.context = context;
    this.account = account;
    this.api = new MatrixApi(context, account.baseUrl(), account.token());
    this.sizes = new RoomSizes(api, context::nanos);
    this.background = new BackgroundCalls(context, account.name());
  }

  String name() {
    return account.name();
  }

  MatrixAccount account() {
    return account;
  }

  PluginContext context() {
    return context;
  }

  MatrixApi api() {
    return api;
  }

  RoomTalk talk() {
    return talk;
  }

  RoomSizes sizes() {
    return sizes;
  }

  RecentMap<Integer> failedHistories() {
    return failedHistories;
  }

  BackgroundCalls background() {
    return background;
  }

  /**
   * Whose the token is: without it nobody can tell the account's own messages from those of others.
   * Asked until it is known; while that fails, every 2 s at most.
   *
   * @param timeout from 1 s; also for the question of another thread
   */
  String user(Duration timeout) throws CallFailedException, InterruptedException {
    @Nullable String known = user;
    if (known != null) {
      return known;
    }
    if (!asking.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new CallFailedException(
          Failure.of(FailureCode.TIMEOUT, "whose the token is, is not known yet"));
    }
    try {
      known = user;
      if (known == null) {
        known = ask(timeout);
        user = known;
      }
      return known;
    } finally {
      asking.unlock();
    }
  }

  private String ask(Duration timeout) throws CallFailedException, InterruptedException {
    @Nullable CallFailedException before = refused;
    if (before != null && context.nanos() - refusedAt < ASK_AGAIN.toNanos()) {
      throw before;
    }
    try {
      return identity(api.get(WHOAMI, timeout));
    } catch (CallFailedException e) {
      refused = e;
      refusedAt = context.nanos();
      throw e;
    }
  }

  /**
   * Whose the token is.
   *
   * @throws CallFailedException AUTH, too, when it is not the one that the configuration names
   */
  String identity(MatrixAnswer whoami) throws CallFailedException {
    Map<String, Object> body = whoami.orThrow();
    String found = JsonText.text(body, "user_id");
    if (!MatrixIds.isUser(found)) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE, "what answered is no homeserver: check base_url"));
    }
    if (!account.userId().isEmpty() && !account.userId().equals(found)) {
      throw new CallFailedException(
          Failure.of(
                  FailureCode.AUTH,
                  "the access token is the one of %s, and user_id says %s: correct one of them"
                      .formatted(found, account.userId()))
              .as(FailureKind.PERMANENT));
    }
    return found;
  }
}
