package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginContext;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What all parts of one account share. Thread-safe. */
final class SlackBot {
  private static final Duration SHORT = Duration.ofSeconds(4);
  private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

  private final PluginContext context;
  private final SlackAccount account;
  private final SlackApi api;
  private final SlackApi appApi;
  private final ReadMarks marks = new ReadMarks();
  private final RecentTalk talk = new RecentTalk(marks);
  private final PersonNames names;
  private final SlackEventReader reader;
  private final ReentrantLock asking = new ReentrantLock();
  private volatile @Nullable SlackIdentity identity;

  /** Why the last question failed, and when. */
  private @Nullable CallFailedException refused;

  private long refusedAt;

  SlackBot(PluginContext context, SlackAccount account, String baseUrl) {
    this.context = context;
    this.account = account;
    this.api = new SlackApi(context, baseUrl, account.botToken());
    this.appApi = new SlackApi(context, baseUrl, account.appToken());
    this.names = new PersonNames(api);
    this.reader = new SlackEventReader(account, talk, names);
  }

  String name() {
    return account.name();
  }

  SlackAccount account() {
    return account;
  }

  PluginContext context() {
    return context;
  }

  /** With the bot's token. */
  SlackApi api() {
    return api;
  }

  /** With the app's token, for Socket Mode. */
  SlackApi appApi() {
    return appApi;
  }

  RecentTalk talk() {
    return talk;
  }

  ReadMarks marks() {
    return marks;
  }

  PersonNames names() {
    return names;
  }

  SlackEventReader reader() {
    return reader;
  }

  /**
   * Who the app is: without it nobody can tell its own posts from those of others. Asked until it
   * is known; while that fails, every 2 s at most.
   *
   * @param timeout from 1 s; also for the question of another thread
   */
  SlackIdentity identity(Duration timeout) throws CallFailedException, InterruptedException {
    @Nullable SlackIdentity known = identity;
    if (known != null) {
      return known;
    }
    if (!asking.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new CallFailedException(
          Failure.of(FailureCode.TIMEOUT, "who the app is, is not known yet"));
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

  private SlackIdentity ask(Duration timeout) throws CallFailedException, InterruptedException {
    @Nullable CallFailedException before = refused;
    if (before != null && context.nanos() - refusedAt < ASK_AGAIN.toNanos()) {
      throw before;
    }
    try {
      SlackAnswer answer = api.call("auth.test", Map.of(), timeout);
      Map<String, Object> _ = answer.orThrow();
      SlackIdentity found = SlackIdentity.of(answer);
      if (found.user().isEmpty() || found.team().isEmpty()) {
        throw new CallFailedException(
            Failure.of(
                FailureCode.BACKEND_FAILURE,
                "auth.test does not say who the app is: check base_url"));
      }
      return found;
    } catch (CallFailedException e) {
      refused = e;
      refusedAt = context.nanos();
      throw e;
    }
  }

  void warnOfHeldBack() {
    context
        .logger()
        .log(
            Level.WARNING,
            "account {0}: Slack holds back events of this workspace: there were more than 30,000"
                + " within an hour",
            name());
  }

  /** Tells something to one person; what nobody sees has changed nothing. */
  void whisper(String thread, String user, String text) throws InterruptedException {
    Map<String, Object> parameters = SlackPlace.ofThread(thread).parameters();
    parameters.put("user", user);
    parameters.put("text", text);
    boolean _ = tryCall("chat.postEphemeral", parameters);
  }

  /** A call whose failure changes nothing; false when it failed. */
  boolean tryCall(String method, Map<String, ?> parameters) throws InterruptedException {
    String problem;
    try {
      SlackAnswer answer = api.call(method, parameters, SHORT);
      problem = answer.isOk() ? "" : answer.failure().summary();
    } catch (CallFailedException e) {
      problem = e.failure().summary();
    }
    if (!problem.isEmpty()) {
      context.logger().log(Level.DEBUG, "account {0}: {1}: {2}", name(), method, problem);
    }
    return problem.isEmpty();
  }
}
