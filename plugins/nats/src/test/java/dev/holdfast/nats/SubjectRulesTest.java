package dev.holdfast.nats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubjectRulesTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "a.b", "_INBOX.x1.y", "orders-7.new"})
  void whatHasNoWildcardCanBePublishedTo(String subject) {
    assertThat(SubjectRules.isLiteral(subject)).isTrue();
    assertThat(SubjectRules.isFilter(subject)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "a.", ".a", "a..b", "a b", "a\tb", "a.>.b", "ä"})
  void whatNatsRefusesIsNoSubject(String subject) {
    assertThat(SubjectRules.isLiteral(subject)).isFalse();
    assertThat(SubjectRules.isFilter(subject)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {">", "*", "a.*", "a.>", "*.b.>"})
  void wildcardsFilterAndAreNotPublishedTo(String subject) {
    assertThat(SubjectRules.isLiteral(subject)).isFalse();
    assertThat(SubjectRules.isFilter(subject)).isTrue();
  }

  @Test
  void aSubjectHasALengthThatItMayHave() {
    assertThat(SubjectRules.isLiteral("a".repeat(255))).isTrue();
    assertThat(SubjectRules.isLiteral("a".repeat(256))).isFalse();
  }

  @Test
  void anInboxOfHoldfastIsReserved() {
    assertThat(SubjectRules.isReserved("_INBOX.holdfast.x1.2")).isTrue();
    assertThat(SubjectRules.isReserved("_INBOX.x1.holdfast")).isFalse();
  }
}
