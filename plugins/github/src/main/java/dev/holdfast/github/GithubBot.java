package dev.holdfast.github;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What all parts of one account share. Thread-safe. */
final class GithubBot {
  private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

  private final PluginContext context;
  private final GithubAccount account;
  private final GithubApi api;
  private final EyesReactions reactions;
  private final GithubReader reader;
  private final PollMemory polled = new PollMemory();
  private final Map<String, String> refusals = new ConcurrentHashMap<>();
  private final ReentrantLock asking = new ReentrantLock();
  private volatile @Nullable GithubIdentity identity;

  /** Why the last question failed, and when. */
  private @Nullable CallFailedException refused;

  private long refusedAt;

  GithubBot(PluginContext context, GithubAccount account, String baseUrl) {
    this.context = context;
    this.account = account;
    this.api = new GithubApi(context, baseUrl, account.token());
    this.reactions = new EyesReactions(api);
    this.reader = new GithubReader(account, reactions);
  }

  String name() {
    return account.name();
  }

  GithubAccount account() {
    return account;
  }

  PluginContext context() {
    return context;
  }

  GithubApi api() {
    return api;
  }

  EyesReactions reactions() {
    return reactions;
  }

  GithubReader reader() {
    return reader;
  }

  /** What polls know, beyond one call of {@code listen}. */
  PollMemory polled() {
    return polled;
  }

  /** Of something that answers with success and is not GitHub. */
  static CallFailedException notTheApi() {
    return new CallFailedException(
        Failure.of(
            FailureCode.BACKEND_FAILURE,
            "what answers is not the REST API of GitHub: check base_url"));
  }

  /**
   * Whose token it is: without that nobody can tell own comments from those of others. Asked until
   * it is known; while that fails, every 2 s at most.
   *
   * @param timeout from 1 s; also for the question of another thread
   */
  GithubIdentity identity(Duration timeout) throws CallFailedException, InterruptedException {
    @Nullable GithubIdentity known = identity;
    if (known != null) {
      return known;
    }
    if (!asking.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new CallFailedException(
          Failure.of(FailureCode.TIMEOUT, "whose token it is, is not known yet"));
    }
    try {
      known = identity;
      if (known == null) {
        known = ask(timeout);
        identity = known;
      }
      return known;
    } finally {
      asking.unlock();
    }
  }

  private GithubIdentity ask(Duration timeout) throws CallFailedException, InterruptedException {
    @Nullable CallFailedException before = refused;
    if (before != null && context.nanos() - refusedAt < ASK_AGAIN.toNanos()) {
      throw before;
    }
    try {
      return identity(api.get("/user", timeout));
    } catch (CallFailedException e) {
      refused = e;
      refusedAt = context.nanos();
      throw e;
    }
  }

  /** By an answer to {@code GET /user}. */
  static GithubIdentity identity(GithubAnswer answer) throws CallFailedException {
    Map<String, Object> user = answer.orThrow();
    long id = JsonText.whole(user, "id", 0);
    String login = JsonText.text(user, "login");
    if (id <= 0 || login.isEmpty()) {
      throw notTheApi();
    }
    return new GithubIdentity(id, login);
  }

  /** GitHub refuses a repository or a list of one for good; logged once. */
  void refused(String what, String sentence) {
    if (!sentence.equals(refusals.put(what, sentence))) {
      warn(what + " cannot be read: " + sentence);
    }
  }

  /** GitHub has shown it. */
  void allowed(String what) {
    refusals.remove(what);
  }

  /** What was refused when it was last asked for, and why; at most four of each repository. */
  Map<String, String> refusals() {
    return new TreeMap<>(refusals);
  }

  /** {@code sentence}: what the operator should know of this account. */
  void warn(String sentence) {
    context.logger().log(Level.WARNING, "account {0}: {1}", name(), sentence);
  }
}
