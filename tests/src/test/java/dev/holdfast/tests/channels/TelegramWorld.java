package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.kit.testing.BotApiDouble.Harm;
import dev.holdfast.kit.testing.Card;
import dev.holdfast.tests.harness.Setup;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Telegram, polled or by its webhook. */
final class TelegramWorld implements ButtonWorld {
  private static final int FIRST_PERSON = 100;

  private final BotApiDouble api = new BotApiDouble();
  private final boolean byWebhook;

  TelegramWorld(boolean byWebhook) {
    this.byWebhook = byWebhook;
  }

  @Override
  public String plugin() {
    return "telegram";
  }

  @Override
  public void configure(Setup setup) {
    serve(setup, api.url(), byWebhook);
  }

  /** For whatever is there. */
  static void serve(Setup setup, String origin, boolean byWebhook) {
    Map<String, Object> account = new LinkedHashMap<>(EVERYBODY);
    account.put("token", BotApiDouble.TOKEN);
    account.put("mode", byWebhook ? "webhook" : "poll");
    setup
        .set("channels.telegram.base_url", origin)
        .set("channels.telegram.poll_secs", 2)
        .set("channels.telegram.accounts.main", account);
    if (byWebhook) {
      setup.set("channels.telegram.public_url", setup.url(""));
    }
  }

  @Override
  public String say(int person, String text) {
    return api.say(FIRST_PERSON + person, text);
  }

  @Override
  public List<String> shown(int person) {
    return api.shown(FIRST_PERSON + person, "").stream().map(BotApiDouble.Call::text).toList();
  }

  @Override
  public String thread(int person) {
    return id(person);
  }

  @Override
  public String id(int person) {
    return Integer.toString(FIRST_PERSON + person);
  }

  @Override
  public String name(int person) {
    return "Person " + id(person);
  }

  @Override
  public List<Card> cards(int person) {
    return api.cards(FIRST_PERSON + person);
  }

  @Override
  public String press(int person, Card card, String label) {
    return api.press(FIRST_PERSON + person, card, label);
  }

  @Override
  public Optional<String> told(int person, String press) {
    return api.calls("answerCallbackQuery").stream()
        .filter(call -> press.equals(call.parameters().get("callback_query_id")))
        .map(BotApiDouble.Call::text)
        .findFirst();
  }

  @Override
  public boolean isAllTaken() {
    return api.unconfirmed() == 0;
  }

  @Override
  public void loseAnswers(Random random, int percent) {
    api.harm(
        Harm.LOSE_ANSWER,
        call -> call.method().equals("sendMessage") && random.nextInt(100) < percent);
  }

  @Override
  public void close() {
    api.close();
  }
}
