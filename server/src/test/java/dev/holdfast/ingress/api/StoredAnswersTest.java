package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoredAnswersTest {
  @ParameterizedTest
  @CsvSource({"q.p.1, true", "q.p.12, true", "q.p3.1, true", "q.a.1, false", "q.a3.1, false"})
  void aQuestionIsOneAfterReplaysToo(String replyId, boolean question) {
    assertThat(StoredAnswers.isQuestion(replyId)).isEqualTo(question);
  }
}
