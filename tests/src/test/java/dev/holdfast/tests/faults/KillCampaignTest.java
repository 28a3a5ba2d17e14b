package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.EquationWatch;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Rows F1 and F3: kill -9 at random moments, also while the server recovers, under a steady load.
 * How often: {@code -Dholdfast.kills}; the same run again: {@code -Dholdfast.seed}; replies whose
 * answer is lost on the way as well: {@code -Dholdfast.lose_percent}.
 */
@Isolated("it measures how soon the server is ready")
class KillCampaignTest {
  private static final int KILLS = Integer.getInteger("holdfast.kills", 6);
  private static final int PER_SECOND = Integer.getInteger("holdfast.rate", 50);
  private static final int LOSE_PERCENT = Integer.getInteger("holdfast.lose_percent", 2);
  private static final int CHAT_THREADS = 20;
  private static final Duration READY_WITHIN =
      Duration.ofSeconds(Integer.getInteger("holdfast.ready_secs", 10));

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<Long> killsAtNanos = new ArrayList<>();
  private final AtomicInteger lost = new AtomicInteger();
  private int killsOfStarts;

  @Test
  void everyAcceptedEventIsAnsweredThroughKills() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      loseSomeAnswers(rig);
      rig.start();
      campaign(rig, new LoadDriver(rig, "load"), KILLS);
    }
  }

  /** The same with a channel and a tool that come from a jar which is replaced all the while. */
  @Test
  void everyEventOfAChannelFromAJarIsAnsweredThroughKillsAndReplacements() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      loseSomeAnswers(rig);
      Path plugins = rig.folder().resolve("plugins");
      rig.setup()
          .set("server.plugins_dir", plugins.toString())
          .set("channels.relay.secret", ServerRig.SECRET)
          .set("channels.relay.reply_url", rig.platform().replyUrl());
      CompiledPlugin jar = CompiledPlugin.ofResource("relay", "Relay");
      jar.into(plugins);
      rig.start();
      LoadDriver load =
          new LoadDriver(
              new WebhookSender(rig.setup().url("/webhooks/relay/main"), ServerRig.SECRET),
              "relay",
              token -> ShellRig.call("repeat", Map.of("say", token)));
      try (Replacer replacer = new Replacer(jar, plugins)) {
        campaign(rig, load, Math.max(5, KILLS / 2));
        System.out.printf("kill campaign: %d replacements%n", replacer.count());
      }
    }
  }

  private void campaign(ServerRig rig, LoadDriver driver, int kills) throws Exception {
    System.out.printf("kill campaign: %d kills, seed %d%n", kills, seed);
    int acked;
    try (LoadDriver load = driver.start(PER_SECOND, CHAT_THREADS);
        EquationWatch watch = new EquationWatch(rig.api(), Duration.ofMillis(250))) {
      killAgainAndAgain(rig, kills);
      rig.server().awaitReady(READY_WITHIN);
      awaitAcked(load, kills * 20);
      load.stop(Duration.ofSeconds(30));
      acked = load.acked();
      Oracle oracle = new Oracle(rig, load.events(), killsAtNanos);
      assertThat(oracle.judge(Duration.ofSeconds(60))).as("seed %d", seed).isEmpty();
      assertThat(watch.violations()).as("I5, seed %d", seed).isEmpty();
      assertThat(watch.looks()).as("looks at the equation").isGreaterThan(kills / 2);
    }
    String counts = rig.api().status().path("counts").toString();
    assertThat(rig.server().stop()).isZero();
    assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
    long answered = rig.platform().posts().stream().map(Post::inReplyTo).distinct().count();
    System.out.printf(
        "kill campaign: %d kills hit, %d of them during a start; %d acked, %d answered by %d"
            + " posts, of which %d lost their response; 0 lost; %s; seed %d%n",
        killsAtNanos.size(),
        killsOfStarts,
        acked,
        answered,
        rig.platform().posts().size(),
        lost.get(),
        counts,
        seed);
    assertThat(killsAtNanos).hasSizeGreaterThanOrEqualTo(kills);
  }

  /**
   * I10: a run in which nothing was at stake proves nothing. When the dice let the server live for
   * short moments only, the load goes on until enough was accepted.
   */
  private static void awaitAcked(LoadDriver load, int least) {
    Await.until(
        "%d events are accepted".formatted(least),
        Duration.ofSeconds(60),
        () -> load.acked() >= least);
  }

  private void loseSomeAnswers(ServerRig rig) {
    Random platformRandom = new Random(seed + 1);
    rig.platform()
        .plan(
            _ -> {
              synchronized (platformRandom) {
                if (platformRandom.nextInt(100) >= LOSE_PERCENT) {
                  return PlatformMode.ACCEPT;
                }
                lost.incrementAndGet();
                return PlatformMode.LOSE_ANSWER;
              }
            });
  }

  private void killAgainAndAgain(ServerRig rig, int kills) {
    while (killsAtNanos.size() < kills) {
      boolean inRecovery = !killsAtNanos.isEmpty() && random.nextInt(4) == 0;
      if (!inRecovery) {
        rig.server().awaitReady(READY_WITHIN);
      }
      Await.pause(Duration.ofMillis(50L + random.nextInt(inRecovery ? 1_000 : 2_950)));
      if (rig.server().isAlive()) {
        killsAtNanos.add(System.nanoTime());
        killsOfStarts += inRecovery ? 1 : 0;
        if (killsAtNanos.size() % 100 == 0) {
          System.out.printf("kill campaign: %d kills so far%n", killsAtNanos.size());
        }
        rig.server().kill9();
      }
      assertThat(rig.server().exitNow()).as("killed by us, seed %d", seed).contains(137);
      rig.launch();
    }
  }

  /** Puts a newer version of a jar into the place of the last one, again and again. */
  private static final class Replacer implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMillis(700);

    private final AtomicInteger count = new AtomicInteger();
    private final Thread thread;

    Replacer(CompiledPlugin jar, Path plugins) {
      thread =
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (!Thread.currentThread().isInterrupted()) {
                      try {
                        Await.pause(EVERY);
                        jar.with("Plugin-Version", "1.0." + count.incrementAndGet()).into(plugins);
                      } catch (IllegalStateException | IOException e) {
                        return; // interrupted
                      }
                    }
                  });
    }

    int count() {
      return count.get();
    }

    @Override
    public void close() {
      thread.interrupt();
      Await.until("no more jars are replaced", Duration.ofSeconds(5), () -> !thread.isAlive());
    }
  }
}
