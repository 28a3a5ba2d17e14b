package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.bus.BusTraffic;
import dev.holdfast.tests.channels.PlatformTalk;
import dev.holdfast.tests.harness.AgentScript;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.BoardRig;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.ClickKills;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.EquationWatch;
import dev.holdfast.tests.harness.Kills;
import dev.holdfast.tests.harness.LoadDriver;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.PlanLoad;
import dev.holdfast.tests.harness.PlanOracle;
import dev.holdfast.tests.harness.PlanningModel;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.SentEvent;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import dev.holdfast.tests.harness.VerifiedBackups;
import dev.holdfast.tests.harness.WebhookSender;
import dev.holdfast.tests.tools.ExtensionTree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Rows F1 and F3: kill -9 at random moments, also while the server recovers, under a steady load of
 * all kinds. How often: {@code -Dholdfast.kills}; the same run again: {@code -Dholdfast.seed};
 * replies whose answer is lost on the way as well: {@code -Dholdfast.lose_percent}.
 */
class KillCampaignTest {
  private static final int KILLS = RunLength.of("holdfast.kills", 12, 200);
  private static final int PER_SECOND = RunLength.of("holdfast.rate", 12, 25);
  private static final int LOSE_PERCENT = Integer.getInteger("holdfast.lose_percent", 2);
  private static final int CHAT_THREADS = 20;
  private static final int OPEN_PLANS = 8;
  private static final Duration READY_WITHIN =
      Duration.ofSeconds(Integer.getInteger("holdfast.ready_secs", 60));

  /** For what was lost and what was begun: some of it is looked for after a minute. */
  private static final int TIME_SCALE = 5;

  /** Ten seconds, as the server's time passes. */
  private static final Duration RECONCILED_WITHIN = Duration.ofSeconds(10).dividedBy(TIME_SCALE);

  private static final Duration END_WITHIN = Duration.ofMinutes(5);

  /** What the kills meet, and how often among twelve. */
  private enum Moment {
    LIFE_AND_RECOVERY,
    LONG_LIFE,
    CLICK,
    BACKUP,
    KILL_OF_NATS
  }

