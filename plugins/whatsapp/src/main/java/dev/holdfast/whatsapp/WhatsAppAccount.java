package dev.holdfast.whatsapp;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.channels.ConstantTime;
import dev.holdfast.kit.ChannelAccounts;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * One number of a business.
 *
 * @param token of a system user, for the Graph API
 * @param appSecret with which Meta signs what it sends
 * @param verifyToken what Meta says when the webhook is set
 * @param phoneNumberId Meta's id of the number, digits; it is not the number
 * @param businessId the id of the WhatsApp Business Account; empty when it is not configured
 * @param publicUrl where Meta reaches this server, without a slash at its end; empty when it is not
 *     configured
 */
record WhatsAppAccount(
    String name,
    String token,
    String appSecret,
    String verifyToken,
    String phoneNumberId,
    String businessId,
    String publicUrl,
    Access access) {
  static final String TOKEN = "WHATSAPP_TOKEN";
  static final String APP_SECRET = "WHATSAPP_APP_SECRET";
  static final String VERIFY_TOKEN = "WHATSAPP_VERIFY_TOKEN";
  private static final Pattern ID = Pattern.compile("[0-9]{1,30}");

  /** What people write into numbers, and Meta does not. */
  private static final Pattern WRITTEN_NUMBER = Pattern.compile("\\+.*|[0-9]+[ ()/-].*");

  /**
   * Reads {@code channels.whatsapp.accounts.NAME}; what cannot be used is reported to the section.
   *
   * @param variables of the environment, for the account {@value ChannelAccounts#MAIN}
   * @param publicUrl of the channel, for accounts that have none of their own
   */
  static WhatsAppAccount read(
      PluginConfig section,
      String name,
      Function<String, Optional<String>> variables,
      String publicUrl) {
    String number = id(section, "phone_number_id");
    if (number.isEmpty()) {
      section.problem(
          "phone_number_id",
          "phone_number_id is missing: write the one that Meta shows under WhatsApp, API Setup, in"
              + " quotation marks; it is not the phone number");
    }
    Access access = Access.of(section);
    if (access.users().stream().anyMatch(user -> WRITTEN_NUMBER.matcher(user).matches())) {
      section.problem(
          "allow",
          "allow.users must hold phone numbers as digits with their country code and nothing else,"
              + " such as \"4915112345678\"");
    }
    return new WhatsAppAccount(
        name,
        secret(section, name, "token", TOKEN, variables),
        secret(section, name, "app_secret", APP_SECRET, variables),
        secret(section, name, "verify_token", VERIFY_TOKEN, variables),
        number,
        id(section, "business_account_id"),
        ChannelAccounts.publicUrl(section, publicUrl),
        access);
  }

  private static String secret(
      PluginConfig section,
      String name,
      String key,
      String variable,
      Function<String, Optional<String>> variables) {
    return ChannelAccounts.secret(section, name, key, variable, variables.apply(variable));
  }

  private static String id(PluginConfig section, String key) {
    String said = section.text(key, "").strip();
    if (said.isEmpty() || ID.matcher(said).matches()) {
      return said;
    }
    section.problem(key, key + " must be the id that Meta shows, digits alone");
    return "";
  }

  boolean isComplete() {
    return !token.isEmpty()
        && !appSecret.isEmpty()
        && !verifyToken.isEmpty()
        && !phoneNumberId.isEmpty();
  }

  /** Whether Meta signs the messages of both alike: their numbers belong to one app. */
  boolean isOfSameApp(WhatsAppAccount other) {
    return ConstantTime.equal(appSecret, other.appSecret);
  }

  /** Where Meta is to send messages; empty without a public address. */
  String webhookUrl() {
    return publicUrl.isEmpty() ? "" : publicUrl + "/webhooks/" + WhatsAppChannel.NAME + "/" + name;
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "WhatsAppAccount[" + name + "]";
  }
}
