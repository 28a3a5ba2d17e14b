package dev.holdfast.cli;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Status;
import org.jspecify.annotations.Nullable;

/**
 * The lines that a person types on a terminal, with editing and a history; what others write
 * appears above the line that is being typed. One thread reads; any may write.
 */
final class LineEditor implements Terminal.Screen, AutoCloseable {
  /** What {@link #read} returns instead of a line for Ctrl-C. */
  static final String INTERRUPTED = "\u0003";

  private static final int HISTORY_MAX = 2000;

  private final org.jline.terminal.Terminal terminal;
  private final LineReader reader;
  private final Status status;

  private LineEditor(org.jline.terminal.Terminal terminal, Path history) {
    this.terminal = terminal;
    this.reader =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .appName("holdfast")
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true) // an exclamation mark is one
            .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
            .variable(LineReader.HISTORY_FILE, history)
            .variable(LineReader.HISTORY_SIZE, HISTORY_MAX)
            .variable(LineReader.HISTORY_FILE_SIZE, HISTORY_MAX)
            .build();
    this.status = Status.getStatus(terminal);
  }

  /**
   * Takes over the terminal of this process.
   *
   * @throws IOException if it cannot be taken over, or the history cannot be written
   */
  static LineEditor open(Map<String, String> variables) throws IOException {
    Path history = history(variables);
    createPrivate(history);
    return new LineEditor(
        TerminalBuilder.builder().system(true).ffm(true).jni(false).exec(false).build(), history);
  }

  /** In the person's state folder, as the XDG Base Directory Specification names it. */
  static Path history(Map<String, String> variables) {
    String state = variables.getOrDefault("XDG_STATE_HOME", "");
    Path folder =
        state.startsWith("/")
            ? Path.of(state)
            : Path.of(variables.getOrDefault("HOME", "."), ".local", "state");
    return folder.resolve("holdfast").resolve("chat-history");
  }

  /** What was said to the server is nobody else's business. */
  static void createPrivate(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    try {
      Path _ =
          Files.createFile(
              file,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException _) {
      // It keeps what it was given.
    }
  }

  /** Blocks. Null at the end: Ctrl-D. */
  @Nullable String read(String prompt) {
    try {
      return reader.readLine(prompt);
    } catch (UserInterruptException _) {
      return INTERRUPTED;
    } catch (EndOfFileException _) {
      return null;
    }
  }

  @Override
  public void above(String text) {
    reader.printAbove(text);
  }

  @Override
  public void progress(String text) {
    status.update(text.isEmpty() ? List.of() : List.of(new AttributedString(text)));
  }

  @Override
  public void close() throws IOException {
    status.close();
    terminal.close();
  }
}
