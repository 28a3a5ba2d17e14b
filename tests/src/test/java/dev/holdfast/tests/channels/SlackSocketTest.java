package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.SlackDouble;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled plugin over Socket Mode, in the real server, against a double of Slack. */
@Timeout(240)
class SlackSocketTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** The server looks for a lost reply after a minute. */
  private static final Duration LOOK_UP = Duration.ofSeconds(100);

  private static final int KILLS = 3;

  private SlackDouble slack;
  private ServerRig rig;

  @BeforeEach
  void open() throws Exception {
    slack = new SlackDouble();
    rig = new ServerRig();
    rig.setup()
        .plugin("slack")
        .set("channels.slack.base_url", slack.baseUrl())
        .setNamed(
            "channels.slack.accounts",
            "main",
            Map.of(
                "bot_token", SlackDouble.BOT_TOKEN,
                "app_token", SlackDouble.APP_TOKEN,
                "allow", Map.of("users", List.of("*"))));
    rig.start();
  }

  @AfterEach
  void close() throws Exception {
    rig.close();
    slack.close();
  }

  private void awaitTexts(List<String> texts) {
    Await.until(
        "the answers stand there once each: " + texts,
        LIMIT,
        () -> slack.texts().equals(texts) && slack.isAllAcknowledged());
  }

  @Test
  void whatTheServerDidNotTakeComesAgainAndIsAnsweredOnce() {
    Await.until("a socket is open", LIMIT, slack::hasSocket);
    List<String> answers = new ArrayList<>();
    slack.say("hello");
    answers.add("echo: hello");
    awaitTexts(answers);
    int deliveries = slack.deliveries();
    rig.server().suspend(); // it is delivered, and not even read
    kill("message 0", Duration.ZERO, answers);
    assertThat(slack.deliveries()).as("it came again").isGreaterThan(deliveries + 1);
    for (int i = 1; i <= KILLS; i++) {
      // Somewhere between delivery, commit and acknowledgement.
      kill("message " + i, Duration.ofMillis(4L * (i - 1)), answers);
    }
    assertThat(slack.texts()).containsExactlyInAnyOrderElementsOf(answers);
    slack.refresh();
    slack.say("after a refresh");
    answers.add("echo: after a refresh");
    Await.until("it is answered", LIMIT, () -> slack.texts().containsAll(answers));
    assertThat(slack.texts()).hasSameSizeAs(answers);
  }

  private void kill(String text, Duration after, List<String> answers) {
    slack.say(text);
    Await.pause(after);
    rig.restart();
    answers.add("echo: " + text);
    Await.until(
        "it is answered",
        LOOK_UP, // if the kill cut off a post
        () -> slack.isAllAcknowledged() && slack.texts().containsAll(answers));
  }

  @Test
  void aReplyWhoseAnswerWasLostIsFoundInTheHistory() throws Exception {
    Await.until("a socket is open", LIMIT, slack::hasSocket);
    slack.loseNextAnswer();
    slack.say("hello");
    Await.until("it was looked for", LOOK_UP, () -> slack.lookUps() > 0);
    slack.say("and now");
    awaitTexts(List.of("echo: hello", "echo: and now"));
  }

  @Test
  void whatWasSaidWhileNobodyListenedIsAskedForAndAnswered() throws Exception {
    Await.until("a socket is open", LIMIT, slack::hasSocket);
    slack.say("hello");
    awaitTexts(List.of("echo: hello"));
    Await.until("it is noted up to where it was read", LIMIT, () -> !positions().isEmpty());
    assertThat(rig.server().stop()).isZero();
    slack.sayUnheard("while you were away");
    slack.sayUnheard("and once more");
    longAgo();
    rig.start();
    awaitTexts(List.of("echo: hello", "echo: while you were away", "echo: and once more"));
    rig.api().awaitQuiet(LIMIT); // a reply that a kill cuts off is looked for a minute later
    rig.restart();
    slack.say("back");
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

  @Test
  void aRevokedTokenIsNamedAndNoLoop() {
    awaitRefusal("token_revoked", "(AUTH)", "token_revoked");
  }

  @Test
  void aWorkspaceThatHasRemovedTheAppIsNamedAndNoLoop() {
    awaitRefusal("account_inactive", "(AUTH)", "account_inactive");
  }

  /** The condition names the code, the log what Slack said. */
  private void awaitRefusal(String error, String code, String words) {
    Await.until("a socket is open", LIMIT, slack::hasSocket);
    int before = slack.calls();
    slack.refuseAll(error);
    Await.until(
        code + " " + words,
        LIMIT,
        () ->
            rig.api().get("/api/v1/conditions").body().contains(code)
                && rig.server().output().contains(words));
    Await.pause(Duration.ofSeconds(5));
    assertThat(slack.calls() - before).isLessThan(40);
    assertThat(rig.server().output())
        .doesNotContain(SlackDouble.BOT_TOKEN)
        .doesNotContain(SlackDouble.APP_TOKEN);
  }

  @Test
  void aLimitOfAnHourIsWaitedForInSilenceAndTold() {
    Await.until("a socket is open", LIMIT, slack::hasSocket);
    slack.limitPosts(Duration.ofHours(1));
    slack.say("hello");
    Await.until("it was refused", LIMIT, () -> slack.calls() > 3);
    Await.until(
        "the operator is told",
        LIMIT,
        () -> rig.api().get("/api/v1/conditions").body().contains("threads_asked_to_wait"));
    int before = slack.calls();
    Await.pause(Duration.ofSeconds(10));
    assertThat(slack.calls() - before).isLessThan(5);
  }
}
