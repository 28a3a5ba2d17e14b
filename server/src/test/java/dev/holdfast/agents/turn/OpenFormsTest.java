package dev.holdfast.agents.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tools.forms.PersonForm;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class OpenFormsTest {
  private final OpenForms forms = new OpenForms();

  private static OpenForms.Open asked(String source, int number) {
    return new OpenForms.Open(
        "CODE" + number,
        "t",
        "ann",
        new PersonForm(source, "", List.of()),
        new CompletableFuture<>());
  }

  @Test
  void oneSourceCannotTakeThePlacesOfAllOthers() {
    for (int i = 0; i < OpenForms.OPEN_OF_SOURCE_MAX; i++) {
      assertThat(forms.add(asked("x", i))).isTrue();
    }
    assertThat(forms.add(asked("x", 99))).isFalse();
    assertThat(forms.add(asked("y", 99))).isTrue();
  }

  @Test
  void noMoreThanSoManyWaitAndOneThatEndsMakesRoom() {
    for (int i = 0; i < OpenForms.OPEN_MAX - 1; i++) {
      assertThat(forms.add(asked("s" + i % 5, i))).isTrue();
    }
    OpenForms.Open last = asked("last", 100);
    assertThat(forms.add(last)).isTrue();
    assertThat(forms.add(asked("more", 101))).isFalse();
    forms.remove(last);
    assertThat(forms.add(asked("more", 101))).isTrue();
  }

  @Test
  void aReplyCountsOnce() {
    assertThat(forms.add(asked("x", 1))).isTrue();
    assertThat(forms.answer("t", "code1", "ann", "")).contains("Your answer went to the x.");
    assertThat(forms.deny("t", "CODE1", "ann")).contains(ChatSentences.TOO_LATE);
  }
}
