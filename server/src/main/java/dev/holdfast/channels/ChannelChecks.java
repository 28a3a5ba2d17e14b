package dev.holdfast.channels;

import dev.holdfast.api.ChannelCheck;
import dev.holdfast.registry.Use;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Asks channels whether what their accounts need is there. Thread-safe; blocks. */
public final class ChannelChecks {
  /** Asked at once: of the 64 places that a plugin has for calls, posts need some meanwhile. */
  public static final int ACCOUNTS_MAX = 32;

  private static final int CHECKS_MAX = 100;
  private static final int REMEDY_MAX = 500;
  private static final String QUESTION = "the channel could look at the account";

  private final Duration limit;
  private final Time time;
  private final Semaphore places = new Semaphore(ACCOUNTS_MAX, true);

  /**
   * @param limit for all accounts, which are asked side by side, and the wait for their places
   */
  public ChannelChecks(Duration limit, Time time) {
    this.limit = limit;
    this.time = time;
  }

  /**
   * What the channel says of these accounts, in their order. Never throws for what it does: a
   * failure is an unmet check.
   *
   * @param use stays with the caller; must be open until this returns
   */
  public Map<String, List<ChannelCheck>> ask(Use<Channel> use, List<String> accounts)
      throws InterruptedException {
    Map<String, Question> questions =
        accounts.stream()
            .collect(
                Collectors.toMap(
                    account -> account,
                    account -> new Question(use.another(), account),
                    (one, _) -> one,
                    LinkedHashMap::new));
    Map<String, List<ChannelCheck>> answers = new LinkedHashMap<>();
    long end = time.nanos() + limit.toNanos();
    try {
      for (Map.Entry<String, Question> question : questions.entrySet()) {
        answers.put(question.getKey(), question.getValue().answer(end - time.nanos()));
      }
    } finally {
      questions.values().forEach(Question::interrupt);
    }
    return answers;
  }

  /** One account, on a thread of its own. */
  private final class Question {
    private final CompletableFuture<List<ChannelCheck>> answer = new CompletableFuture<>();
    private final Thread thread;

    Question(Use<Channel> use, String account) {
      this.thread = Thread.ofVirtual().name("check " + account).unstarted(() -> run(use, account));
      thread.start();
    }

    private void run(Use<Channel> use, String account) {
      try (use) {
        places.acquire();
        try {
          List<ChannelCheck> checks = use.value().adapter().check(account);
          answer.complete(List.copyOf(checks).stream().limit(CHECKS_MAX).toList());
        } finally {
          places.release();
        }
      } catch (InterruptedException _) {
        answer.complete(List.of(failed("It was interrupted. Try again.")));
      } catch (Throwable thrown) {
        answer.completeExceptionally(thrown);
        Fatal.check(thrown);
      }
    }

    List<ChannelCheck> answer(long leftNanos) throws InterruptedException {
      try {
        return answer.get(Math.max(0, leftNanos), TimeUnit.NANOSECONDS);
      } catch (TimeoutException _) {
        return List.of(
            failed(
                "It did not answer within %d s. Check whether its platform can be reached, and try again."
                    .formatted(limit.toSeconds())));
      } catch (ExecutionException e) { // a plugin's own text was made harmless where it is hosted
        Throwable cause = e.getCause() == null ? e : e.getCause();
        String said = String.valueOf(cause.getMessage());
        String why = said.lines().findFirst().orElse(cause.getClass().getSimpleName());
        return List.of(failed("If this lasts, report it to its author: " + why));
      }
    }

    private static ChannelCheck failed(String remedy) {
      int end = Math.min(remedy.length(), REMEDY_MAX);
      return ChannelCheck.missing(QUESTION, remedy.substring(0, end));
    }

    void interrupt() {
      thread.interrupt();
    }
  }
}
