package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.GraphApiDouble;
import dev.holdfast.kit.testing.HttpDouble.Said;
import dev.holdfast.tests.harness.Setup;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** WhatsApp, by its webhook. */
final class WhatsAppWorld implements ChatWorld {
  private final GraphApiDouble meta = new GraphApiDouble();

  @Override
  public String plugin() {
    return "whatsapp";
  }

  @Override
  public void configure(Setup setup) {
    Map<String, Object> account = new LinkedHashMap<>(EVERYBODY);
    account.put("token", GraphApiDouble.TOKEN);
    account.put("app_secret", GraphApiDouble.APP_SECRET);
    account.put("verify_token", WhatsAppSetup.VERIFY_TOKEN);
    account.put("phone_number_id", GraphApiDouble.NUMBER);
    setup
        .set("channels.whatsapp.base_url", meta.url())
        .set("channels.whatsapp.accounts.main", account);
    meta.deliverTo(setup.url("/webhooks/whatsapp/main"));
  }

  private static String id(int person) {
    return "US." + (100 + person);
  }

  @Override
  public String say(int person, String text) {
    return meta.say(id(person), text);
  }

  @Override
  public List<String> shown(int person) {
    return meta.texts(id(person));
  }

  @Override
  public boolean isAllTaken() {
    return meta.isAllDelivered();
  }

  @Override
  public void loseAnswers(Random random, int percent) {
    meta.harm(Said.nothing(), true, _ -> random.nextInt(100) < percent);
  }

  @Override
  public void close() {
    meta.close();
  }
}
