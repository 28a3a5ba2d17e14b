package dev.holdfast.tests.channels;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A server with the bundled jar of Mattermost in its folder of plugins. */
final class MattermostSetup {
  static final Duration LIMIT = Duration.ofSeconds(30);

  private MattermostSetup() {}

  /** Started, and connected. */
  static ServerRig with(MattermostDouble mattermost) throws IOException {
    return with(mattermost, Map.of(), _ -> {});
  }

  /**
   * @param more keys of the account
   * @param configured what else is configured
   */
  static ServerRig with(
      MattermostDouble mattermost, Map<String, ?> more, Consumer<Setup> configured)
      throws IOException {
    ServerRig rig = new ServerRig();
    Map<String, Object> account = new LinkedHashMap<>(more);
    account.put("url", mattermost.url());
    account.put("token", "${BOT_TOKEN}");
    account.put("allow", Map.of("users", List.of(MattermostDouble.ANN)));
    rig.setup()
        .env("BOT_TOKEN", MattermostDouble.BOT_TOKEN)
        .plugin("mattermost")
        .setNamed("channels.mattermost.accounts", "main", account);
    configured.accept(rig.setup());
    rig.start();
    Await.until("a socket is open", LIMIT, mattermost::hasSocket);
    return rig;
  }
}
