package dev.holdfast.mattermost;

import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * What the buttons of one account carry, and whether a click carries it. Mattermost keeps it from
 * its people, sends it back with each click, and signs nothing by itself: so it is signed here, for
 * this account and this conversation, with a key that only who has the bot's token can make.
 */
final class ClickSignature {
  static final String CHOICE = "holdfast_choice";
  private static final String THREAD = "thread";
  private static final String SIGNATURE = "signature";
  private static final int LENGTH_MAX = 1000;

  private final MattermostAccount account;
  private final HmacKey key;

  /** A choice of a conversation. */
  record SignedChoice(MattermostPlace place, String token) {}

  ClickSignature(MattermostAccount account) {
    this.account = account;
    this.key = HmacKey.ofText(HmacKey.Algorithm.SHA256, account.token());
  }

  /** Where clicks are to go. */
  String url() {
    return account.webhookUrl();
  }

  Map<String, Object> context(MattermostPlace at, String token) {
    byte[] signature = key.sign(signed(at.thread(), token));
    return Map.of(
        CHOICE, token, THREAD, at.thread(), SIGNATURE, HexFormat.of().formatHex(signature));
  }

  /** No name, id or token has a line break, so that nothing can be read in two ways. */
  private byte[] signed(String thread, String token) {
    return String.join("\n", "holdfast choice", account.name(), thread, token)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Empty when it is not this account's. */
  Optional<SignedChoice> read(Map<String, Object> context) {
    String thread = JsonText.text(context, THREAD);
    String token = JsonText.text(context, CHOICE);
    boolean isShort = thread.length() <= LENGTH_MAX && token.length() <= LENGTH_MAX;
    return isShort && key.matchesHex(JsonText.text(context, SIGNATURE), signed(thread, token))
        ? Optional.of(new SignedChoice(MattermostPlace.ofThread(thread), token))
        : Optional.empty();
  }
}
