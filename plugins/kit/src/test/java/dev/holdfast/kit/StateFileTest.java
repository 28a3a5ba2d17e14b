package dev.holdfast.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFileTest {
  @TempDir private Path folder;

  @Test
  void whatIsPutIsThereAfterARestartAndWhatIsRemovedIsNot() throws IOException {
    Path file = folder.resolve("state.json");
    StateFile state = StateFile.open(file, 10);
    state.put("a", Map.of("n", 1L, "text", "grüße \"x\""));
    state.put("b", Map.of());
    state.remove("b");
    StateFile again = StateFile.open(file, 10);
    assertThat(again.find("a")).contains(Map.of("n", 1L, "text", "grüße \"x\""));
    assertThat(again.find("b")).isEmpty();
  }

  @Test
  void theOldestEntriesAreLeftOut() throws IOException {
    StateFile state = StateFile.open(folder.resolve("state.json"), 2);
    for (String key : new String[] {"a", "b", "a", "c"}) {
      state.put(key, Map.of());
    }
    assertThat(state.all().keySet()).containsExactly("a", "c");
  }

  @Test
  void aDamagedFileIsSetAside() throws IOException {
    Path file = Files.writeString(folder.resolve("state.json"), "{\"a\":{");
    assertThat(StateFile.open(file, 2).all()).isEmpty();
    assertThat(folder.resolve("state.json.damaged")).hasContent("{\"a\":{");
    StateFile.open(file, 2).put("b", Map.of());
    assertThat(StateFile.open(file, 2).find("b")).isPresent();
  }

  @Test
  void whatCannotBeWrittenIsToldAndKeptInMemory() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    StateFile state = StateFile.open(inner.resolve("state.json"), 2);
    Files.delete(inner);
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> state.put("a", Map.of()));
    assertThat(state.find("a")).isPresent();
  }

  @Test
  void halfAFileOfAWriteThatACrashCutOffIsNotRead() throws IOException {
    Path file = folder.resolve("state.json");
    StateFile.open(file, 2).put("a", Map.of());
    Files.writeString(folder.resolve("state.json.new"), "{\"b");
    StateFile again = StateFile.open(file, 2);
    again.put("c", Map.of());
    assertThat(StateFile.open(file, 2).all().keySet()).containsExactly("a", "c");
  }
}
