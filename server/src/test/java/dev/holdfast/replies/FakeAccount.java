package dev.holdfast.replies;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A platform that does what a test says: one script for each account, then it takes everything. */
final class FakeAccount implements ChannelAdapter {
  private final Set<String> accounts = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<String, Queue<Behaviour>> scripts = new ConcurrentHashMap<>();
  private final Queue<FindOutcome> history = new ConcurrentLinkedQueue<>();
  private final Queue<String> found = new ConcurrentLinkedQueue<>();
  private volatile boolean findsPosts;
  private volatile boolean dropsRepeats;
  private volatile Behaviour usual = reply -> new PostOutcome.Sent("p-" + reply.id());
  private final List<OutboundReply> posts = new ArrayList<>();
  private final AtomicInteger atOnce = new AtomicInteger();
  private final AtomicInteger mostAtOnce = new AtomicInteger();

  /** What one post does. */
  @FunctionalInterface
  interface Behaviour {
    PostOutcome post(OutboundReply reply) throws InterruptedException;
  }

  FakeAccount(String... accounts) {
    this.accounts.addAll(List.of(accounts));
  }

  FakeAccount next(String account, Behaviour... behaviours) {
    scripts.computeIfAbsent(account, _ -> new ArrayDeque<>()).addAll(List.of(behaviours));
    return this;
  }

  /** It drops what it has already got. */
  FakeAccount droppingRepeats() {
    dropsRepeats = true;
    return this;
  }

  @Override
  public boolean dropsRepeats() {
    return dropsRepeats;
  }

  /** Its history can be looked into; each look ends as the next of these, then nothing is there. */
  FakeAccount findingPosts(FindOutcome... outcomes) {
    findsPosts = true;
    history.addAll(List.of(outcomes));
    return this;
  }

  @Override
  public boolean findsPosts() {
    return findsPosts;
  }

  @Override
  public FindOutcome find(OutboundReply reply) {
    found.add(reply.id());
    FindOutcome next = history.poll();
    if (next instanceof FindOutcome.Found(String id) && id.equals("bug")) {
      throw new IllegalStateException("a bug of the channel");
    }
    return next == null ? new FindOutcome.Absent() : next;
  }

  /** What was looked for. */
  List<String> found() {
    return List.copyOf(found);
  }

  /** What a post does for which there is no script. */
  FakeAccount always(Behaviour behaviour) {
    usual = behaviour;
    return this;
  }

  static Behaviour refuses(Failure failure) {
    return _ -> new PostOutcome.NotDelivered(failure);
  }

  static Behaviour losesAnswer() {
    return _ -> new PostOutcome.Unknown(Failure.of(FailureCode.TIMEOUT, "no answer"));
  }

  /** Hangs until the latch opens or an interrupt comes. */
  static Behaviour hangs(CountDownLatch until) {
    return _ -> {
      until.await();
      return new PostOutcome.Sent("");
    };
  }

  List<OutboundReply> posted() {
    synchronized (posts) {
      return List.copyOf(posts);
    }
  }

  List<String> ids() {
    return posted().stream().map(OutboundReply::id).toList();
  }

  int mostAtOnce() {
    return mostAtOnce.get();
  }

  @Override
  public String channel() {
    return "fake";
  }

  @Override
  public Set<String> accounts() {
    return accounts;
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) {
    return new WebhookVerdict.NoAccount();
  }

  @Override
  public int textUnitsMax() {
    return 1000;
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    synchronized (posts) {
      posts.add(reply);
    }
    mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
    try {
      Queue<Behaviour> script = scripts.getOrDefault(reply.account(), new ArrayDeque<>());
      Behaviour next;
      synchronized (script) {
        next = script.poll();
      }
      return (next == null ? usual : next).post(reply);
    } finally {
      atOnce.decrementAndGet();
    }
  }
}
