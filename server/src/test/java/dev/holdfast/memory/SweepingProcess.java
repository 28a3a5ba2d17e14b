package dev.holdfast.memory;

import dev.holdfast.config.Secrets;
import dev.holdfast.tools.memory.Memory;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Another process for {@link MemorySweepKillTest} to kill: one sweep of three conversations, then
 * an operator's yes to a proposal and a restore. Waits for the file {@code go} before it begins.
 */
public final class SweepingProcess {
  static final String TIDIED = "web:main:tidied";
  static final String PROPOSED = "web:main:proposed";
  static final String RESTORED = "web:main:restored";
  static final String MINE = "# My notes\r\n\n  - 2026-01-01: I wrote this  \t\n";
  static final String RESTORE_TO = MINE + "- 2025-12-01: what was there before\n";
  static final String SHARED = "The coffee machine is on the third floor.";
  static final String APPROVED = "The Falcon build runs at noon.";
  static final String SWEEPER = "sweeper";
  static final String OPERATOR = "operator";
  private static final String OFFICE = "The office closes at six on workdays.";
  private static final String DOUBLE = "the office closes at six on workdays";
  private static final String DESK = "The desk is in room 12.";
  private static final Pattern FACT = Pattern.compile("(?m)^(\\d+)\\. [0-9-]{10}: (.*)$");

  private SweepingProcess() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    CountDownLatch begin = new CountDownLatch(1);
    try (SweepRig rig = open(folder)) {
      Thread sweeper = Thread.ofPlatform().name(SWEEPER).daemon().start(() -> sweep(rig, begin));
      Thread operator = Thread.ofPlatform().name(OPERATOR).start(() -> decide(rig, begin));
      Path go = folder.resolveSibling(folder.getFileName() + ".go");
      System.out.println("ready");
      while (!Files.exists(go)) {
        Thread.sleep(10);
      }
      begin.countDown();
      operator.join();
      sweeper.interrupt();
      sweeper.join();
    }
  }

  static SweepRig open(Path folder) throws Exception {
    return new SweepRig(folder, SweepingProcess::answer, true, new Secrets());
  }

  /** What it begins with. */
  static void prepare(SweepRig rig) throws Exception {
    rig.remembers(TIDIED, MINE, DESK, OFFICE, DOUBLE, "Clara earns more than Paul.", SHARED);
    rig.says(TIDIED, "1", "amy", "The desk moved to room 14.");
    rig.recalls(TIDIED, "coffee", "third floor", "machine");
    rig.remembers(PROPOSED, MINE, APPROVED, "Lunch is at one.");
    rig.says(PROPOSED, "1", "amy", "Good morning.");
    rig.recalls(PROPOSED, "build", "falcon noon", "runs");
    rig.remembers(RESTORED, RESTORE_TO);
    boolean _ =
        rig.memory.replace(
            SweepRig.scope(RESTORED),
            RESTORE_TO.getBytes(StandardCharsets.UTF_8),
            MINE.getBytes(StandardCharsets.UTF_8),
            "sweep",
            java.time.Instant.EPOCH);
  }

  private static void sweep(SweepRig rig, CountDownLatch begin) {
    try {
      begin.await();
      rig.sweeps.run();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void decide(SweepRig rig, CountDownLatch begin) {
    try {
      begin.await();
      awaitSwept(rig);
      decide(rig);
    } catch (Exception e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  /** Blocks until no sweep runs or waits, and one came to its end. */
  static void awaitSwept(SweepRig rig) throws InterruptedException {
    while (true) {
      List<JsonObject> runs = rig.sweeps.runs(9).stream().map(JsonObject.class::cast).toList();
      if (runs.stream().anyMatch(run -> run.getString("outcome").equals("done"))
          && runs.stream().noneMatch(run -> run.getString("outcome").equals("running"))) {
        return;
      }
      Thread.sleep(10);
    }
  }

  /** As an operator who looks first what is left to be done. */
  static void decide(SweepRig rig) throws Exception {
    for (Proposal proposal : rig.sweeps.proposals()) {
      if (proposal.state() == Proposal.State.READY) {
        MemorySweeps.Answer _ = rig.sweeps.approve(proposal.id(), "token:ann");
      }
    }
    if (!rig.text(RESTORED).equals(RESTORE_TO)) {
      MemorySweeps.Answer _ = rig.sweeps.restore(RESTORED, 1, "token:ann");
    }
  }

  /** Finds what is to be done in the question, so that it may be asked again. */
  private static String answer(String question) {
    JsonArray changes = new JsonArray();
    int office = line(question, OFFICE);
    int twin = line(question, DOUBLE);
    if (office > 0 && twin > 0) {
      changes.add(change("merge", office, twin).put("text", OFFICE));
    }
    int desk = line(question, DESK);
    if (desk > 0) {
      changes.add(
          change("update", desk)
              .put("text", "The desk moved to room 14.")
              .put("because_message", "m1"));
    }
    for (String shared : List.of(SHARED, APPROVED)) {
      int line = line(question, shared);
      if (line > 0) {
        changes.add(change("propose", line));
      }
    }
    return new JsonObject().put("changes", changes).encode();
  }

  private static JsonObject change(String kind, Object... lines) {
    return new JsonObject()
        .put("do", kind)
        .put("lines", new JsonArray(List.of(lines)))
        .put("why", "it is so");
  }

  private static int line(String question, String text) {
    Matcher fact = FACT.matcher(question);
    while (fact.find()) {
      if (fact.group(2).equals(text)) {
        return Integer.parseInt(fact.group(1));
      }
    }
    return 0;
  }

  static String withoutMarks(String text) {
    return text.replaceAll(" *<!-- by [0-9a-f]{12} -->", "");
  }

  static Path file(SweepRig rig, String thread) {
    return thread.isEmpty()
        ? rig.folder().resolve("memory").resolve(Memory.FILE)
        : rig.store.threads().of(thread).folder().resolve(Memory.FILE);
  }
}
