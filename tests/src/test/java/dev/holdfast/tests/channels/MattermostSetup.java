package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.MattermostDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A server with the bundled jar of Mattermost in its folder of plugins. */
final class MattermostSetup {
  static final Duration LIMIT = Duration.ofSeconds(30);

  /** Ann alone is answered. */
  static final Map<String, ?> ANN = Map.of("users", List.of(MattermostDouble.ANN));

  private MattermostSetup() {}

  /** Started, and connected. */
  static ServerRig with(MattermostDouble mattermost) {
    ServerRig rig = new ServerRig();
    configure(rig.setup(), mattermost, ANN, Map.of());
    rig.start();
    awaitSocket(mattermost);
    return rig;
  }

  /**
   * Makes a server serve it.
   *
   * @param allow who is answered
   * @param more keys of the account
   */
  static Setup configure(
      Setup setup, MattermostDouble mattermost, Map<String, ?> allow, Map<String, ?> more) {
    Map<String, Object> account = new LinkedHashMap<>(more);
    account.put("url", mattermost.url());
    account.put("token", "${BOT_TOKEN}");
    account.put("allow", allow);
    return setup
        .env("BOT_TOKEN", MattermostDouble.BOT_TOKEN)
        .plugin("mattermost")
        .setNamed("channels.mattermost.accounts", "main", account);
  }

  static void awaitSocket(MattermostDouble mattermost) {
    Await.until("a socket is open", LIMIT, mattermost::hasSocket);
  }
}
