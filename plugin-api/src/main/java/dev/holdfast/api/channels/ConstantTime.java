package dev.holdfast.api.channels;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Compares what is presented with what is secret. */
public final class ConstantTime {
  private ConstantTime() {}

  /** Takes the same time wherever they differ; their lengths are no secret. */
  public static boolean equal(String expected, String presented) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), presented.getBytes(StandardCharsets.UTF_8));
  }
}
