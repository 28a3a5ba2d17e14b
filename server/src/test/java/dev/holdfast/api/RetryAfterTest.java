package dev.holdfast.api;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration YEAR = Duration.ofDays(365);

  private static Duration header(String value) {
    return RetryAfter.ofHeaders(Map.of("retry-after", List.of(value)), NOW);
  }

  private static Duration millis(String value) {
    return RetryAfter.ofHeaders(Map.of("retry-after-ms", List.of(value)), NOW);
  }

  @Test
  void aHeaderHasSecondsOrADate() {
    assertThat(header("5")).isEqualTo(ofSeconds(5));
    assertThat(header(" 1.5 ")).isEqualTo(ofMillis(1500));
    assertThat(header("0.1")).isEqualTo(ofMillis(100));
    assertThat(header("Thu, 01 Jan 2026 00:01:00 GMT")).isEqualTo(ofSeconds(60));
    assertThat(header("0")).isZero();
    assertThat(RetryAfter.ofHeaders(Map.of(), NOW)).isZero();
    assertThat(RetryAfter.ofHeaders(Map.of("retry-after", List.of()), NOW)).isZero();
  }

  @Test
  void millisecondsGoFirstWhenTheyMakeSense() {
    assertThat(millis("250")).isEqualTo(ofMillis(250));
    assertThat(both("250")).isEqualTo(ofMillis(250));
    assertThat(both("0")).isEqualTo(ofSeconds(1));
    assertThat(both("soon")).isEqualTo(ofSeconds(1));
  }

  private static Duration both(String millis) {
    return RetryAfter.ofHeaders(
        Map.of("retry-after-ms", List.of(millis), "retry-after", List.of("1")), NOW);
  }

  @Test
  void aTextInABodyHasSeconds() {
    assertThat(RetryAfter.ofText("46s")).isEqualTo(ofSeconds(46));
    assertThat(RetryAfter.ofText(" 1.25s")).isEqualTo(ofMillis(1250));
    assertThat(RetryAfter.ofText("999999999999s")).isEqualTo(YEAR);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-5",
        "+5",
        "soon",
        "1e9",
        "NaN",
        "Infinity",
        "0x10",
        "5,5",
        ".5",
        "5.",
        "٥",
        "9999999999999",
        "1.1234567890",
        "5 s",
        "12:30",
        "Thu, 99 Foo 2026 00:01:00 GMT"
      })
  void whatMakesNoSenseIsNoWait(String value) {
    assertThat(header(value)).isZero();
    assertThat(millis(value)).isZero();
    assertThat(RetryAfter.ofText(value)).isZero();
    assertThat(RetryAfter.ofText(value + " s")).isZero();
  }

  @Test
  void aDateInThePastIsNoWait() {
    assertThat(header("Wed, 31 Dec 2025 23:59:00 GMT")).isZero();
    assertThat(header("Thu, 01 Jan 1970 00:00:00 GMT")).isZero();
  }

  @Test
  void aWaitFarAheadIsAYear() {
    assertThat(header("31536001")).isEqualTo(YEAR);
    assertThat(header("999999999999.999999999")).isEqualTo(YEAR);
    assertThat(millis("999999999999")).isEqualTo(YEAR);
    assertThat(header("Fri, 01 Jan 9999 00:00:00 GMT")).isEqualTo(YEAR);
  }

  private static Duration limited(String... namesAndValues) {
    Map<String, List<String>> headers = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.put(namesAndValues[i], List.of(namesAndValues[i + 1]));
    }
    return RetryAfter.ofRateLimit(headers, NOW);
  }

  @Test
  void aLimitThatIsUsedUpSaysWhenItBeginsAnew() {
    String left = "x-ratelimit-remaining";
    String reset = "x-ratelimit-reset";
    assertThat(limited(left, "0", "x-ratelimit-reset-after", "1.5", reset, "99"))
        .isEqualTo(ofMillis(1500));
    assertThat(limited(left, "0", reset, "30")).isEqualTo(ofSeconds(30));
    assertThat(limited(left, "0", reset, Long.toString(NOW.getEpochSecond() + 20)))
        .isEqualTo(ofSeconds(20));
    assertThat(limited(left, "0", reset, Long.toString(NOW.getEpochSecond() - 20))).isZero();
    assertThat(limited(left, "1", reset, "30")).isZero();
    assertThat(limited(reset, "30")).isZero();
    assertThat(limited(left, "0", reset, "30", "retry-after", "7")).isEqualTo(ofSeconds(7));
    assertThat(limited(left, "0", reset, "soon")).isZero();
  }
}
