package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalUrlTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, http://127.0.0.1:80",
    "10.0.0.7, http://10.0.0.7:80",
    "0.0.0.0, http://127.0.0.1:80",
    "::, http://[::1]:80",
    "[::], http://[::1]:80",
    "fd00::7, http://[fd00::7]:80",
    "bot.internal, http://bot.internal:80"
  })
  void namesAnAddressThatABrowserOfThisMachineReaches(String host, String url) {
    assertThat(LocalUrl.of(host, 80)).isEqualTo(url);
  }
}
