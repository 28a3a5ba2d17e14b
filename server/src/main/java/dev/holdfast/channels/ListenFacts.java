package dev.holdfast.channels;

import dev.holdfast.api.ListenSpec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/**
 * How an account listens.
 *
 * @param lease a hash of the channel's name and the token: what only one may have at a time
 */
public record ListenFacts(String lease, Duration silenceMax) {
  static ListenFacts of(String channel, ListenSpec spec) {
    byte[] named = (channel + '\n' + spec.token()).getBytes(StandardCharsets.UTF_8);
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(named);
      return new ListenFacts(HexFormat.of().formatHex(hash), spec.silenceMax());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
