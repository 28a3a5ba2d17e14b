package dev.holdfast.whatsapp;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What Meta names as wrong, in an answer of the Graph API or in the status of a message.
 *
 * @param code Meta's; {@code subcode} 0 when it named none
 * @param words Meta's own, one line; may be empty
 * @param isTransient whether Meta says that another try may succeed
 */
record GraphError(long code, long subcode, String words, boolean isTransient) {
  private static final int WORDS_MAX = 200;

  /** Meta advises to wait longer with each try to one person; the server's backoff does. */
  private static final Duration PAIR_WAIT = Duration.ofSeconds(6);

  /** Restrictions because of people's complaints last for hours and days. */
  private static final Duration RESTRICTED_WAIT = Duration.ofHours(1);

  /** Empty when there is no code in it. */
  static Optional<GraphError> of(Map<String, Object> error) {
    long code = JsonText.whole(error, "code", -1);
    if (code < 0) {
      return Optional.empty();
    }
    String details = JsonText.text(JsonText.map(error, "error_data"), "details");
    String said = details.isBlank() ? JsonText.text(error, "message") : details;
    String shown = said.isBlank() ? JsonText.text(error, "title") : said;
    String line = shown.replaceAll("\\p{C}", " ").strip();
    return Optional.of(
        new GraphError(
            code,
            JsonText.whole(error, "error_subcode", 0),
            line.substring(0, Math.min(line.length(), WORDS_MAX)),
            JsonText.flag(error, "is_transient")));
  }

  /** Whether Meta does not say if the work was done. */
  boolean isMaybeDone() {
    return code == 1 || code == 131000;
  }

  /** What it means, and the step that mends it. */
  Failure failure() {
    int number = code > Integer.MAX_VALUE ? -1 : (int) code;
    return switch (number) {
      case 0, 102, 190 ->
          auth(
              subcode == 463 ? "the token has expired" : "the token is not valid",
              "make one of a system user that never expires, and write it into the configuration");
      case 3, 10, 200, 131005 ->
          auth(
              "the token lacks a permission",
              "give its system user the app and the WhatsApp account with full control, and make a"
                  + " token with whatsapp_business_messaging and whatsapp_business_management");
      case 4, 17, 32, 341, 613, 80007, 130429, 133016 ->
          Failure.of(FailureCode.RATE_LIMITED, "Meta asks to wait (" + code + ")");
      case 131056 ->
          Failure.of(
                  FailureCode.RATE_LIMITED,
                  "there were too many messages to this person within a short time (131056)")
              .withRetryAfter(PAIR_WAIT);
      case 131048 ->
          Failure.of(
                  FailureCode.RATE_LIMITED,
                  "Meta restricts the number because people have blocked or reported it (131048):"
                      + " look at its quality in WhatsApp Manager")
              .withRetryAfter(RESTRICTED_WAIT);
      case 368, 131031 ->
          auth(
              "Meta has locked the account",
              "look at Business Support Home and at the account's quality in WhatsApp Manager");
      case 131042 ->
          auth("Meta cannot bill the account", "mend its payment method in WhatsApp Manager");
      case 33, 133010, 131045 ->
          auth(
              "the number is not registered with the Cloud API",
              "register it in WhatsApp Manager, or by POST /PHONE_NUMBER_ID/register");
      case 131037 ->
          auth(
              "the number has no approved display name",
              "have one approved in WhatsApp Manager, under Phone numbers");
      case 131047 ->
          refused(
              "the person last wrote more than 24 hours ago, and WhatsApp takes nothing but"
                  + " templates then: ask the person to write again, or send a template in WhatsApp"
                  + " Manager");
      case 131026 ->
          refused(
              "WhatsApp cannot deliver it to this person: perhaps the person has no WhatsApp, an old"
                  + " one, or has not accepted its terms");
      case 131030 ->
          refused(
              "the test number sends only to people on its list: add the person under WhatsApp, API"
                  + " Setup");
      case 131050 -> refused("the person wants no such messages");
      case 131051, 131052, 131053 -> refused("WhatsApp does not take this file");
      case 130497 -> refused("the account must not write to people of this country");
      case 2, 131016, 133004, 131057 ->
          Failure.of(FailureCode.OVERLOADED, "WhatsApp is unavailable (" + code + ")");
      case 1, 131000 -> Failure.of(FailureCode.BACKEND_FAILURE, "WhatsApp failed (" + code + ")");
      default -> other();
    };
  }

  private Failure other() {
    if (code == 100 && subcode == 33) {
      return auth(
          "Meta does not show the number to the token",
          "look at phone_number_id, and give the system user the WhatsApp account");
    }
    if (code > 200 && code < 300) {
      return auth("the token lacks a permission", "see Meta's page on this code");
    }
    if (code >= 132_000 && code < 133_000) {
      return refused("WhatsApp does not take the template");
    }
    if (isTransient) {
      return Failure.of(
          FailureCode.BACKEND_FAILURE, "WhatsApp failed, and asks for another try (" + code + ")");
    }
    return refused("WhatsApp refused it" + (words.isEmpty() ? "" : ", it says: " + words));
  }

  /** Nothing helps but an operator. */
  private Failure auth(String what, String step) {
    return Failure.of(FailureCode.AUTH, "%s (%d): %s".formatted(what, code, step));
  }

  /** Of this one message. */
  private Failure refused(String why) {
    return Failure.of(FailureCode.INVALID_REQUEST, why + " (" + code + ")").as(FailureKind.INVALID);
  }
}
