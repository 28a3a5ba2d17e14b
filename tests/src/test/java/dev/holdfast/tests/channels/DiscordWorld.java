package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.Card;
import dev.holdfast.kit.testing.DiscordDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Setup;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Discord, by the Gateway. */
final class DiscordWorld implements ButtonWorld {
  private static final Duration CONNECTED_WITHIN = Duration.ofMinutes(2);

  private final DiscordDouble discord;

  DiscordWorld() throws Exception {
    discord = new DiscordDouble();
  }

  @Override
  public String plugin() {
    return "discord";
  }

  @Override
  public void configure(Setup setup) {
    serve(setup, discord.baseUrl().replace("/api/v10", ""));
  }

  /** For whatever is there. */
  static void serve(Setup setup, String origin) {
    Map<String, Object> account = new LinkedHashMap<>(EVERYBODY);
    account.put("bot_token", DiscordDouble.TOKEN);
    setup
        .set("channels.discord.base_url", origin + "/api/v10")
        .setNamed("channels.discord.accounts", "main", account);
  }

  @Override
  public String say(int person, String text) {
    Await.until("Discord knows the bot", CONNECTED_WITHIN, discord::hasSession);
    return discord.say(person, text);
  }

  @Override
  public List<String> shown(int person) {
    return discord.shown(person);
  }

  @Override
  public String thread(int person) {
    return "8" + person;
  }

  @Override
  public String id(int person) {
    return "9" + person;
  }

  @Override
  public String name(int person) {
    return "ann";
  }

  @Override
  public List<Card> cards(int person) {
    return discord.cards(person);
  }

  @Override
  public String press(int person, Card card, String label) {
    return discord.press(person, card, label);
  }

  @Override
  public Optional<String> told(int person, String press) {
    return discord.answer(press);
  }

  @Override
  public boolean isAllTaken() {
    return discord.isAllTaken();
  }

  @Override
  public void loseAnswers(Random random, int percent) {
    discord.loseAnswers(random, percent);
  }

  @Override
  public void close() {
    discord.close();
  }
}
