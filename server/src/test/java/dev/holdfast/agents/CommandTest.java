package dev.holdfast.agents;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTest {
  @ParameterizedTest
  @CsvSource({
    "/stop, STOP", "' /STOP ', STOP", "/stop  all, STOP_ALL", "/new, NEW", "/status, STATUS", "/help, HELP"
  })
  void aMessageThatIsOneOfTheWordsAloneIsACommand(String text, Command command) {
    assertThat(Command.of(text)).contains(command);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "stop", "/stop it", "/unknown", "please /stop", "//stop", "/stop\nall of it"})
  void anythingElseIsForTheModel(String text) {
    assertThat(Command.of(text)).isEmpty();
  }
}