  private static final List<Moment> DECK =
      List.of(
          Moment.LIFE_AND_RECOVERY,
          Moment.LIFE_AND_RECOVERY,
          Moment.LIFE_AND_RECOVERY,
          Moment.LONG_LIFE,
          Moment.CLICK,
          Moment.CLICK,
          Moment.BACKUP,
          Moment.KILL_OF_NATS,
          Moment.KILL_OF_NATS);

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final ServerRig rig = new ServerRig();
  private final Path plugins = rig.folder().resolve("plugins");
  private final Kills kills = new Kills(rig, random, READY_WITHIN);
  private final AgentScript worker = new AgentScript(rig, "worker");
  private final AgentScript careful = new AgentScript(rig, "careful");
  private final PlanOracle oracle = new PlanOracle(rig, worker, careful);
  private final ExtensionTree tree = new ExtensionTree();
  private final VerifiedBackups backups = new VerifiedBackups(rig, random);
  private final AtomicInteger lost = new AtomicInteger();
  private int wholeTrees;
  private long goneMillis;

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void nothingIsLostOrDoneTwiceThroughKillsWithAllThatAServerCanDo() throws Exception {
    CampaignLedger ledger = new CampaignLedger("kills", seed);
    try (PlanningModel _ = new PlanningModel(PlanLoad::steps).use(rig.setup());
        PlatformTalk one = PlatformTalk.any(random, "");
        PlatformTalk other = PlatformTalk.any(random, one.plugin());
        BusTraffic bus = new BusTraffic(rig)) {
      configure();
      one.configure(rig.setup());
      other.configure(rig.setup());
      CompiledPlugin jar = relay();
      BoardRig board = new BoardRig(rig);
      rig.start();
      bus.begin();
      one.begin(new Random(seed + 2));
      other.begin(new Random(seed + 3));
      Await.until("people write on both", END_WITHIN, () -> one.said() > 0 && other.said() > 0);
      ClickKills clicks = new ClickKills(rig, "clicks", seed);
      List<String> violations = new ArrayList<>();
      try (LoadDriver load = new LoadDriver(rig, "load").start(PER_SECOND, CHAT_THREADS);
          // Without its tool: turns wait for plugins for ten seconds of the server's shorter time.
          LoadDriver relayed =
              relayed(token -> "please answer " + token)
                  .start(Math.max(1, PER_SECOND / 5), CHAT_THREADS / 5);
          PlanLoad plans = new PlanLoad(rig, OPEN_PLANS, seed);
          Replacer replacer = new Replacer(jar, plugins);
          EquationWatch watch = new EquationWatch(rig.api(), Duration.ofMillis(250))) {
        List<Moment> moments = new ArrayList<>();
        while (kills.hits() < KILLS) {
          if (moments.isEmpty()) {
            moments.addAll(DECK);
            Collections.shuffle(moments, random);
          }
          switch (moments.removeLast()) {
            case LIFE_AND_RECOVERY -> {
              kills.awaitLife();
              kill();
              kills.awaitRecovery(1_000);
              kill();
            }
            case LONG_LIFE -> longLife();
            case CLICK -> click(clicks, board, one, other);
            case BACKUP -> backUp(load);
            case KILL_OF_NATS -> killBoth(bus.nats());
          }
        }
        kills.awaitReady();
        awaitAcked(load, KILLS * 20);
        load.stop(Duration.ofSeconds(30));
        relayed.stop(Duration.ofSeconds(30));
        one.stop();
        other.stop();
        bus.stop();
        plans.stop();
        oracle.awaitEnded(plans, END_WITHIN);
        bus.awaitAnswered(END_WITHIN);
        List<SentEvent> events = new ArrayList<>(load.events());
        events.addAll(relayed.events());
        violations.addAll(new Oracle(rig, events).judge(END_WITHIN));
        oracle.judge(plans);
        violations.addAll(oracle.violations());
        violations.addAll(bus.violations(events, END_WITHIN, ledger));
        violations.addAll(watch.violations());
        ledger
            .with("acked", load.acked())
            .with("relayed", relayed.acked())
            .with("replacements", replacer.count())
            .with("plans", plans.plans().size())
            .with("looks_at_the_equation", watch.looks());
        atStake(violations, "plans", plans.plans().size(), KILLS);
        atStake(violations, "relayed", relayed.acked(), KILLS * 2L);
        atStake(violations, "replacements", replacer.count(), KILLS);
        atStake(violations, "looks at the equation", watch.looks(), KILLS / 2);
      }
      one.judge(rig, ledger);
      other.judge(rig, ledger);
      clicks.judge(ledger);
      atStake(violations, "said", Math.min(one.said(), other.said()), KILLS * 4L);
      atStake(violations, "published", bus.accepted(), KILLS * 20L);
      atStake(violations, "kills of whole trees", wholeTrees, KILLS / 4);
      atStake(violations, "kills", kills.hits(), KILLS);
      write(ledger, violations);
    }
  }

  /** I10: a run in which nothing was at stake proves nothing. */
  private static void atStake(List<String> violations, String what, long count, long least) {
    if (count < least) {
      violations.add("too little at stake: %s %d, not %d".formatted(what, count, least));
    }
  }

  private void configure() throws IOException {
    PlanOracle.configure(rig.setup());
    rig.setup()
        .timeScale(TIME_SCALE)
        .set("models.levels.tactical", List.of("openai/gpt-test"))
        .set("models.levels.operational", List.of("embedded/echo"))
        .set(
            "extensions",
            List.of(
                worker.declaration(),
                careful.checkable(),
                Map.of(
                    "id",
                    "tree",
                    "command",
                    tree.command(),
                    "timeouts",
                    Map.of("start_secs", 120),
                    "tools",
                    Map.of("allow", List.of("echo"), "replay", Map.of("echo", "read")))));
    loseSomeAnswers();
  }

  private void kill() {
    List<Long> children = children();
    kills.now();
    awaitGone(children);
  }

  /** The first call starts it. */
  private void awaitTree() {
    String call = ShellRig.call("tree_echo", Map.of());
    Await.until(
        "the call is accepted",
        END_WITHIN,
        () -> rig.sender().send("tree-" + kills.hits(), "tree", call).isAccepted());
    Await.until("the extension runs", END_WITHIN, tree::isWhole);
  }

  private void awaitGone(List<Long> children) {
    goneMillis = Math.max(goneMillis, ExtensionTree.awaitGone("a kill", children));
  }

  /** What must not outlive the server. */
  private List<Long> children() {
    wholeTrees += tree.isWhole() ? 1 : 0;
    List<Long> all = new ArrayList<>(tree.processes());
    all.addAll(worker.processes());
    all.addAll(careful.processes());
    return all;
  }

  /** Long enough for the promise that holds after ten seconds; a backup is killed meanwhile. */
  private void longLife() throws Exception {
    kills.awaitReady();
    awaitTree();
    backups.kill();
    Await.pause(RECONCILED_WITHIN);
    oracle.look();
    kill();
  }

