package dev.holdfast.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import org.junit.jupiter.api.Test;

class WholeFileTest {
  private static final byte[] TEN = new byte[10];

  @Test
  void whatHasItsSizeOrToldNoneIsWhole() throws Exception {
    for (long told : new long[] {-1, 0, 9, 10}) {
      assertThat(WholeFile.checked(TEN, told)).isSameAs(TEN);
    }
    assertThat(WholeFile.checked(new byte[0], -1)).isEmpty();
  }

  @Test
  void whatIsShorterThanThePlatformSaysWasCut() {
    assertThatThrownBy(() -> WholeFile.checked(TEN, 11))
        .isInstanceOfSatisfying(
            CallFailedException.class,
            e -> {
              assertThat(e.failure().code()).isEqualTo(FailureCode.NETWORK);
              assertThat(e.isPassing()).isTrue();
              assertThat(e.failure().message()).isEqualTo("only 10 of its 11 bytes have come");
            });
  }
}
