package dev.holdfast.natskit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NatsSubjectsTest {
  @ParameterizedTest
  @CsvSource({
    ">, a.b, true",
    "a.>, a.b.c, true",
    "a.>, a, false",
    "a.*, a.b, true",
    "a.*, a.b.c, false",
    "a.*, a.>, false",
    "a.>, a.*, true",
    "a.b, a.b, true",
    "a.b, a.c, false",
    "a, a.b, false",
    "a.*.>, a.b.>, true",
    "a.*.>, a.>, false"
  })
  void aFilterCoversWhatNatsWouldDeliver(String filter, String other, boolean covers) {
    assertThat(NatsSubjects.covers(filter, other)).isEqualTo(covers);
  }
}
