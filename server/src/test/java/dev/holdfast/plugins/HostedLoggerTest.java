package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class HostedLoggerTest {
  private final System.Logger log = new HostedLogger("demo");

  @Test
  void aTextWithoutValuesIsLoggedAsItIs() {
    assertThatCode(() -> log.log(System.Logger.Level.INFO, "it's {plain}"))
        .doesNotThrowAnyException();
  }
}
