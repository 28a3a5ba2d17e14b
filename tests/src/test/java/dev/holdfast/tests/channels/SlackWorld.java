package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.Card;
import dev.holdfast.kit.testing.SlackDouble;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Slack, by its sockets. */
final class SlackWorld implements ButtonWorld {
  private final SlackDouble slack;

  SlackWorld() throws Exception {
    slack = new SlackDouble();
  }

  @Override
  public String plugin() {
    return "slack";
  }

  @Override
  public void configure(Setup setup) {
    serve(setup, slack.baseUrl().replace("/api", ""));
  }

  /** For whatever is there. */
  static void serve(Setup setup, String origin) {
    Map<String, Object> account = new LinkedHashMap<>(EVERYBODY);
    account.put("bot_token", SlackDouble.BOT_TOKEN);
    account.put("app_token", SlackDouble.APP_TOKEN);
    setup
        .set("channels.slack.base_url", origin + "/api")
        .setNamed("channels.slack.accounts", "main", account);
  }

  @Override
  public String say(int person, String text) {
    return slack.say(person, text);
  }

  @Override
  public List<String> shown(int person) {
    return slack.shown(person);
  }

  @Override
  public String thread(int person) {
    return "D" + person;
  }

  @Override
  public String id(int person) {
    return "U" + person;
  }

  @Override
  public String name(int person) {
    return id(person);
  }

  @Override
  public List<Card> cards(int person) {
    return slack.cards(person);
  }

  @Override
  public String press(int person, Card card, String label) throws IOException {
    String told = Integer.toString(slack.whispers(person).size());
    if (!slack.press(person, card, label)) {
      throw new IOException("Slack shows an error: the app has no socket");
    }
    return told;
  }

  /** A whisper names no press: the next one is meant. */
  @Override
  public Optional<String> told(int person, String press) {
    return slack.whispers(person).stream().skip(Integer.parseInt(press)).findFirst();
  }

  @Override
  public boolean isAllTaken() {
    return slack.isAllAcknowledged();
  }

  @Override
  public void loseAnswers(Random random, int percent) {
    slack.loseAnswers(random, percent);
  }

  @Override
  public void close() {
    slack.close();
  }
}
