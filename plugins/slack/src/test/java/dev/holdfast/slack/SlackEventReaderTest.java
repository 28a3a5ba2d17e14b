package dev.holdfast.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.JsonText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlackEventReaderTest {
  private static final String FORM = "application/x-www-form-urlencoded";

  @TempDir private Path folder;
  private SlackRig rig;

  @BeforeEach
  void start() {
    rig = SlackRig.events(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private InboundMessage read(Map<String, ?> event) throws InterruptedException {
    return ((WebhookVerdict.Messages) rig.receiveEvent(event)).messages().getFirst();
  }

  private void assertDropped(Map<String, ?> event, DropReason... reasons)
      throws InterruptedException {
    assertThat(rig.receiveEvent(event))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(reasons)));
  }

  private static Map<String, Object> with(Map<String, Object> event, String key, Object value) {
    event.put(key, value);
    return event;
  }

  private static Map<String, Object> hello() {
    return SlackRig.message("C1", "10.000001", "U1", "hello");
  }

  @Test
  void aMessageOfAChannelBeginsAThreadOfItsOwn() throws Exception {
    InboundMessage message = read(hello());
    assertThat(message)
        .isEqualTo(
            new InboundMessage(
                "main",
                "C1:10.000001",
                "U1",
                "hello",
                List.of(),
                "C1:10.000001",
                new Origin(Origin.Place.GROUP, "C1", "T1", "", false, false, 10_000)));
  }

  @Test
  void whatFollowsBelowItIsOfTheSameThread() throws Exception {
    Map<String, Object> below = SlackRig.message("C1", "11.000001", "U1", "and?");
    InboundMessage message = read(with(below, "thread_ts", "10.000001"));
    assertThat(message.thread()).isEqualTo("C1:10.000001");
    assertThat(message.dedupeKey()).isEqualTo("C1:11.000001");
    assertThat(message.origin().place()).isEqualTo(Origin.Place.THREAD);
    assertThat(message.origin().chat()).isEqualTo("C1");
  }

  @Test
  void aDirectMessageIsOfOneConversationUnlessItIsInAThread() throws Exception {
    InboundMessage message = read(SlackRig.message("D1", "10.000001", "U1", "hi"));
    assertThat(message.thread()).isEqualTo("D1");
    assertThat(message.origin())
        .isEqualTo(new Origin(Origin.Place.DIRECT, "", "T1", "", false, true, 10_000));
    Map<String, Object> below = SlackRig.message("D1", "11.000001", "U1", "hi");
    assertThat(read(with(below, "thread_ts", "10.000001")).thread()).isEqualTo("D1:10.000001");
  }

  @Test
  void aMentionAndItsMessageHaveOneKeyAndSayTheSame() throws Exception {
    Map<String, Object> mention = SlackRig.message("C1", "10.000001", "U1", "<@UBOT> what is it?");
    InboundMessage asMessage = read(mention);
    InboundMessage asMention = read(with(mention, "type", "app_mention"));
    assertThat(asMention).isEqualTo(asMessage);
    assertThat(asMention.text()).isEqualTo("what is it?");
    assertThat(asMention.origin().addressed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"<@UBOT> go", "go <@UBOT>", "<@UBOT|bot>: go", "<@UBOT>, go", " <@UBOT>  go "})
  void theMentionItselfIsLeftOut(String text) throws Exception {
    assertThat(read(with(hello(), "text", text)).text()).isEqualTo("go");
  }

  @Test
  void markupIsReadAsPeopleSeeIt() throws Exception {
    String text =
        "see <https://a.example/x?a=1&amp;b=2|the page> and <https://b.example>, ask <@U2> or"
            + " <@U3|ann> in <#C7|ops>; 1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt; <!here>"
            + " <!subteam^S1|@dev> <mailto:a@b.example|a@b.example>";
    assertThat(read(with(hello(), "text", text)).text())
        .isEqualTo(
            "see the page (https://a.example/x?a=1&b=2) and https://b.example, ask @U2 or @ann in"
                + " #ops; 1 < 2 && 3 > 2 &lt; @here @dev a@b.example");
  }

  /** Each of these took minutes if the time grew with the square of the text. */
  @ParameterizedTest
  @ValueSource(strings = {" ", "<", "<@UBOT|", "<@UBOT> ", "&amp;lt;", "<!x^"})
  @Timeout(20)
  void timeGrowsWithTheTextAlone(String piece) throws Exception {
    String text = "a" + piece.repeat(900_000 / piece.length()) + "b";
    assertThat(read(with(hello(), "text", text)).text()).startsWith("a").endsWith("b");
  }

  @Test
  void theAppsOwnPostsAreDroppedByItsIdsAlone() throws Exception {
    // As some deliveries have it: the bot's user and nothing that says it is a bot.
    assertDropped(SlackRig.message("C1", "10.000001", "UBOT", "hello"), DropReason.OWN_ECHO);
    assertDropped(with(hello(), "bot_id", "BBOT"), DropReason.OWN_ECHO);
  }

  @Test
  void anotherBotIsSaidToBeOne() throws Exception {
    InboundMessage message = read(with(hello(), "bot_id", "B2"));
    assertThat(message.origin().fromBot()).isTrue();
    assertThat(message.sender()).isEqualTo("U1");
    Map<String, Object> withoutUser = with(hello(), "bot_id", "B2");
    withoutUser.remove("user");
    assertThat(read(withoutUser).sender()).isEqualTo("B2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"message_changed", "message_deleted", "channel_join", "bot_message", "me_message"})
  void whatIsNoNewMessageOfAPersonIsIgnored(String subtype) throws Exception {
    assertDropped(with(hello(), "subtype", subtype));
  }

  @ParameterizedTest
  @ValueSource(strings = {"file_share", "thread_broadcast"})
  void filesAndBroadcastsAreMessages(String subtype) throws Exception {
    assertThat(read(with(hello(), "subtype", subtype)).text()).isEqualTo("hello");
  }

  @Test
  void anEditedMessageAndOneWithoutContentAreNone() throws Exception {
    assertDropped(with(hello(), "edited", Map.of("user", "U1", "ts", "12.000001")));
    assertDropped(with(hello(), "text", "<@UBOT>"), DropReason.EMPTY);
  }

  @Test
  void idsThatMakeNoSenseAreIgnored() throws Exception {
    assertDropped(with(hello(), "ts", "10"));
    assertDropped(with(hello(), "channel", "C1:D1"));
    assertDropped(with(hello(), "channel", 7));
    assertDropped(with(hello(), "user", ""));
    assertDropped(Map.of("type", "message"));
    assertDropped(Map.of("type", "channel_rename", "channel", Map.of("id", "C1")));
  }

  @Test
  void theTeamIsTheSendersOwn() throws Exception {
    assertThat(read(with(hello(), "user_team", "T9")).origin().team()).isEqualTo("T9");
  }

  @Test
  void filesComeByReference() throws Exception {
    Map<String, Object> event = with(hello(), "text", "");
    event.put("subtype", "file_share");
    event.put(
        "files",
        List.of(
            Map.of(
                "id", "F1",
                "name", "a.png",
                "mimetype", "image/png",
                "size", 12,
                "url_private_download", "https://files.slack.com/f/a.png"),
            Map.of("id", "F2", "file_access", "check_file_info"),
            Map.of("id", "F3", "mode", "tombstone")));
    assertThat(read(event).attachments())
        .containsExactly(
            new Attachment("a.png", "image/png", "https://files.slack.com/f/a.png", 12),
            new Attachment("file", "", "slack-file:F2", -1));
  }

  @Test
  void aNameIsShownOnceItIsKnownAndNeverWaitedFor() throws Exception {
    rig.always("users.info", SlackRig.ok("\"user\":{\"name\":\"ann\",\"real_name\":\"Ann B\"}"));
    assertThat(read(hello()).origin().senderName()).isEmpty();
    assertThat(rig.calls("users.info")).isEmpty();
    SlackBot bot = ((SlackChannel) rig.channel()).bot("main");
    bot.names().ask("U1");
    assertThat(read(hello()).origin().senderName()).isEqualTo("Ann B");
    assertThat(read(with(hello(), "text", "ask <@U1>")).text()).isEqualTo("ask @Ann B");
  }

  private WebhookVerdict command(String channel, String text) throws InterruptedException {
    String body =
        "command=%2Fholdfast&team_id=T1&user_id=U1&trigger_id=1.2.a&channel_id="
            + channel
            + "&text="
            + URLEncoder.encode(text, StandardCharsets.UTF_8);
    return rig.receive(SlackRig.signed(FORM, body));
  }

  @Test
  void aSlashCommandIsAMessageInItsChannel() throws Exception {
    InboundMessage message =
        ((WebhookVerdict.Messages) command("C1", "what &amp; why")).messages().getFirst();
    assertThat(message)
        .isEqualTo(
            new InboundMessage(
                "main",
                "C1",
                "U1",
                "what & why",
                List.of(),
                "command:1.2.a",
                new Origin(Origin.Place.GROUP, "C1", "T1", "", false, true)));
    InboundMessage direct =
        ((WebhookVerdict.Messages) command("D1", "/stop")).messages().getFirst();
    assertThat(direct.thread()).isEqualTo("D1");
    assertThat(direct.origin().place()).isEqualTo(Origin.Place.DIRECT);
  }

  private WebhookVerdict click(Map<String, ?> more) throws InterruptedException {
    Map<String, Object> payload = new LinkedHashMap<>();
    payload.put("type", "block_actions");
    payload.put("user", Map.of("id", "U1", "team_id", "T1"));
    payload.put("team", Map.of("id", "T1"));
    payload.put(
        "container",
        Map.of("channel_id", "C1", "message_ts", "12.000001", "thread_ts", "10.000001"));
    payload.put(
        "actions", List.of(Map.of("action_id", "holdfast_choice_0", "value", "token-of-22-chars")));
    payload.putAll(more);
    return rig.receive(
        SlackRig.signed(
            FORM, "payload=" + URLEncoder.encode(JsonText.write(payload), StandardCharsets.UTF_8)));
  }

  @Test
  void aClickOnAButtonOfThisServerIsOne() throws Exception {
    assertThat(((WebhookVerdict.Clicked) click(Map.of())).click())
        .isEqualTo(new Click("main", "C1:10.000001", "U1", "token-of-22-chars", ""));
  }

  @Test
  void aClickElsewhereIsNone() throws Exception {
    assertThat(click(Map.of("actions", List.of(Map.of("action_id", "other", "value", "x")))))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
    assertThat(click(Map.of("type", "view_submission")))
        .isEqualTo(new WebhookVerdict.Messages(List.of()));
    assertThat(click(Map.of("team", Map.of("id", "T2"))))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.NOT_ALLOWED)));
  }

  private static Map<String, Object> cross(String ts, String user) {
    return Map.of(
        "type", "reaction_added",
        "reaction", "x",
        "user", user,
        "item_user", "UBOT",
        "event_ts", "13.000001",
        "item", Map.of("type", "message", "channel", "C1", "ts", ts));
  }

  @Test
  void aCrossOnAPostOfTheAppStopsItsThread() throws Exception {
    rig.channel().post(SlackRig.reply("C1:10.000001", "I begin"));
    InboundMessage message = read(cross("101.000001", "U1"));
    assertThat(message.thread()).isEqualTo("C1:10.000001");
    assertThat(message.text()).isEqualTo("/stop");
    assertThat(message.dedupeKey()).isEqualTo("reaction:C1:101.000001:U1:13.000001");
    assertDropped(cross("99.000001", "U1"));
    assertDropped(cross("101.000001", "UBOT"));
  }
}
