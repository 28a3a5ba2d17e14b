package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What all parts of one account share. Thread-safe. */
final class DiscordBot {
  /** Only the person sees it. */
  static final long EPHEMERAL = 1L << 6;

  private static final Duration SHORT = Duration.ofSeconds(4);
  private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

  private final PluginContext context;
  private final DiscordAccount account;
  private final DiscordApi api;
  private final KnownChannels channels;
  private final DiscordMessageReader messages;
  private final InteractionReader interactions;
  private final ReentrantLock asking = new ReentrantLock();
  private volatile @Nullable DiscordIdentity identity;

  /** Why the last question failed, and when. */
  private @Nullable CallFailedException refused;

  private long refusedAt;

  DiscordBot(PluginContext context, DiscordAccount account, String baseUrl) {
    this.context = context;
    this.account = account;
    this.api = new DiscordApi(context, baseUrl, account.token());
    this.channels = new KnownChannels(api);
    this.messages = new DiscordMessageReader(account, channels);
    this.interactions = new InteractionReader(account, channels);
  }

  String name() {
    return account.name();
  }

  DiscordAccount account() {
    return account;
  }

  PluginContext context() {
    return context;
  }

  DiscordApi api() {
    return api;
  }

  KnownChannels channels() {
    return channels;
  }

  DiscordMessageReader messages() {
    return messages;
  }

  InteractionReader interactions() {
    return interactions;
  }

  /**
   * Who the bot is: without it nobody can tell its own posts from those of others. Asked until it
   * is known; while that fails, every 2 s at most.
   *
   * @param timeout from 1 s; also for the question of another thread
   */
  DiscordIdentity identity(Duration timeout) throws CallFailedException, InterruptedException {
    @Nullable DiscordIdentity known = identity;
    if (known != null) {
      return known;
    }
    if (!asking.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new CallFailedException(
          Failure.of(FailureCode.TIMEOUT, "who the bot is, is not known yet"));
    }
    try {
      known = identity;
      if (known == null) {
        known = askAgain(timeout);
        identity = known;
      }
      return known;
    } finally {
      asking.unlock();
    }
  }

  private DiscordIdentity askAgain(Duration timeout)
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

  /** Asks in any case. */
  DiscordIdentity ask(Duration timeout) throws CallFailedException, InterruptedException {
    Map<String, Object> user = api.get("/users/@me", timeout).orThrow();
    Map<String, Object> app = api.get("/applications/@me", timeout).orThrow();
    DiscordIdentity found =
        new DiscordIdentity(
            JsonText.id(user, "id"),
            JsonText.text(user, "username"),
            JsonText.id(app, "id"),
            JsonText.whole(app, "flags", 0),
            JsonText.text(app, "verify_key"),
            JsonText.text(app, "interactions_endpoint_url"));
    if (!DiscordMessageReader.isId(found.user()) || !DiscordMessageReader.isId(found.app())) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE, "Discord does not say who the bot is: check base_url"));
    }
    return found;
  }

  /** A text that calls nobody, for one person alone. */
  static Map<String, Object> whisper(String text) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("content", text);
    message.put("flags", EPHEMERAL);
    message.put("allowed_mentions", Map.of("parse", List.of()));
    return message;
  }

  /**
   * The first answer to an interaction; what nobody sees has changed nothing.
   *
   * @return false when it was too late
   */
  boolean callback(Deferred deferred, Map<String, ?> body) throws InterruptedException {
    String path = "/interactions/" + deferred.id() + "/" + deferred.token() + "/callback";
    try {
      DiscordAnswer answer = api.post(path, body, SHORT);
      if (!answer.isOk()) {
        debug("an interaction", answer.failure());
      }
      return !answer.isGone();
    } catch (CallFailedException e) {
      debug("an interaction", e.failure());
      return true; // it may have arrived
    }
  }

  private void debug(String what, Failure failure) {
    context.logger().log(Level.DEBUG, "account {0}: {1}: {2}", name(), what, failure.summary());
  }

  /** Tells something to the person who clicked; what nobody sees has changed nothing. */
  void answerClick(String path, String text) throws InterruptedException {
    try {
      DiscordAnswer answer = api.post(path, whisper(text), SHORT);
      if (!answer.isOk()) {
        debug("a click", answer.failure());
      }
    } catch (CallFailedException e) {
      debug("a click", e.failure());
    }
  }
}
