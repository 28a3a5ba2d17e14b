package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CampaignLedger;
import dev.holdfast.tests.harness.CrashPoint;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.Post;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Strace;
import dev.holdfast.tests.harness.ThreadFolder;
import dev.holdfast.tests.harness.ToolShape;
import dev.holdfast.tests.harness.TurnModel;
import dev.holdfast.tests.harness.TurnModel.Asked;
import dev.holdfast.tests.harness.TurnModel.Wish;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Row F2: kill -9 right before each system call by which one turn changes anything: a turn with a
 * tool of each class of repetition. A clean turn is watched first, to know how often its busiest
 * thread makes each call; then one turn after the other is killed at one of them. By default a
 * sample, spread by the seed; {@code -Dholdfast.sweep=all} goes through all of them, and so does
 * {@code -Dholdfast.full=true}.
 */
@Timeout(7200)
class CrashSweepTest {
  private static final boolean ALL =
      RunLength.isFull() || System.getProperty("holdfast.sweep", "").equals("all");
  private static final Duration SAMPLE = Duration.ofSeconds(10);
  private static final int HITS_MIN = 4;
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String EFFECTS =
      "fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg,connect,rename,unlink,ftruncate,mkdir,"
          + "clone,clone3,vfork";
  private static final String UNKNOWN = "interrupted, outcome unknown";

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Map<String, Integer> hits = new TreeMap<>();
  private int missed;

  @Test
  void aTurnThatIsKilledAnywhereEndsAndRepeatsNothingUnsafe() throws Exception {
    CampaignLedger ledger = new CampaignLedger("crash sweep", seed);
    try (ServerRig rig = new ServerRig();
        TurnModel model = new TurnModel(CrashSweepTest::wishes).use(rig.setup())) {
      rig.setup().set("tools.shell.enabled", true);
      // One carrier: what a turn does comes from one thread then, always in the same order.
      rig.setup().flag("-Djdk.virtualThreadScheduler.parallelism=1");
      rig.setup().flag("-Djdk.virtualThreadScheduler.maxPoolSize=1");
      rig.start();
      List<CrashPoint> points = points(clean(rig, model));
      long end = System.nanoTime() + SAMPLE.toNanos();
      int done = 0;
      for (CrashPoint point : points) {
        if (!ALL && System.nanoTime() > end && hits() >= HITS_MIN) {
          break;
        }
        done++;
        try {
          kill(rig, model, point, "t" + done);
        } catch (AssertionError | RuntimeException e) {
          String context = ThreadFolder.of(rig, "t" + done).text("context.jsonl");
          throw new AssertionError("killed at " + point + ", seed " + seed + "\n" + context, e);
        }
      }
      ledger
          .with("points", points.size())
          .with("tried", done)
          .with("hits", hits)
          .with("not_reached", missed)
          .write();
      assertThat(hits()).as("kills that hit").isGreaterThanOrEqualTo(HITS_MIN);
      // How many writes the store needs depends on what it could do together.
      assertThat(missed).as("points that were not reached").isLessThanOrEqualTo(done / 2);
    }
  }

