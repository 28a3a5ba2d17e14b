package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Row F24: one byte of one file changes while no server runs, and messages are parked, and replies
 * wait to be posted. It is harmless, mended or told: an answer that is neither posted nor accounted
 * for is a failure. How many: {@code -Dholdfast.flips}; the same again: {@code -Dholdfast.seed}.
 */
@Timeout(7200)
@OnlyInFull(shortForm = "DamageTest.aFlippedBitIsRefusedOrHarmless")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FlippedByteTest {
  private static final int FLIPS = Integer.getInteger("holdfast.flips", 60);
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int DATA_DAMAGED = 65;
  private static final int OF_EACH = 4;
  private static final Set<String> GIVEN_UP = Set.of("dead_lettered", "held", "cancelled");

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final ServerRig rig = new ServerRig();
  private final FakeModel model = new FakeModel().asOpenAi(rig.setup());
  private final Path stopped = rig.folder().resolve("stopped-template");
  private final Path killed = rig.folder().resolve("killed-template");
  private final Map<String, Integer> outcomes = new TreeMap<>();

  /** What was accepted, and what its answer is. */
  private final Map<String, String> open = new TreeMap<>();

  @BeforeAll
  void makeTemplates() {
    rig.setup().set("breakers.default.initial_backoff_ms", 200);
    rig.setup().set("breakers.default.max_backoff_ms", 400);
    rig.setup().set("models.retry.server_error.max_attempts", 1);
    rig.setup().set("models.park_after_secs", 1);
    rig.setup().set("replies.initial_backoff_ms", 200);
    rig.setup().set("replies.ttl_secs", 86_400);
    rig.start();
    for (int i = 0; i < OF_EACH; i++) {
      rig.converse("done" + i, "t" + i, text("done", i));
    }
    rig.platform().refuse();
    for (int i = 0; i < OF_EACH; i++) {
      accept("unsent", i);
      rig.api().awaitState("unsent" + i, Set.of("answered"), LIMIT);
    }
    model.always(ModelScript.unavailable());
    for (int i = 0; i < OF_EACH; i++) {
      accept("parked", i);
      rig.api().awaitState("parked" + i, Set.of("parked"), LIMIT);
    }
    for (int i = 0; i < OF_EACH; i++) {
      accept("behind", i);
    }
    rig.server().kill9();
    copy(rig.setup().dataDir(), killed);
    rig.start();
    assertThat(rig.server().stop()).isZero();
    copy(rig.setup().dataDir(), stopped);
    model.always(ModelScript.echo());
    rig.platform().accept();
  }

  @AfterAll
  void close() {
    model.close();
    rig.close();
  }

  private void accept(String kind, int number) {
    rig.accept(kind + number, "t" + number, text(kind, number));
    open.put(kind + number, "answer to " + text(kind, number));
  }

  private static String text(String kind, int number) {
    return "a sentence of its own, " + kind + " " + number + ", long enough to be hit";
  }

  @Test
  void aFlippedByteIsHarmlessMendedOrTold() throws Exception {
    System.out.printf("flipped bytes: %d, seed %d%n", FLIPS, seed);
    List<String> broken = new ArrayList<>();
    for (int i = 0; i < FLIPS; i++) {
      Path data = rig.folder().resolve("data-" + i);
      copy(i % 2 == 0 ? stopped : killed, data);
      String flip = flip(data) + " of a " + (i % 2 == 0 ? "stopped" : "killed") + " server";
      String verdict = judge(data);
      outcomes.merge(verdict.startsWith("BROKEN") ? "BROKEN" : verdict, 1, Integer::sum);
      if (verdict.startsWith("BROKEN")) {
        broken.add(flip + ": " + verdict);
        System.out.println(broken.getLast());
      }
      ServerRig.delete(data);
    }
    System.out.println("flipped bytes: " + outcomes + ", seed " + seed);
    assertThat(broken).as("seed %d", seed).isEmpty();
  }

  /** A file of all, and a byte of it; the database twice as often as it would be. */
  private String flip(Path data) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(data)) {
      files = new ArrayList<>(all.filter(FlippedByteTest::holdsBytes).sorted().toList());
    }
    files.addAll(files.stream().filter(file -> file.endsWith("holdfast.db")).toList());
    Path file = files.get(random.nextInt(files.size()));
    byte[] bytes = Files.readAllBytes(file);
    int at = random.nextInt(bytes.length);
    int mask = 1 << random.nextInt(8);
    bytes[at] = (byte) (bytes[at] ^ mask);
    Files.write(file, bytes);
    return "byte %d of %s ^ %d".formatted(at, data.relativize(file), mask);
  }

  private static boolean holdsBytes(Path file) {
    try {
      return Files.isRegularFile(file) && Files.size(file) > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private String judge(Path data) throws Exception {
    rig.setup().dataDir(data);
    int outputBefore = rig.server().output().length();
    int postsBefore = rig.platform().posts().size();
    try (HoldfastProcess server = rig.launch()) {
      Await.until("ready or ended", LIMIT, () -> !server.isAlive() || server.isReady());
      if (server.isAlive()) {
        String verdict = served(server, outputBefore, postsBefore);
        if (server.isAlive()) {
          server.stop();
          return verdict;
        }
      }
      String output = server.output().substring(outputBefore);
      return server.exitNow().orElse(-1) == DATA_DAMAGED
              && output.substring(Math.max(0, output.lastIndexOf("\nholdfast: "))).contains("/data")
          ? "refused"
          : "BROKEN ended with " + server.exitNow() + ": " + output;
    }
  }

  private String served(HoldfastProcess server, int outputBefore, int postsBefore)
      throws Exception {
    ServerApi api = new ServerApi(rig.setup());
    long end = System.nanoTime() + LIMIT.toNanos();
    List<String> missing = missing(api, postsBefore);
    while (!missing.isEmpty() && System.nanoTime() < end && server.isAlive()) {
      Await.pause(Duration.ofMillis(100));
      missing = missing(api, postsBefore);
    }
    if (!server.isAlive()) {
      return "ended";
    }
    String output = server.output().substring(outputBefore);
    boolean told = output.contains("amaged") || output.contains("\"store: ");
    List<Post> wrong =
        rig.platform().posts().stream()
            .skip(postsBefore)
            .filter(post -> post.text().startsWith("answer to "))
            .filter(post -> !post.text().equals(open.get(post.inReplyTo())))
            .toList();
    if (!wrong.isEmpty()) {
      return "BROKEN wrong answers: " + wrong;
    }
    if (!missing.isEmpty() && !told) {
      return "BROKEN silent: " + missing;
    }
    rig.converse("after" + postsBefore, "afterwards", "are you well?");
    boolean mended = rig.metrics().sum("holdfast_store_repairs_total") > 0;
    return !missing.isEmpty() ? "told" : mended ? "mended" : "harmless";
  }

  /** What was accepted, is not answered in this run, and is not given up for all to see. */
  private List<String> missing(ServerApi api, int postsBefore) throws IOException {
    Set<String> posted = new HashSet<>();
    rig.platform().posts().stream()
        .skip(postsBefore)
        .filter(post -> post.mode().shows())
        .filter(post -> post.text().equals(open.get(post.inReplyTo())))
        .forEach(post -> posted.add(post.inReplyTo()));
    List<String> missing = new ArrayList<>();
    for (String id : open.keySet()) {
      if (!posted.contains(id)) {
        Answer answer = api.get("/api/v1/events/" + ServerApi.encode(id));
        JsonNode story = answer.status() == 200 ? answer.json() : null;
        String state =
            story == null ? "unknown" : story.path("state").asText().toLowerCase(Locale.ROOT);
        if (!GIVEN_UP.contains(state)) {
          missing.add(id + " is " + state);
        }
      }
    }
    return missing;
  }

  private static void copy(Path from, Path to) {
    Commands.run("cp", "-a", from.toString(), to.toString());
  }
}
