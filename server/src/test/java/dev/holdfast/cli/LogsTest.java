package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import dev.holdfast.config.Secrets;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LogsTest {
  private final LoggerContext context = new LoggerContext();

  LogsTest() {
    context.setMDCAdapter(new LogbackMDCAdapter());
  }

  private LoggingEvent event(String message, @Nullable Throwable error) {
    return new LoggingEvent(
        "x", context.getLogger("dev.holdfast.X"), Level.WARN, message, error, null);
  }

  @Test
  void aLineIsOneJsonObjectWithoutSecrets() throws Exception {
    Secrets secrets = new Secrets();
    secrets.add("hush-hush");
    context.putObject("holdfast.secrets", secrets);
    JsonLineEncoder encoder = new JsonLineEncoder();
    encoder.setContext(context);
    String line =
        new String(
            encoder.encode(
                event("thread t: \"hush-hush\"\n{\"level\":\"forged\"}", new Error("hush-hush"))),
            StandardCharsets.UTF_8);
    assertThat(line).endsWith("}\n").doesNotContain("hush");
    assertThat(line.strip()).doesNotContain("\n");
    assertThat(CliJson.parse(line).path("level").asText()).isEqualTo("warn");
    assertThat(CliJson.parse(line).path("message").asText()).startsWith("thread t: \"***\"\n{");
    assertThat(CliJson.parse(line).path("error").asText())
        .contains("java.lang.Error: ***", "LogsTest");
  }

  @Test
  void aLineForPeopleIsOneLineWithoutSecretsThatDoesNothingToATerminal() {
    Secrets secrets = new Secrets();
    secrets.add("hush-hush");
    context.putObject("holdfast.secrets", secrets);
    TextLineEncoder encoder = new TextLineEncoder();
    encoder.setContext(context);
    String line =
        new String(
            encoder.encode(
                event("hush-hush\n10:00:00 info  forged\u001b[2J", new Error("hush-hush"))),
            StandardCharsets.UTF_8);
    assertThat(line)
        .matches("(?s)[0-9]{2}:[0-9]{2}:[0-9]{2} warn  X: \\*\\*\\*\\\\n10:00:00 .*")
        .contains("forged\\u001B[2J\n  java.lang.Error: ***\n")
        .doesNotContain("hush");
    assertThat(line.lines().skip(1)).allMatch(more -> more.startsWith("  "));
  }

  @Test
  void aTerminalGetsLinesForPeopleUnlessItIsToldOtherwise() {
    assertThat(Logs.areForPeople(List.of("run"), true)).isTrue();
    assertThat(Logs.areForPeople(List.of("run"), false)).isFalse();
    assertThat(Logs.areForPeople(List.of("run", "--log", "json"), true)).isFalse();
    assertThat(Logs.areForPeople(List.of("run", "--log=json"), true)).isFalse();
    assertThat(Logs.areForPeople(List.of("run", "--log", "text"), false)).isTrue();
    assertThat(Logs.areForPeople(List.of("run", "--log=text"), false)).isTrue();
  }

  /** Whoever reads the log reads it in a terminal. */
  @Test
  void aLineDoesNothingToATerminalAndSaysTheSame() throws Exception {
    JsonLineEncoder encoder = new JsonLineEncoder();
    encoder.setContext(context);
    String hostile = "thread a\u001b[2J\r\n\u009b1A\u007f\u202eb\u2028c\u200fd";
    String line = new String(encoder.encode(event(hostile, null)), StandardCharsets.UTF_8);
    assertThat(line).matches("[ -~]+\n").contains("\\u202Eb", "\\u009B1A", "\\r\\n");
    assertThat(CliJson.parse(line).path("message").asText()).isEqualTo(hostile);
  }

  @Test
  @Timeout(30)
  void aReaderThatHangsBlocksNobody() {
    CountDownLatch hangs = new CountDownLatch(1);
    AppenderBase<ILoggingEvent> slow =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            try {
              hangs.await();
            } catch (InterruptedException _) {
              Thread.currentThread().interrupt();
            }
          }
        };
    slow.setContext(context);
    slow.start();
    LogQueue queue = new LogQueue();
    queue.setContext(context);
    queue.setQueueSize(10);
    queue.addAppender(slow);
    queue.start();
    for (int i = 0; i < 1000; i++) {
      queue.doAppend(event("line " + i, new Error("e")));
    }
    assertThat(queue.dropped()).isBetween(950L, 995L);
    hangs.countDown();
    queue.stop();
  }
}
