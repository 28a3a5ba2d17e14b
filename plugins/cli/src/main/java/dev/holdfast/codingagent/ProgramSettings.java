package dev.holdfast.codingagent;

import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The section {@code plugins.cli}; the server has held it against its schema.
 *
 * @param command what is started; empty for the program that is found
 * @param arguments are put after what the protocol of the program needs
 * @param idle after so long without a word of it the program is ended
 * @param mode of sessions, one of those that an agent of ACP offers; empty for its own default
 * @param authMethod by which an agent of ACP is logged in; empty for none
 */
record ProgramSettings(
    ProgramKind kind,
    List<String> command,
    List<String> arguments,
    Duration idle,
    String mode,
    String authMethod) {
  private static final long IDLE_SECONDS = 300;

  /** How a program is talked to. */
  enum ProgramKind {
    AUTO,
    ACP,
    CLAUDE,
    CODEX;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  ProgramSettings {
    command = List.copyOf(command);
    arguments = List.copyOf(arguments);
  }

  static ProgramSettings read(String json) {
    Map<String, Object> given = JsonText.object(json);
    String kind = JsonText.text(given, "program");
    return new ProgramSettings(
        kind.isEmpty() ? ProgramKind.AUTO : ProgramKind.valueOf(kind.toUpperCase(Locale.ROOT)),
        texts(given, "command"),
        texts(given, "arguments"),
        Duration.ofSeconds(JsonText.whole(given, "idle_secs", IDLE_SECONDS)),
        JsonText.text(given, "mode"),
        JsonText.text(given, "auth_method"));
  }

  private static List<String> texts(Map<String, Object> object, String key) {
    return object.get(key) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }
}
