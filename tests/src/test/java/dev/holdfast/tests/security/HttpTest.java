package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.ServerApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rows S16, S31 and S33: injected lines and thread ids. */
class HttpTest extends SharedServer {
  /** Row S16: line breaks in paths, ids and headers reach neither log lines nor headers. */
  @Test
  void injectedLinesStayOneLine() throws IOException {
    Answer answer =
        rig.api()
            .get(
                "/api/v1/events/"
                    + ServerApi.encode("x\r\nx-injected: yes\r\n\r\nforged log line"));
    assertThat(answer.status()).isIn(400, 404);
    assertThat(answer.header("x-injected")).isEmpty();
    assertThat(rig.sender().send("s16", "t\r\nforged log line: all is well", "hello").status())
        .isEqualTo(400);
    rig.converse("s16\\r\\nforged", "t", "a\r\nforged log line: b");
    assertThat(rig.server().output().lines()).noneMatch(line -> line.startsWith("forged log line"));
    assertThat(rawStatus("GET /li\rve HTTP/1.1\r\nhost: 127.0.0.1\r\nx: a\u0000b\r\n\r\n"))
        .isIn(400, 404, 0);
  }

  /** Row S31: what a stranger can read names no person, thread or secret. */
  @Test
  void publicPagesSayLittle() throws IOException {
    rig.converse("s31", "very-private-thread", "very private words");
    String ready = http.get(rig.setup().url("/ready"), Map.of()).body();
    String live = http.get(rig.setup().url("/live"), Map.of()).body();
    for (String text : List.of(ready, live, rig.metrics().text())) {
      assertThat(text)
          .doesNotContain(
              "very-private-thread", "very private words", "alice", "whsec_", rig.api().token());
    }
    Answer served = http.get(rig.setup().url("/live"), Map.of());
    assertThat(served.headers().firstValue("server")).isEmpty();
  }

  /** Row S33: each thread id has a folder of its own, inside the data folder. */
  @Test
  void strangeThreadIdsShareNoFolder() throws IOException {
    List<String> ids =
        List.of(
            "../../x",
            "/etc/x",
            "a/../b",
            "a",
            "A",
            "con",
            "CON",
            ".",
            "..",
            "\u202Eabc",
            Normalizer.normalize("\u00e9", Normalizer.Form.NFC),
            Normalizer.normalize("\u00e9", Normalizer.Form.NFD),
            "a b",
            "%2e%2e",
            "x".repeat(200),
            "a:b:c");
    Set<String> answered = new HashSet<>();
    for (int i = 0; i < ids.size(); i++) {
      rig.converse("s33-" + i, ids.get(i), "words of thread " + i);
      answered.add("s33-" + i);
    }
    try (Stream<Path> files = Files.walk(rig.setup().dataDir())) {
      List<Path> contexts =
          files
              .filter(file -> file.endsWith("context.jsonl") || file.endsWith("log.jsonl"))
              .toList();
      for (int i = 0; i < ids.size(); i++) {
        String words = "words of thread " + i + "\"";
        long folders =
            contexts.stream()
                .filter(file -> read(file).contains(words))
                .map(Path::getParent)
                .distinct()
                .count();
        assertThat(folders).as("folders with the words of " + ids.get(i)).isEqualTo(1);
      }
      Set<Path> parents = new HashSet<>();
      contexts.forEach(file -> parents.add(file.getParent()));
      assertThat(parents).hasSizeGreaterThanOrEqualTo(answered.size());
    }
    assertThat(Path.of("/etc/x")).doesNotExist();
  }

  /** Row S33: what is too long or holds NUL is refused, not cut. */
  @Test
  void impossibleThreadIdsAreRefused() throws IOException {
    for (String thread :
        List.of("", "x".repeat(5_000), "nul\u0000nul", "tab\there", "line\nbreak")) {
      assertThat(rig.sender().send("s33b", thread, "hello").status()).isEqualTo(400);
      assertNoEvent("s33b");
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
