package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Rows F23 to F26: files of the store are cut, flipped, deleted and forged between runs. The start
 * is refused with 65, or what is served is right. How many random damages: {@code
 * -Dholdfast.damages}; the same again: {@code -Dholdfast.seed}.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DamageTest {
  private static final int DAMAGES = RunLength.of("holdfast.damages", 2, 6);
  private static final int DATA_DAMAGED = 65;
  private static final int EVENTS = 12;
  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final ServerRig rig = new ServerRig();
  private final Path stopped = rig.folder().resolve("stopped-template");
  private final Path killed = rig.folder().resolve("killed-template");
  private int number;

  /**
   * Two templates of the same conversation: one after a clean stop, one after a kill with a live
   * WAL.
   */
  @BeforeAll
  void makeTemplates() {
    rig.start();
    for (int i = 0; i < EVENTS; i++) {
      rig.converse("e" + i, "t" + i % 3, text(i));
    }
    // All answers are stored as sent: what comes again afterwards comes of the damage.
    rig.api().awaitQuiet(Duration.ofSeconds(20));
    rig.server().kill9();
    copy(rig.setup().dataDir(), killed);
    rig.start();
    assertThat(rig.server().stop()).isZero();
    copy(rig.setup().dataDir(), stopped);
  }

  @AfterAll
  void close() {
    rig.close();
  }

  /** Row F23. */
  @Test
  void aCutFileIsRefusedOrHarmless() throws Exception {
    for (int i = 0; i < DAMAGES; i++) {
      Path data = fresh(i % 2 == 0 ? stopped : killed);
      Path file = pick(data, _ -> true);
      long length = Files.size(file);
      long cut = (long) (random.nextDouble() * length);
      try (var channel = new RandomAccessFile(file.toFile(), "rw")) {
        channel.setLength(cut);
      }
      judge(data, "cut " + data.relativize(file) + " from " + length + " to " + cut);
    }
  }

  /** Row F24. */
  @Test
  void aFlippedBitIsRefusedOrHarmless() throws Exception {
    for (int i = 0; i < DAMAGES; i++) {
      Path data = fresh(i % 2 == 0 ? stopped : killed);
      Path file = pick(data, candidate -> size(candidate) > 0);
      byte[] bytes = Files.readAllBytes(file);
      int at = random.nextInt(bytes.length);
      bytes[at] = (byte) (bytes[at] ^ (1 << random.nextInt(8)));
      Files.write(file, bytes);
      judge(data, "flipped a bit of " + data.relativize(file) + " at " + at);
    }
  }

  /** Row F24, aimed: each flip hits a text that a person said or was told, in the database. */
  @Test
  void aFlippedWordIsNeverServed() throws Exception {
    for (int i = 0; i < DAMAGES; i++) {
      Path data = fresh(stopped);
      Path file = data.resolve("holdfast.db");
      byte[] bytes = Files.readAllBytes(file);
      int at = indexOf(bytes, text(random.nextInt(EVENTS)));
      assertThat(at).as("the text stands in the database").isPositive();
      bytes[at + 3] = (byte) (bytes[at + 3] ^ 1);
      Files.write(file, bytes);
      judge(data, "flipped a letter in the database at " + (at + 3));
    }
  }

  /**
   * Row F24, aimed: a changed word of a context is set aside; the model and the page never see it.
   */
  @Test
  void aFlippedWordOfAContextIsNeverServed() throws Exception {
    Path data = fresh(stopped);
    Path file = pick(data, candidate -> candidate.endsWith("context.jsonl"));
    byte[] bytes = Files.readAllBytes(file);
    int at = indexOf(bytes, "sentence of its own");
    bytes[at] = (byte) (bytes[at] ^ 1);
    Files.write(file, bytes);
    judge(data, "flipped a letter of context.jsonl at " + at);
  }

  /** Row F24, aimed: a changed word of a log is left out; the page never shows it. */
  @Test
  void aFlippedWordOfALogIsNeverServed() throws Exception {
    Path data = fresh(stopped);
    Path file = pick(data, candidate -> candidate.endsWith("log.jsonl"));
    byte[] bytes = Files.readAllBytes(file);
    int at = indexOf(bytes, "sentence of its own");
    bytes[at] = (byte) (bytes[at] ^ 1);
    Files.write(file, bytes);
    judge(data, "flipped a letter of log.jsonl at " + at);
    assertThat(rig.server().output()).contains("are damaged on disk and not shown");
  }

  /** Row F25: files that may be missing without loss. */
  @Test
  void aMissingFileIsRebuiltOrRefused() throws Exception {
    for (String name :
        List.of("holdfast.db-shm", "clean_shutdown", "holdfast.pid", "holdfast.lock")) {
      for (Path template : templates()) {
        Path data = fresh(template);
        Files.deleteIfExists(data.resolve(name));
        judge(data, "deleted " + name + " of " + template.getFileName());
      }
    }
  }

  /**
   * Row F25: the WAL of an unclean stop holds accepted events; without it a start would forget
   * them.
   */
  @Test
  void aMissingWalIsRefused() throws Exception {
    Path data = fresh(killed);
    assertThat(Files.size(data.resolve("holdfast.db-wal"))).isPositive();
    Files.delete(data.resolve("holdfast.db-wal"));
    judge(data, "deleted the WAL of an unclean stop");
  }

  /** Row F25: a folder that has lost its database is no new folder. */
  @Test
  void aDatabaseThatIsGoneOrEmptyIsRefused() throws Exception {
    for (boolean gone : List.of(true, false)) {
      for (Path template : templates()) {
        Path data = fresh(template);
        Files.delete(data.resolve("holdfast.db"));
        if (!gone) {
          Files.createFile(data.resolve("holdfast.db"));
        }
        rig.setup().dataDir(data);
        HoldfastCommand.Result looked = HoldfastCommand.run(rig.setup(), "doctor");
        assertThat(looked.exitCode()).isEqualTo(1);
        assertThat(looked.out()).contains("BAD   database", "a start is refused (65)");
        try (HoldfastProcess server = rig.launch()) {
          assertThat(server.exitCode(Duration.ofSeconds(30))).isEqualTo(DATA_DAMAGED);
          assertThat(server.output())
              .contains(data.resolve("holdfast.db") + " is " + (gone ? "missing" : "empty"));
        }
        ServerRig.delete(data);
      }
    }
  }

  /** Row F25: an older database beside a newer WAL is never mixed. */
  @Test
  void anOldDatabaseBesideANewWalIsNotMixed() throws Exception {
    Path data = fresh(killed);
    Files.copy(
        stopped.resolve("holdfast.db"),
        data.resolve("holdfast.db"),
        StandardCopyOption.REPLACE_EXISTING);
    judge(data, "a database of another time beside the WAL");
  }

  /** Row F26: a marker that looks clean does not spare a dirty store its checks. */
  @Test
  void aForgedMarkerIsNotBelieved() throws Exception {
    Path data = fresh(killed);
    Files.copy(stopped.resolve("clean_shutdown"), data.resolve("clean_shutdown"));
    judge(data, "forged the marker");
  }

  /** Both, or in the normal run one of them. */
  private List<Path> templates() {
    List<Path> both = List.of(stopped, killed);
    return RunLength.isFull() ? both : List.of(both.get(random.nextInt(2)));
  }

  /** Starts on the damaged folder: 65, or every answer that is given is right. */
  private void judge(Path data, String damage) throws Exception {
    String what = damage + ", seed " + seed;
    rig.setup().dataDir(data);
    int outputBefore = rig.server().output().length();
    try (HoldfastProcess server = rig.launch()) {
      judge(server, what, outputBefore);
    }
    ServerRig.delete(data);
  }

  private void judge(HoldfastProcess server, String what, int outputBefore) throws Exception {
    Await.until(
        "ready or ended after: " + what,
        Duration.ofSeconds(30),
        () -> !server.isAlive() || server.isReady());
    String output = rig.server().output().substring(outputBefore);
    if (!server.isAlive()) {
      System.out.println(what + " -> refused");
      assertThat(server.exitNow()).as(what + "\n" + output).contains(DATA_DAMAGED);
      assertThat(output)
          .as(what)
          .containsAnyOf("holdfast.db", "context.jsonl", "meta.json", "token");
    } else {
      System.out.println(what + " -> served");
      assertServedRight(what, outputBefore);
      server.stop();
    }
  }

  private void assertServedRight(String what, int outputBefore) throws IOException {
    String token = Files.readString(rig.setup().dataDir().resolve("token")).strip();
    assertThat(token).as("the token after: " + what).hasSizeGreaterThan(16);
    ServerApi api = new ServerApi(rig.setup());
    for (int i = 0; i < EVENTS; i++) {
      Answer answer = api.get("/api/v1/events/e" + i);
      JsonNode reply = answer.json().path("replies").path(0);
      if (answer.status() != 200
          || reply.isMissingNode()
          || answer.json().path("state").asText().equals("damaged")) {
        // A damaged row is taken out of service, and the operator is told so.
        Await.until(
            "a word on e" + i + " after: " + what,
            Duration.ofSeconds(5),
            () -> rig.server().output().substring(outputBefore).contains("damaged on disk"));
      } else {
        assertThat(answer.json().path("state").asText()).isEqualToIgnoringCase("answered");
        assertThat(answer.json().path("text").asText()).as(what).isEqualTo(text(i));
        assertThat(reply.path("text").asText()).as(what).isEqualTo("echo: " + text(i));
      }
    }
    assertLogsRight(api, what);
    int posts = rig.platform().posts().size();
    rig.converse("after-" + number + "-" + seed, "t0", "are you well?");
    assertThat(rig.platform().posts().subList(posts, rig.platform().posts().size()))
        .as("old answers came again: " + what)
        .noneMatch(post -> post.inReplyTo().startsWith("e"));
  }

  /** What the page shows of a chat thread may have gaps; it may not have words that nobody said. */
  private static void assertLogsRight(ServerApi api, String what) throws IOException {
    List<String> said = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      said.add(text(i));
      said.add("echo: " + text(i));
    }
    for (int i = 0; i < 3; i++) {
      Answer log = api.get("/api/v1/threads/" + ServerApi.encode("webhook:ci:t" + i) + "/log");
      assertThat(log.status()).as("log after: " + what).isEqualTo(200);
      for (JsonNode entry : log.json().path("entries")) {
        assertThat(entry.path("text").asText()).as("log after: " + what).isIn(said);
      }
    }
  }

  private static String text(int number) {
    return "a sentence of its own, number " + number + " of all, long enough to be hit";
  }

  private Path fresh(Path template) {
    Path data = rig.folder().resolve("data-" + number++);
    copy(template, data);
    return data;
  }

  private static void copy(Path from, Path to) {
    Commands.run("cp", "-a", from.toString(), to.toString());
  }

  private Path pick(Path data, Predicate<Path> wanted) throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      List<Path> candidates =
          new ArrayList<>(files.filter(Files::isRegularFile).filter(wanted).sorted().toList());
      return candidates.get(random.nextInt(candidates.size()));
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  private static int indexOf(byte[] bytes, String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
  }
}