  /** On the board, and on a platform where one of the two has buttons. */
  private void click(ClickKills clicks, BoardRig board, PlatformTalk one, PlatformTalk other)
      throws Exception {
    kills.awaitReady();
    awaitTree();
    List<Long> children = children();
    Optional<ClickKills.Question> asked = Optional.empty();
    if (clicks.kills() % 2 == 1) {
      asked = one.question(rig, board.folder());
      asked = asked.isPresent() ? asked : other.question(rig, board.folder());
    }
    clicks.round(
        asked.isPresent() ? asked.get() : board.question(clicks.kills(), random.nextBoolean()));
    awaitGone(children);
  }

  private void backUp(LoadDriver load) throws IOException {
    kills.awaitReady();
    Await.until("something is at stake", END_WITHIN, () -> !load.events().isEmpty());
    List<SentEvent> acked = load.events();
    Path file =
        backups.make(
            () -> {
              kill();
              kills.awaitReady();
            });
    VerifiedBackups.assertRestored(file, acked);
  }

  private void killBoth(NatsServer nats) {
    kills.awaitLife();
    nats.kill9();
    Await.pause(Duration.ofMillis(random.nextInt(300)));
    kill();
    if (random.nextBoolean()) {
      kills.awaitReady(); // without NATS
    }
    Await.pause(Duration.ofMillis(random.nextInt(1_000)));
    NatsServer _ = nats.start();
  }

  private void write(CampaignLedger ledger, List<String> violations) throws Exception {
    List<Post> posts = rig.platform().posts();
    ledger
        .with("kills", kills.hits())
        .with("kills_of_starts", kills.ofStarts())
        .with("kills_of_whole_trees", wholeTrees)
        .with("gone_after_millis_max", goneMillis)
        .with("ready_after_millis_max", kills.readyMillis())
        .with("answered", posts.stream().map(Post::inReplyTo).distinct().count())
        .with("posts", posts.size())
        .with("responses_lost", lost.get())
        .with("backups", backups.whole())
        .with("unsafe_steps_of_unknown_outcome", oracle.unknown())
        .with("violations", violations.size())
        .write();
    assertThat(violations).as("seed %d", seed).isEmpty();
    assertThat(rig.server().stop()).isZero();
    assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
  }

  /** A channel and a tool that come from a jar which is replaced all the while, and little else. */
  @Test
  @OnlyInFull(shortForm = "KillCampaignTest")
  void everyEventOfAChannelFromAJarIsAnsweredThroughKillsAndReplacements() throws Exception {
    CampaignLedger ledger = new CampaignLedger("kills and replacements", seed);
    loseSomeAnswers();
    CompiledPlugin jar = relay();
    rig.start();
    List<String> violations;
    try (LoadDriver load =
            relayed(token -> ShellRig.call("repeat", Map.of("say", token)))
                .start(PER_SECOND, CHAT_THREADS);
        Replacer replacer = new Replacer(jar, plugins);
        EquationWatch watch = new EquationWatch(rig.api(), Duration.ofMillis(250))) {
      while (kills.hits() < KILLS / 2) {
        if (kills.hits() > 0 && random.nextInt(4) == 0) {
          kills.awaitRecovery(1_000);
        } else {
          kills.awaitLife();
        }
        kills.now();
      }
      kills.awaitReady();
      awaitAcked(load, KILLS * 10);
      load.stop(Duration.ofSeconds(30));
      violations = new Oracle(rig, load.events()).judge(Duration.ofSeconds(60));
      violations.addAll(watch.violations());
      ledger.with("acked", load.acked()).with("replacements", replacer.count());
    }
    ledger
        .with("kills", kills.hits())
        .with("kills_of_starts", kills.ofStarts())
        .with("responses_lost", lost.get())
        .with("violations", violations.size())
        .write();
    assertThat(violations).as("seed %d", seed).isEmpty();
    assertThat(rig.server().stop()).isZero();
    assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
  }

  private CompiledPlugin relay() throws IOException {
    rig.setup()
        .set("server.plugins_dir", plugins.toString())
        .set("channels.relay.secret", ServerRig.SECRET)
        .set("channels.relay.reply_url", rig.platform().replyUrl());
    CompiledPlugin jar = CompiledPlugin.ofResource("relay", "Relay");
    Path _ = jar.into(plugins);
    return jar;
  }

  private LoadDriver relayed(UnaryOperator<String> wording) {
    return new LoadDriver(
        new WebhookSender(rig.setup().url("/webhooks/relay/main"), ServerRig.SECRET),
        "relay",
        wording);
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

  private void loseSomeAnswers() {
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
