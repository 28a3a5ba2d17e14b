package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.ClickKills;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * People who write on a platform all the while, and what is judged of it: each message is answered
 * once, in its order, but for posts of unknown outcome.
 */
public final class PlatformTalk implements AutoCloseable {
  private static final int PEOPLE = 8;
  private static final int LOSE_PERCENT = 2;
  private static final Duration EVERY = Duration.ofMillis(250);

  /** Where that is possible a lost reply is looked for after a minute, one after another. */
  private static final Duration ANSWERED_WITHIN = Duration.ofMinutes(6);

  private final Platforms platform;
  private final ChatWorld world;
  private final List<Said> said = new CopyOnWriteArrayList<>();
  private final Thread people = Thread.ofVirtual().unstarted(this::talk);
  private int asked;

  /** What somebody wrote. */
  private record Said(int person, String text, String key) {
    String answer() {
      return "echo: " + text;
    }
  }

  PlatformTalk(Platforms platform) throws Exception {
    this.platform = platform;
    world = platform.open();
  }

  /** Any of the platforms, but for one by its name: no plugin serves two of them at once. */
  public static PlatformTalk any(Random random, String butFor) throws Exception {
    List<Platforms> all = List.of(Platforms.values());
    Platforms platform = all.get(random.nextInt(all.size()));
    String plugin = platform.name().split("_", 2)[0];
    return plugin.equalsIgnoreCase(butFor) ? any(random, butFor) : new PlatformTalk(platform);
  }

  /** The name of the platform's plugin. */
  public String plugin() {
    return world.plugin();
  }

  public void configure(Setup setup) throws IOException {
    Setup _ = setup.plugin(world.plugin());
    world.configure(setup);
  }

  /** From now on people write, and some responses to posts are lost. */
  public void begin(Random random) {
    world.loseAnswers(random, LOSE_PERCENT);
    people.start();
  }

  private void talk() {
    try {
      for (int i = 0; ; i++) {
        int person = i % PEOPLE;
        String text = "message " + i;
        said.add(new Said(person, text, world.say(person, text)));
        Thread.sleep(EVERY); // how fast people write: nothing is waited for
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How many messages. */
  public int said() {
    return said.size();
  }

  /** A question to somebody who writes nothing else, where posts have buttons. */
  public Optional<ClickKills.Question> question(ServerRig rig, Path board) throws IOException {
    return world instanceof ButtonWorld buttons
        ? Optional.of(PlatformQuestion.asked(rig, buttons, PEOPLE + asked++, board))
        : Optional.empty();
  }

  /** Nobody writes any more. */
  public void stop() throws InterruptedException {
    people.interrupt();
    people.join();
  }

  public void judge(ServerRig rig, CampaignLedger ledger) throws IOException {
    Await.until(platform + ": all is taken", ANSWERED_WITHIN, world::isAllTaken);
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
      assertThat(posts).as("%s: %s", each, event).isLessThanOrEqualTo(1 + unknowns);
      if (platform.findsPosts() || unknowns == 0) {
        assertThat(posts).as("%s: %s", each, event).isOne();
      }
      unknown += unknowns;
      silent += posts == 0 ? 1 : 0;
    }
    for (int person = 0; person < PEOPLE; person++) {
      assertInOrder(person);
    }
    ledger.with(
        platform.name(),
        Map.of("said", said.size(), "posts_of_unknown_outcome", unknown, "never_seen", silent));
  }

  private static int unknowns(JsonNode event) {
    int all = 0;
    for (JsonNode reply : event.path("replies")) {
      all += reply.path("unknowns").asInt();
    }
    return all;
  }

  /** By the first post of each answer: one that came again may come later. */
  private void assertInOrder(int person) {
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
    assertThat(first).as("%s, person %d", platform, person).isEqualTo(expected);
  }

  @Override
  public void close() {
    people.interrupt();
    world.close();
  }
}
