package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.Card;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ClickKills;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A question in the conversation with one person. */
final class PlatformQuestion implements ClickKills.Question {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final ButtonWorld world;
  private final int person;
  private final Card card;
  private final Path runs;
  private volatile String press = "";

  private PlatformQuestion(ButtonWorld world, int person, Card card, Path runs) {
    this.world = world;
    this.person = person;
    this.card = card;
    this.runs = runs;
  }

  /** Somebody asks for a call of the board's tool; what is asked back is known to have arrived. */
  static PlatformQuestion asked(ServerRig rig, ButtonWorld world, int person, Path board)
      throws IOException {
    String name = world.plugin() + "-" + person;
    String key = world.say(person, ShellRig.call("stamp", Map.of("name", name)));
    Card card =
        Await.value(
            "a question to person " + person,
            LIMIT,
            () ->
                world.cards(person).stream().filter(each -> !each.tokens().isEmpty()).findFirst());
    Await.until("it is known that it arrived", LIMIT, () -> isSent(rig, key));
    return new PlatformQuestion(world, person, card, board.resolve("runs").resolve(name));
  }

  private static boolean isSent(ServerRig rig, String key) throws IOException {
    List<String> states = rig.api().event(key).path("replies").findValuesAsText("state");
    return !states.isEmpty() && states.stream().allMatch("sent"::equalsIgnoreCase);
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
