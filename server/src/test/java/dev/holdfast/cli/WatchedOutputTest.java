package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WatchedOutputTest {
  private final StringWriter err = new StringWriter();

  @Test
  void aResultThatDoesNotFitOnTheDiskIsNoSuccess() throws Exception {
    try (OutputStream full = new FileOutputStream("/dev/full")) {
      assertThat(end(full, ExitCode.OK)).isEqualTo(ExitCode.IO);
      assertThat(err)
          .hasToString("holdfast: the output could not be written: No space left on device\n");
      assertThat(end(full, ExitCode.NOT_GOOD)).isEqualTo(ExitCode.NOT_GOOD);
    }
  }

  @Test
  void aReaderThatHasSeenEnoughIsNoFailure() throws Exception {
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int octet) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    assertThat(end(closed, ExitCode.OK)).isEqualTo(ExitCode.OK);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void whatIsWrittenArrives() {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    assertThat(end(file, ExitCode.OK)).isEqualTo(ExitCode.OK);
    assertThat(file.toString(StandardCharsets.UTF_8)).isEqualTo("Größe\n");
  }

  private int end(OutputStream to, int exitCode) {
    WatchedOutput output = new WatchedOutput(to);
    Terminal terminal =
        new Terminal(
            new PrintWriter(output, false, StandardCharsets.UTF_8),
            new PrintWriter(err),
            false,
            "1",
            () -> 0);
    terminal.line("Größe");
    return Cli.written(output, terminal, exitCode);
  }
}
