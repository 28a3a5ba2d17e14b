package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.SlackDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled plugin over Socket Mode, in the real server, against a double of Slack. */
@Timeout(240)
@Outside(
    covers = {
      "plugins/slack/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class SlackSocketTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** The server looks for a lost reply after a minute. */
  private static final Duration LOOK_UP = Duration.ofSeconds(100);

  private static final int KILLS = 3;

  private static final SlackDouble SLACK = new SlackDouble();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              rig.setup()
                  .timeScale(5)
                  .plugin("slack")
                  .set("channels.slack.base_url", SLACK.baseUrl())
                  .setNamed(
                      "channels.slack.accounts",
                      "main",
                      Map.of(
                          "bot_token", SlackDouble.BOT_TOKEN,
                          "app_token", SlackDouble.APP_TOKEN,
                          "allow", Map.of("users", List.of("*")))));

  private ServerRig rig;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    SLACK.reset();
    Await.until("a socket is open", LIMIT, SLACK::hasSocket);
  }

  @AfterAll
  static void close() {
    SLACK.close();
  }

  private void awaitTexts(List<String> texts) {
    Await.until(
        "the answers stand there once each: " + texts,
        LIMIT,
        () -> SLACK.texts().equals(texts) && SLACK.isAllAcknowledged());
  }

  @Test
  void whatTheServerDidNotTakeComesAgainAndIsAnsweredOnce() {
    List<String> answers = new ArrayList<>();
    SLACK.say("hello");
    answers.add("echo: hello");
    awaitTexts(answers);
    int deliveries = SLACK.deliveries();
    rig.api().awaitQuiet(LIMIT); // otherwise its answer may be posted again
    rig.server().suspend(); // it is delivered, and not even read
    kill("message 0", Duration.ZERO, answers);
    assertThat(SLACK.deliveries()).as("it came again").isGreaterThan(deliveries + 1);
    for (int i = 1; i <= KILLS; i++) {
      // Somewhere between delivery, commit and acknowledgement.
      kill("message " + i, Duration.ofMillis(4L * (i - 1)), answers);
    }
    assertThat(SLACK.texts()).containsExactlyInAnyOrderElementsOf(answers);
    SLACK.refresh();
    SLACK.say("after a refresh");
    answers.add("echo: after a refresh");
    Await.until("it is answered", LIMIT, () -> SLACK.texts().containsAll(answers));
    assertThat(SLACK.texts()).hasSameSizeAs(answers);
  }

  private void kill(String text, Duration after, List<String> answers) {
    SLACK.say(text);
    Await.pause(after);
    rig.restart();
    answers.add("echo: " + text);
    Await.until(
        "it is answered",
        LOOK_UP, // if the kill cut off a post
        () -> SLACK.isAllAcknowledged() && SLACK.texts().containsAll(answers));
    rig.api().awaitQuiet(LIMIT);
  }

  @Test
  void whatWasSaidWhileNobodyListenedIsAskedForAndAnswered() throws Exception {
    String _ = SLACK.say(7, "hello");
    awaitTexts(List.of("echo: hello"));
    Await.until("it is noted up to where it was read", LIMIT, () -> positions().contains("\"D7\""));
    assertThat(rig.server().stop()).isZero();
    SLACK.sayUnheard("while you were away");
    SLACK.sayUnheard("and once more");
    longAgo();
    rig.start();
    awaitTexts(List.of("echo: hello", "echo: while you were away", "echo: and once more"));
    rig.api().awaitQuiet(LIMIT); // a reply that a kill cuts off is looked for a minute later
    rig.restart();
    SLACK.say("back");
    awaitTexts(
        List.of("echo: hello", "echo: while you were away", "echo: and once more", "echo: back"));
  }

  private String positions() throws SQLException {
    try (Connection connection = database();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "select coalesce(max(position), '') from channels_positions"
                    + " where position like '%\"D%'")) {
      return row.next() ? row.getString(1) : "";
    }
  }

  /** As if the server had been down for an hour. */
  private void longAgo() throws SQLException {
    String position = positions();
    long heard = Json.read(position).path("heard").asLong();
    try (Connection connection = database();
        PreparedStatement update =
            connection.prepareStatement("update channels_positions set position = ?")) {
      update.setString(1, position.replace(Long.toString(heard), Long.toString(heard - 3_600_000)));
      assertThat(update.executeUpdate()).isOne();
    }
  }

  private Connection database() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:sqlite:" + rig.setup().dataDir().resolve("holdfast.db"));
  }
}
