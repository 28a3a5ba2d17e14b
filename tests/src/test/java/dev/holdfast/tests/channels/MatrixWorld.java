package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.HomeserverDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Setup;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Matrix, by {@code /sync} or with an application service. */
final class MatrixWorld implements ChatWorld {
  private static final Duration BEGUN_WITHIN = Duration.ofSeconds(30);
  private static final String HS_TOKEN = "canary-of-the-homeserver";

  private final HomeserverDouble homeserver;
  private final boolean isPushed;

  MatrixWorld(boolean isPushed) throws Exception {
    this.isPushed = isPushed;
    homeserver = new HomeserverDouble();
  }

  @Override
  public String plugin() {
    return "matrix";
  }

  @Override
  public void configure(Setup setup) {
    Map<String, Object> account = new LinkedHashMap<>(EVERYBODY);
    account.put("access_token", HomeserverDouble.TOKEN);
    if (isPushed) {
      account.put("mode", "appservice");
      account.put("hs_token", HS_TOKEN);
      homeserver.pushTo(setup.url("/webhooks/matrix/main"), HS_TOKEN);
    }
    setup
        .set("channels.matrix.base_url", homeserver.url())
        .setNamed("channels.matrix.accounts", "main", account);
  }

  /** What was said before the account was first used is not answered. */
  @Override
  public String say(int person, String text) {
    if (!isPushed) {
      Await.until("it listens", BEGUN_WITHIN, () -> homeserver.asked("/sync").size() > 1);
    }
    String user = "@person" + person + ":hs.example";
    return homeserver.say(homeserver.room("room" + person, user), user, text);
  }

  @Override
  public List<String> shown(int person) {
    return homeserver.shown("!room" + person + ":hs.example");
  }

  @Override
  public boolean isAllTaken() {
    return homeserver.isAllTaken();
  }

  @Override
  public void loseAnswers(Random random, int percent) {
    homeserver.loseAnswers(random, percent);
  }

  @Override
  public void close() {
    homeserver.close();
  }
}
