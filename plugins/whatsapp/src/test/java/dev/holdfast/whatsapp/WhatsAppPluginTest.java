package dev.holdfast.whatsapp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.HttpDouble;
import dev.holdfast.kit.testing.HttpDouble.Said;
import dev.holdfast.kit.testing.PlainHttp;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WhatsAppPluginTest {
  @TempDir private Path folder;

  private FakeContext context(FakeConfig section) {
    return new FakeContext(new PlainHttp()).channelConfig(section).stateFolder(folder);
  }

  @Test
  void threeVariablesAndAnIdMakeTheAccountMain() throws Exception {
    FakeConfig section =
        new FakeConfig(Map.of("accounts", Map.of("main", Map.of("phone_number_id", "1"))));
    FakeContext context =
        context(section)
            .secret("WHATSAPP_TOKEN", "t")
            .secret("WHATSAPP_APP_SECRET", "s")
            .secret("WHATSAPP_VERIFY_TOKEN", "v");
    new WhatsAppPlugin().start(context);
    assertThat(section.problems()).isEmpty();
    assertThat(context.channels().getFirst().accounts()).containsExactly("main");
    assertThat(context.channels().getFirst().listens()).isEmpty();
  }

  private List<String> problems(Map<String, ?> section) throws Exception {
    FakeConfig config = new FakeConfig(section);
    FakeContext context = context(config);
    new WhatsAppPlugin().start(context);
    return config.problems();
  }

  @Test
  void whatIsMissingOrWrongIsToldWithTheNextStep() throws Exception {
    assertThat(problems(Map.of()).toString())
        .contains(
            "WHATSAPP_TOKEN=",
            "WHATSAPP_APP_SECRET=",
            "WHATSAPP_VERIFY_TOKEN=",
            "phone_number_id is missing",
            "it is not the phone number");
    assertThat(
            problems(
                    Map.of(
                        "version",
                        "24",
                        "accounts",
                        Map.of(
                            "main",
                            WhatsAppRig.account(
                                Map.of(
                                    "phone_number_id", "+49 151",
                                    "business_account_id", "x",
                                    "allow", Map.of("users", List.of("+4915112345678")))))))
                .toString())
        .contains(
            "version must be one of the Graph API",
            "phone_number_id must be the id that Meta shows",
            "business_account_id must be the id that Meta shows",
            "allow.users must hold phone numbers as digits");
    assertThat(
            problems(
                Map.of(
                    "accounts",
                    Map.of(
                        "a", WhatsAppRig.account(Map.of()), "b", WhatsAppRig.account(Map.of())))))
        .containsExactly(
            "accounts: accounts must have a phone_number_id each, and two have the same");
  }

  @Test
  void noKeyOfTheSectionIsUnknown() throws Exception {
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("base_url", "http://127.0.0.1:1");
    section.put("version", "v25.0");
    section.put("public_url", "https://bot.example.org");
    section.put(
        "accounts", Map.of("main", WhatsAppRig.account(Map.of("public_url", "https://a.b"))));
    FakeConfig config = new FakeConfig(section);
    new WhatsAppPlugin().start(context(config));
    assertThat(config.problems()).isEmpty();
    assertThat(config.unread()).isEmpty();
  }

  @Test
  void noSecretIsShown() {
    FakeConfig section = new FakeConfig(WhatsAppRig.account(Map.of()));
    assertThat(WhatsAppAccount.read(section, "ops", _ -> Optional.empty(), "").toString())
        .isEqualTo("WhatsAppAccount[ops]");
  }

  private static Said number(String quality) {
    return Said.json(
        200,
        "{\"display_phone_number\":\"+1 555-078-3881\",\"verified_name\":\"Acme\",\"id\":\"1\","
            + "\"quality_rating\":\"%s\",\"webhook_configuration\":{\"application\":"
                .formatted(quality)
            + "\"https://other.example.org/x\"}}");
  }

  private static List<String> missing(List<ChannelCheck> checks) {
    return checks.stream().filter(check -> !check.isMet()).map(ChannelCheck::what).toList();
  }

  @Test
  void checkNamesWhatIsMissingWithTheStep() throws Exception {
    try (HttpDouble proxy = new HttpDouble(WhatsAppPluginTest::echo);
        WhatsAppRig rig =
            new WhatsAppRig(
                Map.of(
                    "public_url", proxy.url(),
                    "business_account_id", "102",
                    "allow", Map.of()),
                Map.of(),
                folder)) {
      rig.always(WhatsAppRig.NUMBER, number("RED"));
      rig.always("subscribed_apps", Said.json(200, "{\"data\":[]}"));
      List<ChannelCheck> checks = rig.channel().check("main");
      assertThat(checks.getFirst().what()).contains("+1 555-078-3881", "Acme");
      assertThat(missing(checks))
          .containsExactly(
              "people do not complain about the number (quality RED)",
              "Meta sends the messages of the number to this server",
              "an app is subscribed to the messages of the WhatsApp account",
              "somebody is answered");
      assertThat(checks.toString())
          .contains(
              "set the callback URL to " + proxy.url() + "/webhooks/whatsapp/main",
              "POST /102/subscribed_apps",
              "the webhook answers at " + proxy.url())
          .doesNotContain("canary");
      assertThat(rig.asked(WhatsAppRig.NUMBER).get(1).path())
          .endsWith(
              "appsecret_proof="
                  + WhatsAppRig.signature(WhatsAppRig.APP_SECRET, WhatsAppRig.TOKEN).substring(7));
    }
  }

  /** The handshake as a server answers it. */
  private static Said echo(HttpDouble.Asked asked) {
    String query = URI.create(asked.path()).getQuery();
    String challenge = query.replaceFirst(".*hub\\.challenge=([^&]*).*", "$1");
    return query.contains("hub.verify_token=" + WhatsAppRig.VERIFY_TOKEN)
        ? new Said(200, Map.of("content-type", "text/plain"), challenge)
        : new Said(401, Map.of(), "");
  }

  @Test
  void checkTellsAWrongTokenAWrongSecretAndAClosedDoor() throws Exception {
    try (HttpDouble proxy = new HttpDouble(_ -> new Said(404, Map.of(), "no"));
        WhatsAppRig rig = new WhatsAppRig(Map.of("public_url", proxy.url()), Map.of(), folder)) {
      rig.next(WhatsAppRig.NUMBER, WhatsAppRig.error(401, 190));
      List<ChannelCheck> checks = rig.channel().check("main");
      assertThat(missing(checks))
          .containsExactly(
              "the token is valid and sees the number",
              "the webhook answers at " + proxy.url() + "/webhooks/whatsapp/main");
      assertThat(checks.toString()).contains("The token is not valid (190)", "It answers 404");
      rig.next(WhatsAppRig.NUMBER, Said.json(200, "{}"), WhatsAppRig.error(400, 100));
      checks = rig.channel().check("main");
      assertThat(missing(checks).getFirst())
          .isEqualTo("the app secret is the one of the token's app");
      assertThat(checks.toString()).contains("App settings, Basic");
    }
  }

  @Test
  void checkTellsThatMetaCannotBeReached() throws Exception {
    WhatsAppRig rig = WhatsAppRig.open(folder);
    rig.close();
    List<ChannelCheck> checks = rig.channel().check("main");
    assertThat(missing(checks))
        .containsExactly(
            "the Graph API can be reached", "it is known whether Meta reaches the webhook");
    assertThat(checks.toString()).contains("public_url");
  }

  private static Attachment attachment(String url) {
    return new Attachment("a.png", "image/png", url, -1);
  }

  private static Said media(String url, String size) {
    return Said.json(
        200,
        "{\"messaging_product\":\"whatsapp\",\"url\":\"%s\",\"file_size\":%s,\"id\":\"123\"}"
            .formatted(url, size));
  }

  @Test
  void aFileIsFetchedInTwoStepsWithTheToken() throws Exception {
    try (WhatsAppRig rig = WhatsAppRig.open(folder)) {
      rig.always("123", media(rig.url() + "/attachments/a", "\"3\""));
      rig.always("a", new Said(200, Map.of("content-type", "image/png"), "abc"));
      byte[] content = rig.channel().fetch("main", attachment("whatsapp:123"), 1000);
      assertThat(new String(content, StandardCharsets.UTF_8)).isEqualTo("abc");
      assertThat(rig.asked("123").getFirst().path())
          .isEqualTo("/v24.0/123?phone_number_id=" + WhatsAppRig.NUMBER);
      assertThat(rig.asked("a").getFirst().headers())
          .containsEntry("authorization", "Bearer " + WhatsAppRig.TOKEN);
    }
  }

  private static Failure refusal(WhatsAppRig rig, String url) {
    try {
      byte[] _ = rig.channel().fetch("main", attachment(url), 1000);
      throw new AssertionError("it was fetched");
    } catch (CallFailedException e) {
      return e.failure();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFileThatWasCutIsNotTakenForWhole() {
    try (WhatsAppRig rig = WhatsAppRig.open(folder)) {
      rig.always("123", media(rig.url() + "/attachments/a", "\"3\""));
      rig.always("a", new Said(200, Map.of("content-type", "image/png"), "ab"));
      assertThat(refusal(rig, "whatsapp:123").message()).contains("only 2 of its 3 bytes");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://example.org/a",
        "https://lookaside.fbsbx.com.example.org/a",
        "https://evil-fbsbx.com/a",
        "http://lookaside.fbsbx.com/a",
        "https://lookaside.fbsbx.com:8443/a",
        "https://user@lookaside.fbsbx.com/a",
        "file:///etc/passwd",
        "a b",
        ""
      })
  void theTokenGoesToMetaAlone(String url) {
    try (WhatsAppRig rig = WhatsAppRig.open(folder)) {
      rig.always("123", media(url, "3"));
      assertThat(refusal(rig, "whatsapp:123").message()).contains("token must not go");
      assertThat(rig.asked("123")).hasSize(1);
    }
  }

  @Test
  void addressesOfMetaAreKnown() {
    GraphApi api =
        new GraphApi(context(new FakeConfig(Map.of())), "https://graph.facebook.com", "v24.0", "t");
    assertThat(
            api.isMetas("https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1&hash=a"))
        .isTrue();
    assertThat(api.isMetas("https://graph.facebook.com/x")).isTrue();
  }

  @Test
  void whatIsTooLargeOrGoneOrNoFileIsRefused() {
    try (WhatsAppRig rig = WhatsAppRig.open(folder)) {
      rig.always("123", media(rig.url() + "/a", "1001"));
      assertThat(refusal(rig, "whatsapp:123").message()).contains("more than 1000 bytes");
      rig.always("123", media(rig.url() + "/a", "1"));
      rig.always("a", new Said(404, Map.of(), ""));
      assertThat(refusal(rig, "whatsapp:123").message()).contains("no longer");
      rig.always("a", new Said(500, Map.of(), ""));
      assertThat(refusal(rig, "whatsapp:123").isPassing()).isTrue();
      rig.always("123", WhatsAppRig.error(401, 190));
      assertThat(refusal(rig, "whatsapp:123").code()).isEqualTo(FailureCode.AUTH);
      for (String url : List.of("https://example.org/a", "whatsapp:../me", "whatsapp:")) {
        assertThat(refusal(rig, url).message()).contains("does not have it");
      }
    }
  }

  @Test
  void anUnknownAccountIsABug() {
    try (WhatsAppRig rig = WhatsAppRig.open(folder)) {
      assertThatThrownBy(() -> rig.channel().showTyping("other", "1"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
