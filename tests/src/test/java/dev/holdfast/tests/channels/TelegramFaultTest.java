package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.TelegramSetup.ANN;
import static dev.holdfast.tests.channels.TelegramSetup.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.kit.testing.BotApiDouble.Harm;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Telegram refuses, loses and withdraws. */
@Timeout(90)
@Outside(
    covers = {
      "plugins/telegram/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class TelegramFaultTest {
  private final BotApiDouble api = new BotApiDouble();

  @Test
  void aLimitDelaysAReplyAndALostAnswerPostsNoSecondOneAtOnce() throws Exception {
    try (api;
        ServerRig rig = TelegramSetup.polling(api.url())) {
      int[] limits = {2};
      api.harm(Harm.LIMIT, call -> call.method().equals("sendMessage") && limits[0]-- > 0);
      String limited = api.say(ANN, "limited");
      rig.api().awaitState(limited, ServerApi.FINAL, LIMIT);
      api.awaitShown(ANN, "limited", LIMIT);
      rig.api().awaitQuiet(LIMIT);
      assertThat(api.shown(ANN, "limited")).hasSize(1);
      api.harm(Harm.LOSE_ANSWER, call -> call.method().equals("sendMessage"));
      String lost = api.say(78, "lost");
      Await.until(
          "its answer is lost",
          LIMIT,
          () -> rig.api().event(lost).path("replies").path(0).path("unknowns").asInt() == 1);
      assertThat(api.shown(78, "lost")).hasSize(1);
    }
  }

  @Test
  void anotherPollerThatGoesAwayIsWaitedForAndOneThatStaysIsNamed() throws Exception {
    try (api;
        ServerRig rig = TelegramSetup.polling(api.url())) {
      AtomicInteger polls = new AtomicInteger();
      api.harm(
          Harm.CONFLICT,
          call -> call.method().equals("getUpdates") && polls.incrementAndGet() <= 2);
      api.say(ANN, "a restart elsewhere");
      api.awaitShown(ANN, "a restart elsewhere", LIMIT);
      api.harm(
          Harm.CONFLICT, call -> call.method().equals("getUpdates") && polls.incrementAndGet() > 0);
      awaitCondition(rig, "(INVALID_REQUEST)", "another process polls with this token: stop it");
      assertThat(polls.get()).isLessThan(25);
    }
  }

  @Test
  void aRevokedTokenIsNamedWithoutIt() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    api.harm(Harm.REVOKE, _ -> asked.incrementAndGet() > 0);
    try (api;
        ServerRig rig = TelegramSetup.polling(api.url())) {
      awaitCondition(rig, "(AUTH)", "the token is not valid");
      assertThat(asked.get()).isLessThan(20);
      assertThat(rig.server().output()).doesNotContain(BotApiDouble.TOKEN);
    }
  }

  /** The condition names the code, the log says what to do. */
  private static void awaitCondition(ServerRig rig, String code, String words) {
    Await.until(
        code + " " + words,
        LIMIT,
        () ->
            rig.api().get("/api/v1/conditions").body().contains(code)
                && rig.server().output().contains(words));
  }
}
