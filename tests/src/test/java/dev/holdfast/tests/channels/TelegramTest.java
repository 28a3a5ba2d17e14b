package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.TelegramSetup.ANN;
import static dev.holdfast.tests.channels.TelegramSetup.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.kit.testing.BotApiDouble.Call;
import dev.holdfast.kit.testing.BotApiDouble.Harm;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.KeptDrafts;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled channel in the real server, with a Bot API that does harm. */
@Timeout(90)
@Outside(
    covers = {
      "plugins/telegram/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class TelegramTest {
  private static final Set<String> TEXTS = Set.of("sendMessage", "editMessageText");

  private static final BotApiDouble API = new BotApiDouble();

  @RegisterExtension
  static final Served SERVED =
      Served.alone(
          rig ->
              TelegramSetup.configure(rig, API.url(), Map.of()).set("tools.shell.enabled", true));

  private ServerRig rig;

  @BeforeEach
  void open() {
    rig = SERVED.rig();
    rig.api().awaitChannel("telegram");
    API.reset();
  }

  @AfterAll
  static void close() {
    API.close();
  }

  private static void assertNoToken(ServerRig rig) {
    assertThat(rig.server().output()).doesNotContain(BotApiDouble.TOKEN);
  }

  private static Map<String, ?> mention(int length) {
    return Map.of("entities", List.of(Map.of("type", "mention", "offset", 0, "length", length)));
  }

  @Test
  void aPersonIsAnsweredInAPrivateChatAndAGroup() throws Exception {
    API.say(ANN, "good morning");
    Call answer = API.awaitShown(ANN, "good morning", LIMIT);
    assertThat(answer.parameters()).containsEntry("parse_mode", "HTML");
    String key = API.sayInGroup(ANN, -100, "@HoldfastBot good evening", mention(12));
    Call inGroup = API.awaitShown(-100, "good evening", LIMIT);
    assertThat(Json.of(inGroup.parameters()).path("reply_parameters").path("message_id").asText())
        .isEqualTo(key.substring(key.indexOf(':') + 1));
    assertThat(inGroup.text()).doesNotContain("@HoldfastBot");
    Await.until("all is confirmed", LIMIT, () -> API.unconfirmed() == 0);
    assertNoToken(rig);
  }

  /** 80 in a minute are more than the limit of 30, and 80 in 13 minutes are not. */
  @Test
  void whoWroteMuchDuringAnOutageIsAnsweredInAll() throws Exception {
    rig.server().kill9();
    Instant began = Instant.now().minus(Duration.ofMinutes(15));
    List<String> spread = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      spread.add(API.sayAt(began.plusSeconds(10L * i), ANN, "missed " + i));
      API.sayAt(began.plusMillis(500L * i), 78, "flood " + i);
    }
    rig.start();
    for (String key : spread) {
      rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
    }
    rig.api().awaitQuiet(LIMIT);
    assertThat(rig.metrics().sum("holdfast_messages_filtered_total", "reason=\"too_many\""))
        .isEqualTo(50);
    assertThat(API.shown(ANN, "missed 79")).hasSize(1);
    assertThat(API.shown(78, "flood 29")).hasSize(1);
    assertThat(API.shown(78, "flood 30")).isEmpty();
  }

  @Test
  void whatWasDeliveredAndNotConfirmedComesAgainAndIsAnsweredOnce() throws Exception {
    long confirmed =
        offset(Await.value("a poll", LIMIT, () -> API.calls("getUpdates").stream().findFirst()));
    // The next offset never arrives: a crash between the commit and the next poll.
    API.harm(Harm.HANG, call -> call.method().equals("getUpdates") && offset(call) > confirmed);
    String first = API.say(ANN, "before the crash");
    rig.api().awaitState(first, ServerApi.FINAL, LIMIT);
    rig.api().awaitQuiet(LIMIT);
    rig.server().kill9();
    API.heal();
    assertThat(API.unconfirmed()).isEqualTo(1);
    String second = API.say(78, "during the outage");
    rig.start();
    rig.api().awaitState(second, ServerApi.FINAL, LIMIT);
    Await.until("all is confirmed", LIMIT, () -> API.unconfirmed() == 0);
    rig.api().awaitQuiet(LIMIT);
    assertThat(API.shown(ANN, "before the crash")).hasSize(1);
    assertThat(API.shown(78, "during the outage")).hasSize(1);
  }

  private static long offset(Call poll) {
    return JsonText.whole(poll.parameters(), "offset", 0);
  }

  @Test
  void inAGroupADraftBecomesTheReplyAlsoWhenTheServerIsKilledBetween() throws Exception {
    String text = "@HoldfastBot " + ShellRig.command("sleep 6; echo done");
    String key = API.sayInGroup(ANN, -100, text, mention(12));
    Await.until("a draft is kept", LIMIT, () -> KeptDrafts.of(rig).contains("-100"));
    rig.restart();
    rig.api().awaitState(key, ServerApi.FINAL, LIMIT);
    rig.api().awaitQuiet(LIMIT);
    List<Call> written = TEXTS.stream().flatMap(method -> API.calls(method).stream()).toList();
    assertThat(written).allMatch(call -> call.chat().equals("-100"));
    assertThat(API.calls("sendMessage")).hasSize(1);
    assertThat(API.calls("editMessageText").getLast().text()).doesNotContain("<i>");
  }

  /** The condition names the code, the log says what to do. */
  @Test
  void aRevokedTokenIsNamedWithoutIt() {
    AtomicInteger asked = new AtomicInteger();
    API.harm(Harm.REVOKE, _ -> asked.incrementAndGet() > 0);
    Await.until(
        "it is named",
        LIMIT,
        () ->
            rig.api().get("/api/v1/conditions").body().contains("(AUTH)")
                && rig.server().output().contains("the token is not valid"));
    assertThat(asked.get()).isLessThan(20);
    assertNoToken(rig);
    API.heal();
    rig.restart(); // or it would be minutes until it asks again
  }
}
