package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Rows S40, S42 to S44, S56 to S58: what a command that a model runs gets hold of. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileFileTest {
  private static final String TOKEN = "canary-tool-token-91d2c4b7aa03";
  private static final List<String> SEDUCERS =
      List.of(
          "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "PYTHONPATH", "JAVA_TOOL_OPTIONS", "GIT_DIR");

  private final ShellRig shell = new ShellRig();
  private int messages;

  @BeforeAll
  void start() {
    SEDUCERS.forEach(name -> shell.rig().setup().env(name, ""));
    shell.rig().setup().env("JAVA_TOOL_OPTIONS", "-Dcanary=seduced");
    shell.rig().setup().env("BASH_ENV", "/tmp/canary-seduced");
    shell.rig().setup().env("NODE_OPTIONS", "--title=canary-seduced");
    shell.rig().setup().env("PYTHONPATH", "/tmp/canary-seduced");
    shell.rig().setup().env("HOLDFAST_TOKEN", TOKEN);
    shell.start();
  }

  @AfterEach
  void isStillWell() {
    long pid = shell.rig().server().pid();
    assertThat(shell.say("well-" + messages++, "well", "are you well?")).contains("are you well?");
    assertThat(shell.rig().server().pid()).isEqualTo(pid);
    assertThat(shell.rig().server().isAlive()).isTrue();
  }

  @AfterAll
  void stop() {
    shell.close();
  }

  /** Row S40: what looks like a command in a path or a text is a path or a text. */
  @Test
  void metacharactersInArgumentsAreLiteral() {
    String name = "-a;touch pwned;$(touch pwned2)`touch pwned3`*?|&>x $HOME.txt";
    String text = "$(touch pwned4); `id` %s \\n";
    String written =
        shell.say(
            next(), "s40", ShellRig.call("write_file", Map.of("path", name, "content", text)));
    assertThat(written).doesNotContain("!tool");
    assertThat(shell.say(next(), "s40", ShellRig.call("read_file", Map.of("path", name))))
        .contains("$(touch pwned4); `id` %s");
    assertThat(run("s40", "ls -1A; pwd")).contains(name).doesNotContain("\npwned");
  }

  /** Row S42. */
  @Test
  void variablesThatMakeProgramsDoOtherThingsDoNotReachChildren() {
    String environment = run("s42", "env; cat /proc/self/environ | tr '\\0' '\\n'");
    assertThat(environment).contains("PATH=").contains("HOME=").doesNotContain("seduced");
    for (String name : SEDUCERS) {
      assertThat(environment).doesNotContain(name + "=");
    }
    assertThat(environment).doesNotContain("HOLDFAST_TOKEN", TOKEN);
  }

  /** Row S43: descriptors of the server are closed in its children. */
  @Test
  void aChildHasNoDescriptorAboveTwo() {
    String open = run("s43", "ls /proc/$$/fd > list; sed 's/^/fd /' list");
    assertThat(open.lines().filter(line -> line.contains("fd ")))
        .isNotEmpty()
        .allMatch(line -> line.matches(".*fd [012]"));
  }

  /** Row S43: the server's memory, environment and process are out of reach. */
  @Test
  void aChildCannotLookIntoTheServer() {
    shell.assumeOwnNamespace("/proc/<pid> of the server");
    long pid = shell.rig().server().pid();
    String seen =
        run(
            "s43",
            "tr '\\0' '\\n' < /proc/%1$d/environ; head -c 9 /proc/%1$d/mem; cat /proc/*/cmdline | tr '\\0' ' '; ls -l /proc/%1$d/root/"
                .formatted(pid));
    assertThat(seen).doesNotContain(TOKEN, "holdfast.jar", "seduced");
    assertThat(run("s43", "strace -p %d -o x true; kill -0 %d && echo ALIVE".formatted(pid, pid)))
        .doesNotContain("ALIVE");
  }

  /** Row S43: a thread's folder is not another's. */
  @Test
  void aChildCannotReadAnotherThreadsFiles() {
    run("private", "echo 'private words' > mine");
    Path mine = shell.scratch("private").resolve("mine");
    assertThat(mine).exists();
    shell.assumeOwnNamespace("the files of other threads");
    String seen =
        run(
            "curious",
            "cat '%s'; cat ../../*/*/scratch/mine; find / -name mine -newermt 2020-01-01 2>/dev/null | head"
                .formatted(mine));
    assertThat(seen).doesNotContain("private words");
  }

  /** Row S44. */
  @Test
  void aChildCannotEndTheServer() {
    shell.assumeOwnNamespace("kill -9 of the server");
    long pid = shell.rig().server().pid();
    String seen = run("s44", "kill -9 %1$d && echo HIT; kill -9 $PPID; echo over".formatted(pid));
    assertThat(seen).doesNotContain("HIT\n");
  }

  /** Row S44: the data folder is neither there to be read nor to be written. */
  @Test
  void aChildCannotTouchTheDataFolder() throws IOException {
    shell.assumeOwnNamespace("the data folder");
    Path data = shell.rig().setup().dataDir();
    String seen =
        run(
            "s44",
            "ls '%1$s'; cat '%1$s/holdfast.db' '%2$s' | head -c 20; echo x > '%1$s/holdfast.db'; rm -rf '%1$s/threads'; echo x > '%1$s/new'"
                .formatted(data, shell.rig().folder().resolve("holdfast.yaml")));
    assertThat(seen).doesNotContain("SQLite format", "holdfast.lock", "channels");
    assertThat(data.resolve("new")).doesNotExist();
    assertThat(Files.size(data.resolve("holdfast.db"))).isGreaterThan(100);
  }

  /** Rows S56 and S57: a secret that comes out of a tool in pieces or in another coat. */
  @Test
  void aSecretThatAToolPrintsIsKeptNowhere() throws IOException {
    String halves = "printf '%s%s' 'canary-tool-token-' '91d2c4b7aa03'";
    String id = next();
    String answer =
        shell.run(
            id,
            "s57",
            "%1$s; echo; %1$s | base64 -w0; echo; printf 'x'; %1$s >&2; %1$s > kept-by-the-child"
                .formatted(halves));
    String base64 = base64(TOKEN);
    assertThat(answer).doesNotContain(TOKEN, base64);
    assertThat(bearer("/api/v1/events/" + id)).contains("tool.ended").doesNotContain(TOKEN, base64);
    assertThat(shell.rig().server().output()).doesNotContain(TOKEN, base64);
    assertThat(shell.rig().metrics().text()).doesNotContain(TOKEN);
    try (Stream<Path> files = Files.walk(shell.rig().setup().dataDir())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        assertThat(text.contains(TOKEN) || text.contains(base64))
            .as(file.toString())
            .isEqualTo(file.endsWith("kept-by-the-child")); // what a child writes is its own
      }
    }
  }

  /** Row S58: it is answered or refused, and others are served meanwhile. */
  @Test
  void aMessageOfAMillionCharactersIsAnsweredOrRefused() throws IOException {
    String id = next();
    Answer answer = shell.rig().sender().send(id, "s58", "a".repeat(1_000_000));
    assertThat(answer.status()).isIn(200, 413);
    assertThat(shell.say(next(), "other", "meanwhile")).contains("meanwhile");
    if (answer.status() == 200) {
      shell.rig().platform().awaitPost(id, Duration.ofSeconds(60));
    }
  }

  private String bearer(String path) throws IOException {
    return new Http()
        .get(shell.rig().setup().url(path), Map.of("authorization", "Bearer " + TOKEN))
        .body();
  }

  private static String base64(String text) {
    return Base64.getEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private String run(String thread, String line) {
    return shell.run(next(), thread, line);
  }

  private String next() {
    return "e" + messages++;
  }
}
