package dev.holdfast.discord;

import dev.holdfast.kit.RecentMap;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * What is known of the bot's posts in this run. Discord tells the nonce of a post when it is
 * written, to whoever listens, and keeps it nowhere. Thread-safe.
 */
final class SentPosts {
  private static final int NONCE_BYTES = 16;

  private final RecentMap<String> byNonce = new RecentMap<>();
  private final RecentMap<String> replies = new RecentMap<>();

  /** 22 characters, the same for each try of the reply; Discord takes 25. */
  static String nonce(String replyId) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(replyId.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(Arrays.copyOf(hash, NONCE_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** It came over the Gateway. */
  void heard(String nonce, String id) {
    if (!nonce.isEmpty()) {
      byNonce.put(nonce, id);
    }
  }

  /** It holds the reply. */
  void sent(String replyId, String id) {
    replies.put(id, replyId);
  }

  Optional<String> heard(String replyId) {
    return byNonce.find(nonce(replyId));
  }

  /** Whether the post surely holds another reply. */
  boolean isOther(String id, String replyId) {
    return replies.find(id).filter(other -> !other.equals(replyId)).isPresent();
  }
}
