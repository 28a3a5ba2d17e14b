package dev.holdfast.tests.channels;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Card;
import dev.holdfast.tests.harness.ClickKills;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 between the press of a platform's own button and its effect. How often on each: {@code
 * -Dholdfast.click_kills}; the same run again: {@code -Dholdfast.seed}.
 */
@OnlyInFull(shortForm = "KillCampaignTest")
@Timeout(7200)
@Execution(ExecutionMode.CONCURRENT)
class ChannelClickKillTest {
  private static final int KILLS = RunLength.of("holdfast.click_kills", 3, 67);
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @ParameterizedTest
  @EnumSource(names = {"TELEGRAM_POLL", "SLACK_SOCKET", "DISCORD_GATEWAY"})
  void decidedOnceRunAtMostOnceAndThePostSaysSo(Platforms platform) throws Exception {
    Path board = ServerRig.newFolder("holdfast-board");
    try (ButtonWorld world = (ButtonWorld) platform.open();
        ServerRig rig = new ServerRig()) {
      rig.setup()
          .plugin(world.plugin())
          .set("tools.autonomy", "supervised")
          .set("channels.board.folder", board.toString());
      CompiledPlugin.ofResource("board", "Board").into(rig.folder().resolve("plugins"));
      world.configure(rig.setup());
      rig.start();
      ClickKills kills =
          new ClickKills(
              rig, platform.toString(), Long.getLong("holdfast.seed", System.nanoTime()));
      for (int person = 0; person < KILLS; person++) {
        PlatformQuestion question = asked(world, person, board);
        Await.until(
            "the server knows that it arrived",
            LIMIT,
            () -> rig.api().status().path("outbox_depth").asInt() == 0);
        kills.round(question);
      }
      kills.end();
    } finally {
      ServerRig.delete(board);
    }
  }

  private static PlatformQuestion asked(ButtonWorld world, int person, Path board) {
    String name = "n-" + person;
    String _ = world.say(person, ShellRig.call("stamp", Map.of("name", name)));
    Card card =
        Await.value(
            "a question to person " + person,
            LIMIT,
            () ->
                world.cards(person).stream().filter(each -> !each.tokens().isEmpty()).findFirst());
    return new PlatformQuestion(world, person, card, board.resolve("runs").resolve(name));
  }

  /** A question in the conversation with one person. */
  private static final class PlatformQuestion implements ClickKills.Question {
    private final ButtonWorld world;
    private final int person;
    private final Card card;
    private final Path runs;
    private volatile String press = "";

    PlatformQuestion(ButtonWorld world, int person, Card card, Path runs) {
      this.world = world;
      this.person = person;
      this.card = card;
      this.runs = runs;
    }

    @Override
    public String threadId() {
      return world.plugin() + ":main:" + world.thread(person);
    }

    @Override
    public String person() {
      return world.id(person);
    }

    @Override
    public String name() {
      return world.name(person);
    }

    /** Who is told nothing presses again, as soon as there is something to press. */
    @Override
    public void press(boolean yes) throws IOException {
      if (!press.isEmpty() && world.told(person, press).isPresent()) {
        return;
      }
      press = world.press(person, card, yes ? "Approve" : "Deny");
    }

    @Override
    public String told() {
      return Await.value("what became of " + press, LIMIT, () -> world.told(person, press));
    }

    @Override
    public int runs() throws IOException {
      return Files.exists(runs) ? Files.readAllLines(runs).size() : 0;
    }

    @Override
    public String settled() {
      return Await.value(
          "the post of " + person + " has no buttons",
          LIMIT,
          () ->
              world.cards(person).stream()
                  .filter(each -> each.id().equals(card.id()) && each.tokens().isEmpty())
                  .findFirst()
                  .map(Card::text));
    }
  }
}
