package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Command;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTest {
  @ParameterizedTest
  @CsvSource({
    "/stop, STOP",
    "' /STOP ', STOP",
    "/stop  all, STOP_ALL",
    "/new, NEW",
    "/status, STATUS",
    "/help, HELP"
  })
  void aMessageThatIsOneOfTheWordsAloneIsACommand(String text, Command.Word word) {
    assertThat(Command.of(text)).contains(new Command(word, ""));
  }

  @Test
  void theNameOfABotBehindTheWordDoesNotMatter() {
    assertThat(Command.of("/stop@SomeBot")).contains(new Command(Command.Word.STOP, ""));
    assertThat(Command.of("/STOP@some_bot all")).contains(new Command(Command.Word.STOP_ALL, ""));
    assertThat(Command.of("/deny@b 7F3KX")).contains(new Command(Command.Word.DENY, "7F3KX"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/stop now", "/Stop  please", "/stop@bot it", "/stop\nall of it"})
  void aStopWithMoreWordsIsNotForTheModel(String text) {
    assertThat(Command.of(text)).contains(new Command(Command.Word.STOP_WITH_MORE, ""));
  }

  /** Commands that wait are kept in memory. */
  @Test
  void whatIsTooLongForACodeIsForTheModel() {
    String code = "x".repeat(64);
    assertThat(Command.of("/approve " + code)).contains(new Command(Command.Word.APPROVE, code));
    assertThat(Command.of("/approve x" + code)).isEmpty();
    assertThat(Command.of("/deny x" + code)).isEmpty();
  }

  @Test
  void anAnswerToAQuestionTakesItsCode() {
    assertThat(Command.of("/approve 7F3KX")).contains(new Command(Command.Word.APPROVE, "7F3KX"));
    assertThat(Command.of(" /Deny  7F3KX ")).contains(new Command(Command.Word.DENY, "7F3KX"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "stop",
        "/unknown",
        "please /stop",
        "//stop",
        "/stopped",
        "/stop@",
        "/new@bot please",
        "/status now",
        "/approve",
        "> /approve 7F3KX",
        "/approve 7F3KX and more"
      })
  void anythingElseIsForTheModel(String text) {
    assertThat(Command.of(text)).isEmpty();
  }
}
