package dev.holdfast.kit;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;

/** Whether all of a file has come. An answer without a length ends wherever its connection does. */
public final class WholeFile {
  private WholeFile() {}

  /**
   * Returns what has come.
   *
   * @param told the size as the platform has measured it, not whoever sent the file; 0 or less when
   *     it tells none
   * @throws CallFailedException NETWORK when fewer bytes have come; another try may bring all. More
   *     are no reason to doubt it: some platforms convert what they hand out
   */
  public static byte[] checked(byte[] content, long told) throws CallFailedException {
    if (content.length < told) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.NETWORK,
              "only %d of its %d bytes have come".formatted(content.length, told)));
    }
    return content;
  }
}
