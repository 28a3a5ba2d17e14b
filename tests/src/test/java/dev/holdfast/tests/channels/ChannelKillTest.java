package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.Oracle;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 at random moments while people write on a platform: whatever way a message takes to the
 * server, it is answered once, in its order. How often: {@code -Dholdfast.channel_kills}; the same
 * moments again: {@code -Dholdfast.seed}.
 */
@OnlyInFull(shortForm = "KillCampaignTest")
@Timeout(value = 30 + 15L * 60)
@Execution(ExecutionMode.CONCURRENT)
class ChannelKillTest {
  private static final int KILLS = RunLength.of("holdfast.channel_kills", 3, 20);
  private static final int PEOPLE = 8;
  private static final int LOSE_PERCENT = 2;
  private static final Duration EVERY = Duration.ofMillis(250);
  private static final Duration ENOUGH_WITHIN = Duration.ofMinutes(3);

  /** Where that is possible a lost reply is looked for after a minute, one after another. */
  private static final Duration ANSWERED_WITHIN = Duration.ofMinutes(6);

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<Said> said = new CopyOnWriteArrayList<>();

  /** What somebody wrote. */
  private record Said(int person, String text, String key) {
    String answer() {
      return "echo: " + text;
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWasSaidIsAnsweredOnceAndInOrderThroughKills(Platforms platform) throws Exception {
    try (ChatWorld world = platform.open();
        ServerRig rig = new ServerRig()) {
      rig.setup().plugin(world.plugin());
      world.configure(rig.setup());
      rig.start();
      world.loseAnswers(new Random(seed + 1), LOSE_PERCENT);
      Thread people = Thread.ofVirtual().start(() -> talk(world));
      try {
        for (int i = 0; i < KILLS; i++) {
          Await.pause(Duration.ofMillis(500L + random.nextInt(2_000)));
          rig.server().kill9();
          rig.start();
        }
        // A slow machine may have reached the platform between no two kills.
        Await.until("enough was said", ENOUGH_WITHIN, () -> said.size() > KILLS * 4);
      } finally {
        people.interrupt();
        people.join();
      }
      judge(platform, world, rig);
    }
  }

  private void talk(ChatWorld world) {
    try {
      for (int i = 0; ; i++) {
        int person = i % PEOPLE;
        String text = "message " + i;
        said.add(new Said(person, text, world.say(person, text)));
        Thread.sleep(EVERY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void judge(Platforms platform, ChatWorld world, ServerRig rig) throws Exception {
    Await.until("all is taken, seed " + seed, ANSWERED_WITHIN, world::isAllTaken);
    rig.api().awaitQuiet(ANSWERED_WITHIN);
    int unknown = 0;
    int silent = 0;
    for (Said each : said) {
      JsonNode event = rig.api().event(each.key());
      int posts = 0;
      for (String text : world.shown(each.person())) {
        posts += text.equals(each.answer()) ? 1 : 0;
      }
      int unknowns = unknowns(event);
      assertThat(posts).as("%s, seed %d: %s", each, seed, event).isLessThanOrEqualTo(1 + unknowns);
      if (platform.findsPosts()) {
        assertThat(posts).as("%s, seed %d: %s", each, seed, event).isOne();
      } else if (unknowns == 0) {
        assertThat(posts).as("%s, seed %d: %s", each, seed, event).isOne();
      }
      unknown += unknowns;
      silent += posts == 0 ? 1 : 0;
    }
    for (int person = 0; person < PEOPLE; person++) {
      assertInOrder(world, person);
    }
    assertThat(rig.server().stop()).isZero();
    assertThat(Oracle.integrity(rig.setup().dataDir().resolve("holdfast.db"))).isEqualTo("ok");
    System.out.printf(
        "channel kills: %s: %d kills; %d said, all known; %d posts of unknown outcome, %d of them"
            + " never seen; seed %d%n",
        platform, KILLS, said.size(), unknown, silent, seed);
  }

  private static int unknowns(JsonNode event) {
    int all = 0;
    for (JsonNode reply : event.path("replies")) {
      all += reply.path("unknowns").asInt();
    }
    return all;
  }

  /** By the first post of each answer: one that came again may come later. */
  private void assertInOrder(ChatWorld world, int person) {
    List<String> first = new ArrayList<>();
    for (String text : world.shown(person)) {
      if (!first.contains(text)) {
        first.add(text);
      }
    }
    List<String> expected =
        said.stream()
            .filter(each -> each.person() == person)
            .map(Said::answer)
            .filter(first::contains)
            .toList();
    first.retainAll(expected);
    assertThat(first).as("person %d, seed %d", person, seed).isEqualTo(expected);
  }
}
