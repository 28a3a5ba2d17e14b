package dev.holdfast.whatsapp;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.kit.JsonText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** Whether what an account needs is there. Blocks the calling thread. */
final class WhatsAppChecks {
  private static final Duration CALL_MAX = Duration.ofMillis(3500);
  private static final int CHALLENGE_BYTES_MAX = 4096;
  private static final String FIELDS = "display_phone_number,verified_name,quality_rating";

  private final BusinessNumber number;
  private final WhatsAppAccount account;
  private final List<ChannelCheck> checks = new ArrayList<>();

  private WhatsAppChecks(BusinessNumber number) {
    this.number = number;
    this.account = number.account();
  }

  static List<ChannelCheck> of(BusinessNumber number) throws InterruptedException {
    WhatsAppChecks checks = new WhatsAppChecks(number);
    if (checks.checkToken()) {
      checks.checkAppSecret();
      checks.checkWebhook();
      checks.checkSubscription();
    }
    checks.checkWayIn();
    checks.checkAccess();
    return List.copyOf(checks.checks);
  }

  private void add(boolean isMet, String what, String remedy) {
    checks.add(isMet ? ChannelCheck.met(what) : ChannelCheck.missing(what, remedy));
  }

  private boolean checkToken() throws InterruptedException {
    String what = "the token is valid and sees the number";
    GraphAnswer answer;
    try {
      answer = number.api().get(path("?fields=" + FIELDS), CALL_MAX);
    } catch (CallFailedException e) {
      add(
          false,
          "the Graph API can be reached",
          "Let this server connect to it, or set channels.whatsapp.base_url: "
              + e.failure().message());
      return false;
    }
    if (!answer.isOk()) {
      add(false, what, sentence(answer.failure()));
      return false;
    }
    Map<String, Object> body = answer.body();
    String shown = shown(JsonText.text(body, "display_phone_number"));
    add(
        true,
        "%s: %s (%s)".formatted(what, shown, shown(JsonText.text(body, "verified_name"))),
        "");
    String quality = JsonText.text(body, "quality_rating");
    add(
        !quality.equals("RED"),
        "people do not complain about the number"
            + (quality.isEmpty() ? "" : " (quality " + shown(quality) + ")"),
        "See in WhatsApp Manager, under Phone numbers, why its quality is low: Meta may restrict it");
    return true;
  }

  private String path(String rest) {
    return "/" + account.phoneNumberId() + rest;
  }

  /**
   * Meta names the address that is nearest to the number last. What it does not tell is left out.
   */
  private void checkWebhook() throws InterruptedException {
    Map<String, Object> configured;
    try {
      GraphAnswer answer = number.api().get(path("?fields=webhook_configuration"), CALL_MAX);
      configured = JsonText.map(answer.body(), "webhook_configuration");
    } catch (CallFailedException _) {
      return; // the call before it has succeeded
    }
    String url = "";
    for (String level : List.of("application", "whatsapp_business_account", "phone_number")) {
      String named = JsonText.text(configured, level);
      url = named.isEmpty() ? url : named;
    }
    String expected = account.webhookUrl();
    if (configured.isEmpty()) {
      return;
    }
    boolean isOurs =
        expected.isEmpty()
            ? url.contains("/webhooks/" + WhatsAppChannel.NAME + "/")
            : url.startsWith(account.publicUrl() + "/webhooks/" + WhatsAppChannel.NAME + "/");
    add(
        isOurs,
        "Meta sends the messages of the number to this server",
        "Meta sends them to \"%s\": under WhatsApp, Configuration, set the callback URL to %s"
            .formatted(
                shown(url), expected.isEmpty() ? "ADDRESS/webhooks/whatsapp/NAME" : expected));
  }

  /** By a proof that only the app of the token can make. */
  private void checkAppSecret() throws InterruptedException {
    String proof =
        HexFormat.of()
            .formatHex(
                HmacKey.ofText(HmacKey.Algorithm.SHA256, account.appSecret())
                    .sign(account.token().getBytes(StandardCharsets.UTF_8)));
    String what = "the app secret is the one of the token's app";
    try {
      GraphAnswer answer = number.api().get(path("?fields=id&appsecret_proof=" + proof), CALL_MAX);
      add(
          answer.isOk(),
          what,
          answer.code() == 100
              ? "Copy it from App settings, Basic: without it every delivery is refused"
              : sentence(answer.failure()));
    } catch (CallFailedException e) {
      add(false, what, sentence(e.failure()));
    }
  }

  private void checkSubscription() throws InterruptedException {
    if (account.businessId().isEmpty()) {
      return;
    }
    String what = "an app is subscribed to the messages of the WhatsApp account";
    try {
      GraphAnswer answer =
          number.api().get("/" + account.businessId() + "/subscribed_apps", CALL_MAX);
      add(
          answer.isOk() && !JsonText.maps(answer.body(), "data").isEmpty(),
          what,
          answer.isOk()
              ? "Send POST /" + account.businessId() + "/subscribed_apps with the token, once"
              : sentence(answer.failure()));
    } catch (CallFailedException e) {
      add(false, what, sentence(e.failure()));
    }
  }

  /** Goes the way of Meta's handshake, over the public address. */
  private void checkWayIn() throws InterruptedException {
    if (account.webhookUrl().isEmpty()) {
      add(
          false,
          "it is known whether Meta reaches the webhook",
          "Write public_url, the address of this server for Meta, into channels.whatsapp: the check"
              + " goes that way then");
      return;
    }
    String challenge = UUID.randomUUID().toString();
    String url =
        account.webhookUrl()
            + "?hub.mode=subscribe&hub.challenge="
            + challenge
            + "&hub.verify_token="
            + URLEncoder.encode(account.verifyToken(), StandardCharsets.UTF_8);
    String remedy =
        "Look at the proxy before this server and its certificate: it must pass"
            + " /webhooks/whatsapp/ on with its query and headers";
    try {
      PluginHttp.Answer answer =
          number
              .context()
              .http()
              .send(
                  new PluginHttp.Request(
                      "GET", url, Map.of(), new byte[0], CALL_MAX, CHALLENGE_BYTES_MAX, false));
      boolean isOurs =
          answer.status() == 200
              && new String(answer.body(), StandardCharsets.UTF_8).equals(challenge);
      add(
          isOurs,
          "the webhook answers at " + account.webhookUrl(),
          "It answers " + answer.status() + ". " + remedy);
    } catch (CallFailedException e) {
      add(
          false,
          "the webhook answers at " + account.webhookUrl(),
          sentence(e.failure()) + ". " + remedy);
    }
  }

  private void checkAccess() {
    Access access = account.access();
    add(
        !access.users().isEmpty() || access.strangers() == Access.Strangers.PAIR,
        "somebody is answered",
        "Write strangers: pair into the section of the account, or ids into its allow.users");
  }

  private static String shown(String name) {
    return name.substring(0, Math.min(name.length(), 200)).replaceAll("\\p{C}", "?");
  }

  private static String sentence(Failure failure) {
    String said = failure.message();
    return said.substring(0, 1).toUpperCase(Locale.ROOT) + said.substring(1);
  }
}
