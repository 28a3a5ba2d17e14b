package dev.holdfast.tests.channels;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.BotApiDouble;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
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
  static ServerRig polling(String apiUrl) throws IOException {
    return with(apiUrl, Map.of());
  }

  static ServerRig withWebhook(BotApiDouble api) throws IOException {
    return with(api.url(), Map.of("mode", "webhook"));
  }

  private static ServerRig with(String apiUrl, Map<String, ?> more) throws IOException {
    ServerRig rig = new ServerRig();
    configure(rig, apiUrl, more);
    rig.start();
    awaitChannel(rig);
    return rig;
  }

  /** {@code more}: settings of its one account; with any, its webhook leads to the rig. */
  static void configure(ServerRig rig, String apiUrl, Map<String, ?> more) throws IOException {
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
    rig.setup().plugin("telegram");
  }

  static void awaitChannel(ServerRig rig) {
    Await.until(
        "the channel is there",
        LIMIT,
        () -> {
          String plugins = rig.api().get("/api/v1/plugins").body();
          if (plugins.contains("\"parked\"")) {
            throw new AssertionError(plugins);
          }
          return plugins.contains("channel telegram");
        });
  }
}
