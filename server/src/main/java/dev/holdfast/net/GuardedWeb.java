package dev.holdfast.net;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureKind;
import dev.holdfast.net.WebFetcher.Bounds;
import dev.holdfast.net.WebFetcher.Fetched;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.Guard;
import dev.holdfast.resilience.GuardConfig;
import dev.holdfast.resilience.Guards;
import dev.holdfast.time.Time;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The web behind its guard {@code web}: so many fetches at once, each with its deadline.
 * Thread-safe; blocks.
 */
public final class GuardedWeb {
  private static final String NAME = "web";
  private static final int AT_ONCE = 16;
  private static final Duration SLACK = Duration.ofSeconds(5);

  private final WebFetcher fetcher;
  private final Guard guard;
  private final Time time;

  public GuardedWeb(WebFetcher fetcher, Guards guards, Time time) {
    this.fetcher = fetcher;
    this.guard =
        guards.guard(NAME, GuardConfig.DEFAULT.withoutRetries().withMaxConcurrent(AT_ONCE));
    this.time = time;
  }

  /**
   * The machine's own way to names.
   *
   * @param allowHosts what the operator lets through although it is private
   * @param ownPorts asked at each fetch: never connected to on this machine
   */
  public static GuardedWeb of(
      HttpCaller http,
      List<String> allowHosts,
      Supplier<Set<Integer>> ownPorts,
      Guards guards,
      Time time) {
    WebPolicy policy = new WebPolicy(Set.copyOf(allowHosts), ownPorts);
    return new GuardedWeb(new WebFetcher(http, NameResolver.SYSTEM, policy, time), guards, time);
  }

  /**
   * One try.
   *
   * @throws CallFailedException as {@link WebFetcher#fetch}, or the guard's own
   */
  public Fetched fetch(String url, Bounds bounds) throws CallFailedException, InterruptedException {
    try {
      return guard.probe(
          Deadline.in(time, bounds.total().plus(SLACK)), () -> fetchNeutrally(url, bounds));
    } catch (HostFailedException e) {
      throw new CallFailedException(e.really, e);
    }
  }

  /**
   * What to connect to for an address that a stranger named. Blocks while its name is looked up.
   *
   * @throws CallFailedException INVALID_REQUEST when it must not be connected to
   */
  public InetSocketAddress judge(String url) throws CallFailedException, InterruptedException {
    return fetcher.judge(url);
  }

  /**
   * The web is not one dependency: a stranger's host that is down says nothing about the others, so
   * it must not open the breaker for them. An operator may still trip it by hand.
   */
  private Fetched fetchNeutrally(String url, Bounds bounds)
      throws HostFailedException, InterruptedException {
    try {
      return fetcher.fetch(url, bounds);
    } catch (HttpFailedException e) {
      throw new HostFailedException(e);
    }
  }

  /** Neutral for the guard; what really happened is for the caller. */
  private static final class HostFailedException extends CallFailedException {
    private static final long serialVersionUID = 1L;

    private final transient Failure really;

    HostFailedException(HttpFailedException e) {
      super(e.failure().as(FailureKind.INVALID), e);
      this.really = e.failure();
    }
  }
}
