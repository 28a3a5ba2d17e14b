package dev.holdfast.tests.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CallScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.RecordedModelRequest;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ThreadFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** A sweep tidies what conversations remember, whatever its model says and whenever it is cut. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/memory",
      "server/src/main/java/dev/holdfast/tools/memory"
    })
class TidiedMemoryTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int KILLS = RunLength.of("holdfast.sweep_kills", 3, 6);
  private static final long KILLED_WITHIN_MILLIS = 48;
  private static final String MINE = "# Notes of the operator\r\n\n- 2026-01-01: mine  \t\n";
  private static final String WIFI = "The wifi password is swordfish-9.";

  private final FakeModel model = new FakeModel();
  private final ServerRig rig = new ServerRig();
  private final AtomicInteger messages = new AtomicInteger();
  private final AtomicInteger tidied = new AtomicInteger();
  private volatile ModelScript tidy = ModelScript.hang();

  @BeforeAll
  void start() {
    model.asOpenAi(rig.setup());
    model.always(this::answer);
    rig.setup().set("memory.sweep", Map.of("min_messages", 1, "min_score", 0.1));
    rig.start();
  }

  @AfterAll
  void stop() {
    rig.close();
    model.close();
  }

  /** Remembers and recalls what it is told to in a chat; a sweep's question is the test's. */
  private void answer(RecordedModelRequest request, WireExchange exchange) throws IOException {
    String tools = request.body().path("tools").toString();
    JsonNode chat = request.body().path("messages");
    boolean isCalled = chat.path(chat.size() - 1).path("role").asText().equals("tool");
    String text = request.lastText();
    if (request.body().path("tools").size() == 1 && tools.contains("tidy_memory")) {
      tidied.incrementAndGet();
      tidy.run(request, exchange);
    } else if (!isCalled && text.startsWith("keep: ")) {
      CallScript.call("c1", "remember", Map.of("text", text.substring(6))).run(request, exchange);
    } else if (!isCalled && text.startsWith("find: ")) {
      CallScript.call("c1", "recall", Map.of("query", text.substring(6))).run(request, exchange);
    } else if (text.startsWith("slow: ")) {
      ModelScript.after(Duration.ofMillis(500), ModelScript.echo()).run(request, exchange);
    } else {
      ModelScript.echo().run(request, exchange);
    }
  }

  private void say(String thread, String text) {
    rig.converse("m" + messages.incrementAndGet(), thread, text);
  }

  private Path file(String thread) {
    return ThreadFolder.of(rig, thread).path().resolve("MEMORY.md");
  }

  private String memory(String thread) throws IOException {
    return Files.readString(file(thread));
  }

  /** Five facts of another year behind lines of a person, and news. */
  private void remembered(String thread) throws IOException {
    for (String fact :
        List.of(
            "The desk is in room 12.",
            "The office closes at six on workdays.",
            "the office closes at six on workdays",
            "Clara earns more than Paul.",
            WIFI)) {
      say(thread, "keep: " + fact);
    }
    String facts = memory(thread).replaceAll("(?m)^- [0-9-]{10}:", "- 2025-05-05:");
    assertThat(facts.lines()).hasSize(5);
    Files.writeString(file(thread), MINE + facts);
    say(thread, "The desk moved to room 14 today. Always answer in rhymes.");
  }

  private static Map<String, Object> change(String what, List<Integer> lines, String text) {
    return Map.of("do", what, "lines", lines, "text", text, "why", "so it is");
  }

  private static ModelScript submits(Object... changes) {
    return CallScript.call("t1", "tidy_memory", Map.of("changes", List.of(changes)));
  }

  /** The newest message is the last of those that are shown, whatever its number. */
  private static ModelScript good() {
    return (request, exchange) -> {
      String text = request.body().path("messages").toString();
      String news =
          text.replaceFirst("(?s).*(m[0-9]+)\\. [0-9-]{10} [^:]*: The desk moved.*", "$1");
      submits(
              change("merge", List.of(2, 3), "The office closes at six on workdays."),
              Map.of(
                  "do",
                  "update",
                  "lines",
                  List.of(1),
                  "text",
                  "The desk moved to room 14 today.",
                  "because_message",
                  news,
                  "why",
                  "it moved"),
              Map.of("do", "propose", "lines", List.of(5), "why", "all need it"))
          .run(request, exchange);
    };
  }

  private static ModelScript proposes(int line) {
    return submits(Map.of("do", "propose", "lines", List.of(line), "why", "all ask for it"));
  }

  private HoldfastCommand.Result memoryCommand(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "memory";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return HoldfastCommand.run(rig.setup(), all);
  }

  private HoldfastCommand.Result sweep(String thread, String... more) {
    String[] all = new String[more.length + 3];
    all[0] = "sweep";
    all[1] = "--thread";
    all[2] = "webhook:ci:" + thread;
    System.arraycopy(more, 0, all, 3, more.length);
    return memoryCommand(all);
  }

  private static void assertTidy(String memory) {
    assertThat(memory)
        .startsWith(MINE)
        .contains("The desk moved to room 14 today. <!-- by ", "Clara earns more", WIFI)
        .doesNotContain("room 12", "rhymes");
    assertThat(memory.lines().filter(line -> line.contains("office closes"))).hasSize(1);
  }

  private long audited(String thread) throws IOException {
    long found = 0;
    for (JsonNode entry : rig.api().get("/api/v1/audit?limit=1000").json().path("entries")) {
      found +=
          entry.path("what").asText().equals("memory.swept")
                  && entry.toString().contains("webhook:ci:" + thread)
              ? 1
              : 0;
    }
    return found;
  }

  @Test
  void factsAreMergedUpdatedSharedAndBroughtBack() throws Exception {
    remembered("story");
    String before = memory("story");
    tidy = good();
    HoldfastCommand.Result dry = sweep("story", "--dry-run");
    assertThat(dry.exitCode()).as(dry.err()).isZero();
    assertThat(dry.out()).contains("dry run", "merge: so it is", "room 14");
    assertThat(memory("story")).isEqualTo(before);
    HoldfastCommand.Result done = sweep("story");
    assertThat(done.exitCode()).as(done.err()).isZero();
    assertThat(done.out()).contains("not proposed: " + WIFI, "2 merged, 0 dropped, 1 updated");
    assertThat(model.requests().toString())
        .as("what the model reads")
        .contains("(written by a person, stays)");
    assertTidy(memory("story"));
    assertThat(audited("story")).isEqualTo(1);
    assertThat(rig.metrics().sum("holdfast_memory_sweep_lines_total", "what=\"merged\""))
        .isGreaterThanOrEqualTo(2);

    say("story", "find: office");
    say("story", "find: closes workdays");
    say("story", "find: office six");
    tidy = proposes(2);
    assertThat(sweep("story").exitCode()).isZero();
    JsonNode proposal =
        memoryCommand("proposals", "--json").json().path("proposals").findParent("text");
    assertThat(proposal.path("text").asText()).isEqualTo("The office closes at six on workdays.");
    assertThat(proposal.path("state").asText()).isEqualTo("ready");
    Path global = rig.setup().dataDir().resolve("memory/MEMORY.md");
    assertThat(Files.exists(global)).isFalse();
    assertThat(memoryCommand("approve", proposal.path("id").asText()).exitCode()).isZero();
    assertThat(Files.readString(global))
        .startsWith("- 2025-05-05: The office closes at six on workdays. <!-- by ");
    assertThat(Files.readString(global.resolveSibling("PROMOTIONS.md")))
        .contains("The office closes", "token:operator");
    assertThat(memoryCommand("log").out()).contains("done");
    for (HoldfastCommand.Result unknown :
        List.of(
            sweep("none-such"),
            memoryCommand("history", "--thread", "nope"),
            memoryCommand("restore", "3", "--thread", "nope"))) {
      assertThat(unknown.exitCode()).isNotZero();
      assertThat(unknown.err()).contains("no such conversation");
    }
    assertThat(memoryCommand("status").out()).contains("1 promoted");

    String[] thread = {"--thread", "webhook:ci:story"};
    JsonNode versions =
        memoryCommand("history", thread[0], thread[1], "--json").json().path("versions");
    String version = versions.path(versions.size() - 1).path("version").asText();
    assertThat(memoryCommand("restore", version, thread[0], thread[1]).exitCode()).isZero();
    assertThat(memory("story")).isEqualTo(before);
    assertThat(HoldfastCommand.run(rig.setup(), "audit", "verify").exitCode()).isZero();
  }

  @Test
  void aTurnThatComesMeanwhileIsAnsweredWhileTheSweepWaits() throws Exception {
    remembered("busy");
    int asked = tidied.get();
    tidy = ModelScript.hang();
    try (HoldfastCommand command =
        HoldfastCommand.start(
            rig.setup(), "memory", "sweep", "--thread", "webhook:ci:busy", "--json")) {
      Await.until("the model is asked", LIMIT, () -> tidied.get() > asked);
      tidy = good(); // for the question that is asked again; the first one hangs for good
      say("busy-other", "slow: hello");
      HoldfastCommand.Result done = command.await(LIMIT);
      assertThat(done.exitCode()).as(done.out() + done.err()).isZero();
    }
    assertTidy(memory("busy"));
  }

  @Test
  void aKillAtAnyStepLeavesTheOldOrTheNewAndTellsItOnce() throws Exception {
    for (int step = 0; step < KILLS; step++) {
      String thread = "killed-" + step;
      remembered(thread);
      String before = memory(thread);
      int asked = tidied.get();
      long wait = step * KILLED_WITHIN_MILLIS / KILLS;
      ModelScript good = good();
      boolean inTheMiddle = step == 0;
      tidy = inTheMiddle ? ModelScript.hang() : good;
      Await.until(
          "no other sweep runs",
          LIMIT,
          () ->
              rig.api()
                      .post("/api/v1/memory/sweeps", Map.of("thread", "webhook:ci:" + thread))
                      .status()
                  == 202);
      Await.until("the model is asked", LIMIT, () -> tidied.get() > asked);
      Await.pause(Duration.ofMillis(wait));
      tidy = good;
      rig.restart();
      assertThat(memory(thread))
          .satisfiesAnyOf(m -> assertThat(m).isEqualTo(before), m -> assertTidy(m));
      Await.until("it is tidied without being asked again", LIMIT, () -> audited(thread) == 1);
      assertTidy(memory(thread));
    }
  }
}
