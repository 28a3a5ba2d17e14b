package dev.holdfast.bus;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class SubjectsTest {
  @Test
  void aNameIsOneTokenThatPeopleCanRead() {
    assertThat(Subjects.inbound("telegram", "telegram:main:-100_7"))
        .isEqualTo("holdfast.inbound.telegram.telegram%3Amain%3A-100_7");
    assertThat(Subjects.token("a.b*c>d e")).isEqualTo("a%2Eb%2Ac%3Ed%20e");
    assertThat(Subjects.token("ü")).isEqualTo("%C3%BC");
    assertThat(Subjects.token("")).isEqualTo("%");
  }

  @Property
  void noNameLeavesItsToken(@ForAll @StringLength(max = 400) String name) {
    assertThat(Subjects.token(name)).matches("[A-Za-z0-9_~%-]{1,160}");
  }

  @Test
  void longNamesStayDifferent() {
    String start = "x".repeat(300);
    assertThat(Subjects.token(start + "1")).isNotEqualTo(Subjects.token(start + "2"));
  }
}
