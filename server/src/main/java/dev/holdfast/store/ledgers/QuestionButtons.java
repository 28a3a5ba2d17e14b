package dev.holdfast.store.ledgers;

import dev.holdfast.api.Choice;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * The buttons under a question. Their tokens go out with the post; the question keeps hashes of
 * them.
 *
 * @param choices at most two, in the order in which they are shown
 * @param approveHash SHA-256 of the token that approves, in hexadecimal; empty without such a
 *     button
 * @param denyHash of the one that denies
 */
public record QuestionButtons(List<Choice> choices, String approveHash, String denyHash) {
  private static final int TOKEN_BYTES = 16;

  public QuestionButtons {
    choices = List.copyOf(choices);
  }

  /** {@code mayApprove}: whether all that would be approved is shown. */
  public static QuestionButtons draw(SecureRandom random, boolean mayApprove) {
    String approve = token(random);
    String deny = token(random);
    Choice denies = new Choice("Deny", deny, false);
    return mayApprove
        ? new QuestionButtons(
            List.of(new Choice("Approve", approve, true), denies), hash(approve), hash(deny))
        : new QuestionButtons(List.of(denies), "", hash(deny));
  }

  private static String token(SecureRandom random) {
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  static String hash(String token) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
