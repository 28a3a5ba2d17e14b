package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.MattermostDouble;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Mattermost, by slash commands alone: what stands in front of it need not pass sockets on. */
final class MattermostCommands implements ServedPlatform {
  private static final String SLASH = "canary-of-slash-commands";

  private final MattermostDouble mattermost;
  private final Http http = new Http();
  private String webhook = "";
  private int triggers;

  MattermostCommands() throws Exception {
    mattermost = new MattermostDouble();
  }

  @Override
  public String plugin() {
    return "mattermost";
  }

  @Override
  public String origin() {
    return mattermost.url();
  }

  @Override
  public synchronized void configure(Setup setup, String origin) {
    Map<String, Object> account = new LinkedHashMap<>(ChatWorld.EVERYBODY);
    account.put("url", origin);
    account.put("token", MattermostDouble.BOT_TOKEN);
    account.put("websocket", false);
    account.put("slash_token", SLASH);
    setup.setNamed("channels.mattermost.accounts", "main", account);
    webhook = setup.url("/webhooks/mattermost/main");
  }

  /** All people are Ann. */
  @Override
  public synchronized String say(int person, String text) throws IOException {
    triggers++;
    String trigger = "trigger" + triggers;
    Answer answer =
        http.post(
            webhook,
            Map.of(
                "content-type",
                "application/x-www-form-urlencoded",
                "authorization",
                "Token " + SLASH),
            "token=%s&channel_id=%s&user_id=%s&user_name=ann&trigger_id=%s&command=%%2Fask&text=%s"
                .formatted(SLASH, MattermostDouble.CHANNEL, MattermostDouble.ANN, trigger, text));
    if (answer.status() != 200) {
      throw new IOException("it was not taken: " + answer.status());
    }
    return trigger;
  }

  @Override
  public List<String> shown(int person) {
    return mattermost.texts();
  }

  @Override
  public void close() {
    mattermost.close();
  }
}
