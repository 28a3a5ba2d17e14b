package dev.holdfast.replies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyState;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Everything goes wrong at random, crashes too; the promise about the number of posts holds all the
 * same.
 */
@Timeout(60)
class RepliesChaosTest {
  private static final int RUNS = 60;
  private static final int THREADS = 5;
  private static final int EVENTS = 25;

  @ParameterizedTest
  @ValueSource(strings = {"RESEND_ONCE", "HOLD"})
  void noReplyIsPostedMoreOftenThanPromisedAndAllComeToAnEnd(OnUnknown policy) throws Exception {
    for (int seed = 0; seed < RUNS; seed++) {
      new Run(seed, policy).play();
    }
  }

  /** One server with its platform, from the first plan until nothing is open. */
  private static final class Run {
    private final Random random;
    private final String name;
    private final OnUnknown policy;
    private final ManualTime time = new ManualTime();
    private final FakeOutbox outbox = new FakeOutbox();
    private final boolean drops;
    private final FakeAccount platform;
    private final Map<String, AtomicInteger> sends = new ConcurrentHashMap<>();
    private Replies replies;

    Run(int seed, OnUnknown policy) {
      this.random = new Random(seed);
      this.drops = seed % 2 == 0;
      this.platform = drops ? new FakeAccount("main").droppingRepeats() : new FakeAccount("main");
      this.name = "seed " + seed + ", " + policy;
      this.policy = policy;
      this.replies = boot();
    }

    void play() throws InterruptedException {
      for (int event = 0; event < EVENTS; event++) {
        platform.next("main", behaviour(), behaviour(), behaviour());
        int parts = 1 + random.nextInt(3);
        String thread = "t" + random.nextInt(THREADS);
        for (int part = 1; part <= parts; part++) {
          outbox.plan(reply(thread, "e" + event, part, parts), time.now());
        }
        replies.wake("fake:main:" + thread);
        if (random.nextInt(4) == 0) {
          step();
        }
      }
      int steps = 0;
      while (!outbox.open(0, 1).isEmpty()) {
        step();
        assertThat(++steps).as(name + ": does not come to an end").isLessThan(2000);
      }
      replies.stop();
      check();
    }

    private void step() throws InterruptedException {
      if (random.nextInt(10) == 0) {
        crash();
      }
      time.advance(Duration.ofSeconds(random.nextInt(20)));
      if (!replies.drain(Deadline.in(time, Duration.ofSeconds(10)))) {
        crash(); // it died while it was posting
      }
    }

    /**
     * The process dies: from one moment on nothing is written any more, whatever is still on its
     * way.
     */
    private void crash() throws InterruptedException {
      outbox.die();
      replies.stop();
      outbox.revive();
      replies = boot();
      replies.start();
    }

    private Replies boot() {
      Replies booted =
          new Replies(
              new ReplyPoster.Connections(
                  outbox,
                  new Channels(List.of(platform)),
                  _ -> new FakePostGuard(),
                  RepliesFixture.noFiles()),
              new RepliesConfig(3, Duration.ofSeconds(1), Duration.ofMinutes(30), policy),
              new ReplyEvents(new News(1), _ -> {}, new SimpleMeterRegistry(), time),
              time,
              3);
      outbox.onPlanning(booted);
      return booted;
    }

    private FakeAccount.Behaviour behaviour() {
      int dice = random.nextInt(100);
      if (dice < 5) {
        return reply -> {
          count(reply);
          outbox.die();
          return new PostOutcome.Sent("p");
        };
      } else if (dice < 50) {
        return send(new PostOutcome.Sent("p"));
      } else if (dice < 65) {
        return send(new PostOutcome.Unknown(Failure.of(FailureCode.TIMEOUT, "no answer")));
      } else if (dice < 75) {
        return FakeAccount.refuses(Failure.of(FailureCode.RATE_LIMITED, "429"));
      } else if (dice < 80) {
        return FakeAccount.refuses(Failure.of(FailureCode.AUTH, "401").as(FailureKind.PERMANENT));
      } else if (dice < 95) {
        return FakeAccount.refuses(Failure.of(FailureCode.NETWORK, "refused"));
      }
      return reply -> {
        count(reply);
        throw new IllegalStateException("a bug in the channel");
      };
    }

    private FakeAccount.Behaviour send(PostOutcome outcome) {
      return reply -> {
        count(reply);
        return outcome;
      };
    }

    private void count(OutboundReply reply) {
      sends.computeIfAbsent(reply.id(), _ -> new AtomicInteger()).incrementAndGet();
    }

    private void check() {
      for (Reply row : outbox.all()) {
        AtomicInteger count = sends.getOrDefault(row.reply().id(), new AtomicInteger());
        boolean scripted = count.get() > 0;
        assertThat(row.state().isOpen()).as(name).isFalse();
        assertThat(count.get())
            .as(name + ": sends of " + row)
            .isLessThanOrEqualTo(1 + row.unknowns())
            .isLessThanOrEqualTo(policy == OnUnknown.HOLD ? 1 : drops ? Integer.MAX_VALUE : 2);
        if (row.state() == ReplyState.SENT && scripted) {
          assertThat(count.get()).as(name + ": " + row).isEqualTo(1);
        }
      }
      Map<String, Long> last = new HashMap<>();
      Map<String, Long> seqs = new HashMap<>();
      outbox.all().forEach(row -> seqs.put(row.reply().id(), row.seq()));
      List<String> outOfOrder = new ArrayList<>();
      for (OutboundReply post : platform.posted()) {
        long seq = seqs.getOrDefault(post.id(), 0L);
        if (last.getOrDefault(post.thread(), 0L) > seq) {
          outOfOrder.add(post.id());
        }
        last.put(post.thread(), seq);
      }
      assertThat(outOfOrder).as(name).isEmpty();
    }

    private static NewReply reply(String thread, String event, int part, int parts) {
      return new NewReply(
          event + ".a." + part,
          event,
          "fake:main",
          "fake:main:" + thread,
          thread,
          "m-" + event,
          "text",
          part,
          parts,
          false);
    }
  }
}
