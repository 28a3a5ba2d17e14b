package dev.holdfast.mattermost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Choice;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MattermostIntakeTest {
  private static final String JSON = "application/json";
  private static final String FORM = "application/x-www-form-urlencoded";

  @TempDir private Path folder;
  private MattermostRig rig;

  @BeforeEach
  void start() {
    rig = MattermostRig.withButtons(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static Map<String, String> command() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("token", MattermostRig.SLASH);
    fields.put("team_id", "team1");
    fields.put("channel_id", "chan");
    fields.put("channel_name", "town-square");
    fields.put("user_id", "ann");
    fields.put("user_name", "ann.lee");
    fields.put("command", "/holdfast");
    fields.put("text", "what is new?");
    fields.put("trigger_id", "dGhpcw==");
    return fields;
  }

  private static Map<String, String> hook() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("token", MattermostRig.HOOK);
    fields.put("team_id", "team1");
    fields.put("channel_id", "chan");
    fields.put("user_id", "ann");
    fields.put("user_name", "ann.lee");
    fields.put("post_id", "p1");
    fields.put("text", "ask what is new?");
    fields.put("trigger_word", "ask");
    return fields;
  }

  private static String form(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(
            entry ->
                entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  private static WebhookRequest request(String type, String authorization, String body) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("content-type", List.of(type));
    if (!authorization.isEmpty()) {
      headers.put("authorization", List.of(authorization));
    }
    return MattermostRig.request(headers, body);
  }

  private static WebhookRequest signed(Map<String, String> command) {
    return request(FORM, "Token " + MattermostRig.SLASH, form(command));
  }

  private InboundMessage message(WebhookRequest request) throws InterruptedException {
    return ((WebhookVerdict.Messages) rig.receive(request)).messages().getFirst();
  }

  private void assertRefused(WebhookRequest request) throws InterruptedException {
    assertThat(rig.receive(request)).isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(rig.calls()).isEmpty();
  }

  @Test
  void aCommandIsAMessageOfItsPersonInTheChannel() throws Exception {
    InboundMessage message = message(signed(command()));
    assertThat(message.text()).isEqualTo("what is new?");
    assertThat(message.thread()).isEqualTo("chan");
    assertThat(message.sender()).isEqualTo("ann");
    assertThat(message.dedupeKey()).isEqualTo("command:dGhpcw==");
    assertThat(message.origin())
        .isEqualTo(new Origin(Origin.Place.GROUP, "chan", "team1", "ann.lee", false, true));
  }

  @Test
  void aCommandIsAnsweredByNothingThatPeopleSee() throws Exception {
    WebhookVerdict.Messages verdict = (WebhookVerdict.Messages) rig.receive(signed(command()));
    assertThat(verdict.answer().orElseThrow().body())
        .isEqualTo("{\"response_type\":\"ephemeral\",\"text\":\"\"}");
  }

  @Test
  void aWebhookIsAnsweredWithoutAText() throws Exception {
    rig.put(MattermostRig.post("p1", "chan", "ask what?"));
    WebhookVerdict.Messages verdict =
        (WebhookVerdict.Messages) rig.receive(request(FORM, "", form(hook())));
    assertThat(verdict.answer().orElseThrow().body()).isEqualTo("{}");
    assertThat(verdict.messages()).hasSize(1);
  }

  @Test
  void aCommandWithoutATextAsksForHelp() throws Exception {
    Map<String, String> command = command();
    command.put("text", " ");
    assertThat(message(signed(command)).text()).isEqualTo("/help");
  }

  @Test
  void aCommandToTheBotDirectlyIsDirectAndOneBetweenOthersIsNot() throws Exception {
    Map<String, String> command = command();
    command.put("channel_name", "ann__" + MattermostRig.BOT);
    assertThat(message(signed(command)).origin())
        .isEqualTo(new Origin(Origin.Place.DIRECT, "", "", "ann.lee", false, true));
    command.put("channel_name", MattermostRig.BOT + "__ann");
    assertThat(message(signed(command)).origin().place()).isEqualTo(Origin.Place.DIRECT);
    for (String other :
        List.of(
            "ann__bob",
            MattermostRig.BOT + "__bob",
            MattermostRig.BOT + "__ann__x",
            "x__" + MattermostRig.BOT)) {
      command.put("channel_name", other);
      assertThat(message(signed(command)).origin().place()).isEqualTo(Origin.Place.GROUP);
    }
  }

  @Test
  void aCommandAsJsonIsTakenToo() throws Exception {
    String body = JsonText.write(command());
    assertThat(
            message(
                    request(
                        "application/json; charset=utf-8", "Token " + MattermostRig.SLASH, body))
                .text())
        .isEqualTo("what is new?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "canary-of-slas", "canary-of-slash2", "another "})
  void aCommandWithAWrongTokenIsRefused(String token) throws Exception {
    Map<String, String> command = command();
    command.put("token", token);
    assertRefused(request(FORM, "Token " + token, form(command)));
    assertRefused(request(FORM, "Token " + MattermostRig.SLASH, form(command)));
    assertRefused(request(FORM, "Token " + token, form(command())));
  }

  @Test
  void aTokenThatIsMissingOrThereTwiceIsRefused() throws Exception {
    Map<String, String> without = command();
    without.remove("token");
    assertRefused(request(FORM, "Token " + MattermostRig.SLASH, form(without)));
    assertRefused(request(FORM, "", form(command())));
    assertRefused(request(FORM, MattermostRig.SLASH, form(command())));
    assertRefused(
        request(
            FORM,
            "Token " + MattermostRig.SLASH,
            form(command()) + "&token=" + MattermostRig.SLASH));
    Map<String, List<String>> twice = new LinkedHashMap<>();
    String header = "Token " + MattermostRig.SLASH;
    twice.put("content-type", List.of(FORM));
    twice.put("authorization", List.of(header, header));
    assertRefused(MattermostRig.request(twice, form(command())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "", "multipart/form-data", "application/xml", "text/json"})
  void anotherContentTypeIsRefused(String type) throws Exception {
    assertRefused(request(type, "Token " + MattermostRig.SLASH, form(command())));
    assertRefused(request(type, "", JsonText.write(hook())));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "null", "[]", "{", "{}", "\"x\"", "token", "=", "&&", "%zz=%", "\u0000"})
  void aBodyThatIsNoneIsRefused(String body) throws Exception {
    assertRefused(request(JSON, "Token " + MattermostRig.SLASH, body));
    assertRefused(request(FORM, "Token " + MattermostRig.SLASH, body));
  }

  @ParameterizedTest
  @ValueSource(strings = {"channel_id", "user_id", "trigger_id"})
  void aCommandWithoutWhatItNeedsIsUnparsable(String field) throws Exception {
    for (String value : List.of("", "../x y")) {
      Map<String, String> command = command();
      command.put(field, value.isEmpty() || !field.equals("trigger_id") ? value : "");
      assertThat(rig.receive(signed(command))).isInstanceOf(WebhookVerdict.Unparsable.class);
    }
  }

  @Test
  void anAccountWithoutTokensOrButtonsTakesNothing() throws Exception {
    rig.close();
    rig = MattermostRig.with(Map.of("slash_token", "", "hook_token", ""), folder);
    assertThat(rig.receive(signed(command()))).isInstanceOf(WebhookVerdict.NoAccount.class);
    Map<String, String> empty = hook();
    empty.put("token", "");
    assertThat(rig.receive(request(FORM, "", form(empty))))
        .isInstanceOf(WebhookVerdict.NoAccount.class);
  }

  @Test
  void anotherAccountIsUnknown() throws Exception {
    WebhookRequest request =
        new WebhookRequest(
            "POST",
            "other",
            signed(command()).headers(),
            Map.of(),
            signed(command()).body(),
            signed(command()).receivedAt());
    assertThat(rig.receive(request)).isInstanceOf(WebhookVerdict.NoAccount.class);
  }

  @Test
  void aWebhookIsReadAsThePostThatItIsAbout() throws Exception {
    Map<String, Object> post = MattermostRig.post("p1", "chan", "ask what is new, in a thread?");
    post.put("root_id", "root1");
    rig.put(post);
    InboundMessage message = message(request(FORM, "", form(hook())));
    assertThat(message.text()).isEqualTo("what is new, in a thread?");
    assertThat(message.thread()).isEqualTo("chan:root1");
    assertThat(message.dedupeKey()).isEqualTo("p1");
    assertThat(message.origin())
        .isEqualTo(new Origin(Origin.Place.THREAD, "chan", "team1", "ann.lee", false, true, 1000));
  }

  @Test
  void aWebhookWhosePostCannotBeReadForNowIsLeftToTheSocket() throws Exception {
    for (Said said : List.of(Said.json(503, "{}"), Said.nothing(), Said.json(404, "{}"))) {
      rig.next("GET /posts/*", said);
      assertThat(rig.receive(request(FORM, "", form(hook()))))
          .isEqualTo(
              new WebhookVerdict.Messages(
                  List.of(), List.of(), Optional.of(new WebhookVerdict.Answer(200, JSON, "{}"))));
    }
  }

  @Test
  void aWebhookOfAChannelThatTheBotDoesNotHearHasToDo() throws Exception {
    rig.next("GET /posts/*", MattermostRig.error(403, "api.context.permissions.app_error"));
    assertThat(message(request(FORM, "", form(hook()))).text()).isEqualTo("what is new?");
  }

  @Test
  void withoutASocketAWebhookWhosePostCannotBeReadHasToDo() throws Exception {
    rig.close();
    rig = MattermostRig.with(Map.of("websocket", false), folder);
    Map<String, String> hook = hook();
    hook.put("file_ids", "f1,f2");
    InboundMessage message = message(request(JSON, "", JsonText.write(hook)));
    assertThat(message.text()).isEqualTo("what is new?");
    assertThat(message.thread()).isEqualTo("chan:p1");
    assertThat(message.attachments()).hasSize(2);
  }

  @Test
  void aPostOfAnotherPersonOrChannelIsNotTakenForTheWebhooks() throws Exception {
    rig.close();
    rig = MattermostRig.with(Map.of("websocket", false), folder);
    rig.put(MattermostRig.post("p1", "secret", "of another channel"));
    assertThat(message(request(FORM, "", form(hook()))).text()).isEqualTo("what is new?");
  }

  @Test
  void itsOwnPostComesBackByAWebhookAndIsNotAnswered() throws Exception {
    rig.next("GET /posts/*", MattermostRig.error(403, "api.context.permissions.app_error"));
    Map<String, String> hook = hook();
    hook.put("user_id", MattermostRig.BOT);
    WebhookVerdict.Messages verdict =
        (WebhookVerdict.Messages) rig.receive(request(FORM, "", form(hook)));
    assertThat(verdict.messages()).isEmpty();
    assertThat(verdict.dropped()).containsExactly(DropReason.OWN_ECHO);
  }

  @Test
  void aWebhookWithoutAPostIsUnparsable() throws Exception {
    Map<String, String> hook = hook();
    hook.put("post_id", "../users/me");
    assertThat(rig.receive(request(FORM, "", form(hook))))
        .isInstanceOf(WebhookVerdict.Unparsable.class);
    assertThat(rig.calls()).isEmpty();
  }

  @Test
  void whileNobodyKnowsWhoTheBotIsTheRequestFails() throws Exception {
    rig.always("GET /users/me", Said.json(500, "{}"));
    assertThat(rig.receive(signed(command())))
        .isEqualTo(new WebhookVerdict.Answer(503, "text/plain", ""));
  }

  private Map<String, Object> carried(String thread) throws InterruptedException {
    rig.channel()
        .post(
            MattermostRig.reply(
                thread, "May I?", List.of(), List.of(new Choice("Approve", "tok1", true))));
    Map<String, Object> props = JsonText.map(rig.bodies("POST /posts").getLast(), "props");
    Map<String, Object> action =
        JsonText.maps(JsonText.maps(props, "attachments").getFirst(), "actions").getFirst();
    Map<String, Object> integration = JsonText.map(action, "integration");
    assertThat(integration)
        .containsEntry("url", "https://bot.example.org/webhooks/mattermost/main");
    return JsonText.map(integration, "context");
  }

  private WebhookVerdict click(Map<String, Object> context, String channel, String user)
      throws InterruptedException {
    Map<String, ?> click =
        Map.of("user_id", user, "channel_id", channel, "post_id", "post101", "context", context);
    return rig.receive(request(JSON, "", JsonText.write(click)));
  }

  @Test
  void aClickComesBackWithWhatItsButtonCarries() throws Exception {
    WebhookVerdict verdict = click(carried("chan:root1"), "chan", "ann");
    assertThat(verdict).isInstanceOf(WebhookVerdict.Clicked.class);
    WebhookVerdict.Clicked clicked = (WebhookVerdict.Clicked) verdict;
    assertThat(clicked.click()).isEqualTo(new Click("main", "chan:root1", "ann", "tok1", ""));
    assertThat(clicked.answer().orElseThrow().body()).isEqualTo("{}");
  }

  @Test
  void aClickThatCarriesAnythingElseIsRefused() throws Exception {
    Map<String, Object> carried = carried("chan:root1");
    for (String key : List.of("holdfast_choice", "thread", "signature")) {
      Map<String, Object> without = new LinkedHashMap<>(carried);
      without.remove(key);
      assertThat(click(without, "chan", "ann")).isInstanceOf(WebhookVerdict.Refused.class);
      Map<String, Object> changed = new LinkedHashMap<>(carried);
      changed.put(key, carried.get(key) + "0");
      assertThat(click(changed, "chan", "ann")).isInstanceOf(WebhookVerdict.Refused.class);
    }
    assertThat(click(Map.of(), "chan", "ann")).isInstanceOf(WebhookVerdict.Refused.class);
  }

  @Test
  void aClickOfAnotherAccountOrInAnotherChannelIsNotTaken() throws Exception {
    Map<String, Object> carried = carried("chan:root1");
    MattermostAccount account =
        MattermostAccount.read(
            new FakeConfig(Map.of("url", "https://x.y", "token", MattermostRig.BOT_TOKEN)),
            "other",
            _ -> Optional.empty(),
            "");
    Map<String, Object> others =
        new ClickSignature(account).context(new MattermostPlace("chan", "root1"), "tok1");
    assertThat(others.get("signature")).isNotEqualTo(carried.get("signature"));
    assertThat(click(others, "chan", "ann")).isInstanceOf(WebhookVerdict.Refused.class);
    assertThat(click(carried, "other", "ann")).isInstanceOf(WebhookVerdict.Unparsable.class);
    assertThat(click(carried, "chan", "")).isInstanceOf(WebhookVerdict.Unparsable.class);
  }

  @Test
  void aClickIsAnsweredWhereOnlyThePersonSeesIt() throws Exception {
    rig.next("POST /posts/ephemeral", MattermostRig.ok(Map.of("id", "e1")));
    rig.channel().answerClick(new Click("main", "chan:root1", "ann", "tok1", ""), "Approved.");
    assertThat(rig.bodies("POST /posts/ephemeral").getFirst())
        .containsEntry("user_id", "ann")
        .containsEntry(
            "post", Map.of("channel_id", "chan", "root_id", "root1", "message", "Approved."));
    assertThat(rig.asked("POST /posts")).isEmpty();
  }

  @Test
  void withoutThatRightThePersonIsToldDirectly() throws Exception {
    Click click = new Click("main", "chan:root1", "ann", "tok1", "");
    rig.channel().answerClick(click, "Approved.");
    rig.channel().answerClick(click, "This was already approved.");
    assertThat(rig.asked("POST /posts/ephemeral")).hasSize(1);
    assertThat(rig.asked("POST /channels/direct").getFirst().body())
        .isEqualTo("[\"" + MattermostRig.BOT + "\",\"ann\"]");
    assertThat(rig.bodies("POST /posts"))
        .containsExactly(
            Map.of("channel_id", "direct101", "message", "Approved."),
            Map.of("channel_id", "direct101", "message", "This was already approved."));
  }
}
