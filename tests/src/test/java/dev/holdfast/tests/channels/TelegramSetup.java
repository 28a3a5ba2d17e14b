package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A server with the bundled jar of Telegram in its folder of plugins. */
final class TelegramSetup {
  static final Duration LIMIT = Duration.ofSeconds(25);
  static final long ANN = 77;

  private TelegramSetup() {}

  /** Started, and the channel is there. */
  static ServerRig polling(String apiUrl) {
    return with(apiUrl, Map.of());
  }

  static ServerRig withWebhook(BotApiDouble api) {
    return with(api.url(), Map.of("mode", "webhook"));
  }

  private static ServerRig with(String apiUrl, Map<String, ?> more) {
    ServerRig rig = new ServerRig();
    Setup _ = configure(rig, apiUrl, more);
    rig.start();
    rig.api().awaitChannel("telegram");
    return rig;
  }

  /** {@code more}: settings of its one account; with any, its webhook leads to the rig. */
  static Setup configure(ServerRig rig, String apiUrl, Map<String, ?> more) {
    Map<String, Object> account = new LinkedHashMap<>(more);
    account.put("token", "${BOT_TOKEN}");
    account.put(
        "allow", Map.of("users", List.of(Long.toString(ANN), "78"), "chats", List.of("-100")));
    rig.setup()
        .env("BOT_TOKEN", BotApiDouble.TOKEN)
        .set("channels.telegram.base_url", apiUrl)
        .set("channels.telegram.poll_secs", 2)
        .set("channels.telegram.accounts.main", account);
    if (!more.isEmpty()) {
      rig.setup().set("channels.telegram.public_url", rig.setup().url(""));
    }
    return rig.setup().plugin("telegram");
  }
}