  private int hits() {
    return hits.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** One tool of each class: read and idempotent, then keyed and unsafe. */
  private static List<Wish> wishes(String turn, int round) {
    return switch (round) {
      case 0 ->
          List.of(
              new Wish("write_file", Map.of("path", "note", "content", "old " + turn)),
              new Wish("read_file", Map.of("path", "note")));
      case 1 ->
          List.of(
              new Wish("edit_file", Map.of("path", "note", "old", "old", "new", "new")),
              new Wish("shell", Map.of("command", "echo start >> starts; sleep 0.1; echo ran")));
      default -> List.of();
    };
  }

  /**
   * How often one thread makes each call in a turn that nobody kills; the second one is watched.
   */
  private Map<String, Integer> clean(ServerRig rig, TurnModel model) throws IOException {
    converse(rig, "warm");
    try (Strace strace = Strace.watch(rig.server(), rig.folder(), EFFECTS)) {
      converse(rig, "clean");
      rig.api().awaitQuiet(SOON);
      judge(rig, model, "clean", new Before(0, List.of()), 0);
      return strace.busiest();
    }
  }

  private List<CrashPoint> points(Map<String, Integer> busiest) {
    assertThat(busiest).containsKeys("fsync", "pwrite64", "write");
    System.out.printf("crash sweep: a clean turn makes %s%n", busiest);
    return CrashPoint.of(busiest, Integer.MAX_VALUE, new Random(seed));
  }

  /** What had happened when the process was gone. */
  private record Before(long starts, List<Post> posts) {}

  private void kill(ServerRig rig, TurnModel model, CrashPoint point, String turn)
      throws Exception {
    try (Strace _ = Strace.killAt(rig.server(), rig.folder(), point.call(), point.when())) {
      boolean sent = send(rig, turn);
      HoldfastProcess server = rig.server();
      Await.until("killed, or done", SOON, () -> !server.isAlive() || (sent && isDone(rig, turn)));
    }
    if (rig.server().isAlive()) {
      missed++;
      judge(rig, model, turn, new Before(0, List.of()), 0);
      return;
    }
    assertThat(rig.server().exitNow()).contains(137);
    hits.merge(point.call(), 1, Integer::sum);
    long starts = ThreadFolder.of(rig, turn).lines("scratch/starts");
    Before before = new Before(starts, rig.platform().shownFor(turn));
    rig.start();
    Await.until("accepted at last", SOON, () -> send(rig, turn));
    rig.api().awaitState(turn, Set.of("answered"), SOON);
    rig.api().awaitQuiet(SOON);
    judge(rig, model, turn, before, 1);
  }

  /** As a platform does: false when there was no 2xx. */
  private static boolean send(ServerRig rig, String turn) {
    try {
      return rig.sender().send(turn, turn, "turn " + turn).isAccepted();
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isDone(ServerRig rig, String turn) throws IOException {
    return rig.api().state(turn).equals("answered")
        && rig.api().status().path("outbox_depth").asLong() == 0;
  }

  private static void converse(ServerRig rig, String turn) {
    rig.accept(turn, turn, "turn " + turn);
    rig.platform().awaitText(turn, "done " + turn, SOON);
  }

  private void judge(ServerRig rig, TurnModel model, String turn, Before before, int kills)
      throws IOException {
    assertThat(rig.api().state(turn)).isEqualTo("answered");
    judgePosts(rig, turn, before, kills);
    judgeModelCalls(model, turn, before, kills);
    judgeTools(rig, model, turn, before);
    ThreadFolder folder = ThreadFolder.of(rig, turn);
    assertThat(folder.path().resolve("context.quarantine.jsonl")).doesNotExist();
    String again = turn + "-again";
    rig.accept(again, turn, "and now?");
    rig.platform().awaitText(again, "done " + turn, SOON);
  }

  private static void judgePosts(ServerRig rig, String turn, Before before, int kills)
      throws IOException {
    List<Post> posts = rig.platform().shownFor(turn);
    // What the dead process had sent may have been read by the platform a moment later.
    JsonNode reply = rig.api().event(turn).path("replies").path(0);
    boolean isUnknown = !before.posts().isEmpty() || reply.path("unknowns").asInt() > 0;
    int unknown = isUnknown ? kills : 0;
    assertThat(posts).as("posts, U = " + unknown).hasSizeBetween(1, 1 + unknown);
    assertThat(posts).allMatch(post -> post.text().equals("done " + turn));
    assertThat(posts.stream().map(Post::replyId).distinct()).hasSize(1);
  }

  /** Only the call during which the process died may be made again. */
  private static void judgeModelCalls(TurnModel model, String turn, Before before, int kills) {
    List<Integer> rounds =
        model.asked(turn).stream()
            .filter(asked -> !asked.body().toString().contains("and now?"))
            .map(Asked::round)
            .toList();
    assertThat(rounds).as("no round is asked after a later one").isSorted();
    assertThat(rounds).contains(0, 1, 2).hasSizeBetween(3, 3 + kills);
    if (before.starts() > 0) {
      assertThat(rounds).as("a tool of round 1 was started").containsOnlyOnce(0, 1);
    }
    if (!before.posts().isEmpty()) {
      assertThat(rounds).as("the answer was posted").containsExactly(0, 1, 2);
    }
  }

  private static void judgeTools(ServerRig rig, TurnModel model, String turn, Before before) {
    ThreadFolder folder = ThreadFolder.of(rig, turn);
    JsonNode last =
        model.asked(turn).stream()
            .filter(asked -> asked.round() == 2)
            .findFirst()
            .orElseThrow()
            .body();
    List<ToolShape.Result> results = ToolShape.ANTHROPIC.results(last);
    assertThat(results).hasSize(4);
    assertThat(results.stream().map(ToolShape.Result::id))
        .containsExactly(
            "toolu_" + turn + "_0_1",
            "toolu_" + turn + "_0_2",
            "toolu_" + turn + "_1_1",
            "toolu_" + turn + "_1_2");
    for (JsonNode message : last.path("messages")) {
      if (message.path("role").asText().equals("assistant")) {
        assertThat(message.path("content").path(0)).isEqualTo(TurnModel.thoughtOf(turn));
      }
    }
    String shell = results.get(3).text();
    long starts = folder.lines("scratch/starts");
    assertThat(starts).as("starts of the unsafe call, the model heard: " + shell).isLessThan(2);
    if (before.starts() == 1 && !shell.contains("ran")) {
      assertThat(shell).contains(UNKNOWN);
    }
    if (starts == 0) {
      assertThat(shell).contains(UNKNOWN);
    }
    if (last.path("tools").findValuesAsText("name").contains("edit_file")) {
      assertThat(folder.text("scratch/note")).isEqualTo("new " + turn);
      assertThat(results.subList(0, 3)).noneMatch(ToolShape.Result::isError);
      assertThat(results.get(1).text()).contains("old " + turn);
    }
  }
}
