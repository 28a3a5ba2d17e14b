package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.tools.memory.MemoryVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 at each effect of a sweep that rewrites, proposes and promotes, of an operator's yes and
 * of a restore: wherever the store writes or makes its log durable, and wherever a file or folder
 * is made, written, made durable, renamed or deleted. Of the writes of one commit, the first stands
 * for all. By default a sample of them; {@code -Dholdfast.full=true} goes through all.
 */
@Timeout(3600)
class MemorySweepKillTest {
  private static final Path STRACE = Path.of("/usr/bin/strace");
  private static final String EFFECTS =
      "openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,mkdir,ftruncate";
  private static final String STORE = "holdfast-store-";
  private static final int SAMPLE = 5;
  private static final int KILLED = 128 + 9;
  private static final List<String> THREADS =
      List.of(
          SweepingProcess.TIDIED, SweepingProcess.PROPOSED, SweepingProcess.RESTORED, "" /* all */);

  @TempDir Path root;
  private Path prepared;
  private int folders;

  /**
   * An effect.
   *
   * @param thread that makes it, by its name or the beginning of it
   * @param when counts its calls of this kind, from 1
   */
  private record Point(String thread, String call, int when) {}

  /** What can be seen from outside. */
  private record Seen(
      Map<String, String> memories,
      List<String> promotions,
      List<String> proposals,
      List<String> audit,
      List<String> halves) {}

  @BeforeEach
  void prepare() throws Exception {
    prepared = root.resolve("prepared");
    try (SweepRig rig = SweepingProcess.open(prepared)) {
      SweepingProcess.prepare(rig);
    }
  }

  @Test
  void aKillAtAnyEffectLeavesTheOldOrTheNewAndTheSweepEndsAsWithoutIt() throws Exception {
    assumeTrue(Files.isExecutable(STRACE), "strace is not installed");
    Map<String, String> old = memories(prepared);
    Path clean = copy();
    List<Point> points = watch(clean);
    Map<String, String> changed = memories(clean);
    Seen expected = seen(clean);
    assertThat(expected.proposals()).as("both are promoted").hasSize(2);
    assertThat(expected.audit())
        .containsExactly(
            "memory.promoted " + SweepingProcess.PROPOSED,
            "memory.promoted " + SweepingProcess.TIDIED,
            "memory.restored " + SweepingProcess.RESTORED,
            "memory.swept " + SweepingProcess.TIDIED);
    boolean full = Boolean.getBoolean("holdfast.full");
    int step = full ? 1 : Math.max(1, points.size() / SAMPLE);
    int killed = 0;
    int tried = 0;
    for (int at = full ? 0 : step / 2; at < points.size(); at += step) {
      Point point = points.get(at);
      Path folder = copy();
      tried++;
      try {
        killed += run(folder, List.of(point.thread()), point) ? 1 : 0;
        assertOldOrNew(old, memories(folder), changed);
        assertEndsTheSame(folder, old, expected);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("killed at " + point, e);
      }
    }
    System.out.printf("memory sweep: %d of %d effects, %d killed%n", tried, points.size(), killed);
    assertThat(killed).isGreaterThan(tried * 3 / 4);
  }

  private static void assertOldOrNew(
      Map<String, String> old, Map<String, String> now, Map<String, String> changed) {
    for (String thread : THREADS) {
      if (thread.isEmpty()) {
        assertThat(changed.get(thread)).startsWith(now.get(thread)); // line by line
        assertThat(now.get(thread)).matches("(?s)(.*\n)?");
      } else {
        assertThat(now.get(thread)).isIn(old.get(thread), changed.get(thread));
        assertThat(now.get(thread)).startsWith(SweepingProcess.MINE);
      }
    }
  }

  private void assertEndsTheSame(Path folder, Map<String, String> old, Seen expected)
      throws Exception {
    try (SweepRig rig = SweepingProcess.open(folder)) {
      assertToldAsItIs(rig, old);
      Thread sweeper = Thread.ofPlatform().daemon().start(() -> sweep(rig));
      SweepingProcess.awaitSwept(rig);
      SweepingProcess.decide(rig);
      sweeper.interrupt();
      sweeper.join();
      Seen now = seen(rig);
      assertThat(now.halves()).isEqualTo(expected.halves());
      assertThat(now.proposals()).isEqualTo(expected.proposals());
      assertThat(now.audit()).isEqualTo(expected.audit());
      assertThat(now).isEqualTo(expected);
      assertUndone(rig, old);
    }
  }

  private static void sweep(SweepRig rig) {
    try {
      rig.sweeps.run();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Before anything goes on: each change has its entry, and no entry is without its change. */
  private static void assertToldAsItIs(SweepRig rig, Map<String, String> old) throws Exception {
    List<String> audit = rig.audit();
    for (String thread : List.of(SweepingProcess.TIDIED, SweepingProcess.RESTORED)) {
      boolean isChanged = !SweepingProcess.withoutMarks(rig.text(thread)).equals(old.get(thread));
      assertThat(audit.stream().filter(entry -> entry.matches("memory.(swept|restored) " + thread)))
          .hasSize(isChanged ? 1 : 0);
    }
    Path page = rig.folder().resolve("memory/PROMOTIONS.md");
    String promotions = Files.exists(page) ? Files.readString(page) : "";
    for (Proposal proposal : rig.sweeps.proposals()) {
      boolean isPromoted = proposal.state() == Proposal.State.PROMOTED;
      assertThat(rig.text("").contains(proposal.text())).isEqualTo(isPromoted);
      assertThat(promotions.contains(proposal.text())).isEqualTo(isPromoted);
      assertThat(audit.contains("memory.promoted " + proposal.threadId())).isEqualTo(isPromoted);
    }
  }

  private static void assertUndone(SweepRig rig, Map<String, String> old) throws Exception {
    for (String thread : List.of(SweepingProcess.TIDIED, SweepingProcess.RESTORED, "")) {
      MemoryVersion version = rig.sweeps.history(thread).getLast();
      if (thread.isEmpty()) {
        version = rig.sweeps.history(thread).getFirst();
      }
      assertThat(rig.sweeps.restore(thread, version.number(), "token:ann"))
          .isInstanceOf(MemorySweeps.Answer.Done.class);
      assertThat(SweepingProcess.withoutMarks(rig.text(thread))).isEqualTo(old.get(thread));
    }
  }

  private Path copy() throws IOException {
    Path copy = root.resolve("data" + folders++);
    try (Stream<Path> files = Files.walk(prepared)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(prepared.relativize(file).toString()));
      }
    }
    return copy;
  }

  /** As they are on the disk; nothing is opened. */
  private static Map<String, String> memories(Path folder) throws IOException {
    Map<String, String> memories = new TreeMap<>();
    memories.put("", "");
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(path -> path.endsWith("MEMORY.md")).toList()) {
        String owner =
            THREADS.stream()
                .filter(thread -> !thread.isEmpty())
                .filter(
                    thread ->
                        file.toString().contains(thread.substring(thread.lastIndexOf(':') + 1)))
                .findFirst()
                .orElse("");
        memories.put(owner, SweepingProcess.withoutMarks(Files.readString(file)));
      }
    }
    assertThat(memories).hasSize(THREADS.size());
    return memories;
  }

  private Seen seen(Path folder) throws Exception {
    try (SweepRig rig = SweepingProcess.open(folder)) {
      return seen(rig);
    }
  }

  private static Seen seen(SweepRig rig) throws Exception {
    String promotions =
        Files.readString(rig.folder().resolve("memory/PROMOTIONS.md"))
            .replaceAll("(- Approved: [^,]*),.*", "$1");
    List<String> explained =
        Stream.of(promotions.split("(?m)^(?=## )", -1)).map(String::strip).sorted().toList();
    List<String> halves;
    try (Stream<Path> files = Files.walk(rig.folder())) {
      halves = files.map(Path::toString).filter(file -> file.endsWith(".tmp")).sorted().toList();
    }
    return new Seen(
        memories(rig.folder()),
        explained,
        rig.sweeps.proposals().stream()
            .map(proposal -> proposal.state() + " " + proposal.text())
            .sorted()
            .toList(),
        rig.audit(),
        halves);
  }

  /** Lets one end that nobody kills, and notes its effects. */
  private List<Point> watch(Path folder) throws Exception {
    List<String> names = List.of(SweepingProcess.SWEEPER, SweepingProcess.OPERATOR, STORE);
    assertThat(run(folder, names, null)).isFalse();
    Map<String, String> nameOfId = new TreeMap<>();
    for (String line : Files.readAllLines(root.resolve("threads"))) {
      nameOfId.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1));
    }
    Pattern call = Pattern.compile("^(\\d+) +(\\w+)\\((.*)");
    Map<String, Integer> counts = new TreeMap<>();
    List<Point> points = new ArrayList<>();
    Point last = new Point("", "", 0);
    for (String line : Files.readAllLines(root.resolve("strace.log"))) {
      Matcher matcher = call.matcher(line);
      if (matcher.matches()) {
        String comm = nameOfId.getOrDefault(matcher.group(1), "");
        String name = comm.startsWith(STORE) ? STORE : comm;
        int when = counts.merge(matcher.group(1) + matcher.group(2), 1, Integer::sum);
        Point point = new Point(name, matcher.group(2), when);
        boolean isSameCommit =
            point.call().equals("pwrite64")
                && last.call().equals(point.call())
                && last.thread().equals(name);
        boolean isRead = point.call().equals("openat") && !matcher.group(3).contains("O_CREAT");
        if (!isSameCommit && !isRead) {
          points.add(point);
        }
        last = isRead ? last : point;
      }
    }
    return points;
  }

  /**
   * Whether it was killed.
   *
   * @param names of the threads that are watched, or the beginnings of them
   * @param point null for none
   */
  private boolean run(Path folder, List<String> names, @Nullable Point point) throws Exception {
    Path output = root.resolve("output");
    Files.deleteIfExists(output);
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + root,
                "-cp",
                System.getProperty("java.class.path"),
                SweepingProcess.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    Process strace = null;
    try {
      await(() -> text(output).contains("ready") || !child.isAlive());
      List<String> ids = threads(child.pid(), names);
      strace = attach(ids, point);
      Files.createFile(folder.resolveSibling(folder.getFileName() + ".go"));
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).as("ends: %s", text(output)).isTrue();
      assertThat(child.exitValue()).as("%s", text(output)).isIn(0, KILLED);
      return child.exitValue() == KILLED;
    } finally {
      child.destroyForcibly().waitFor();
      if (strace != null && !strace.waitFor(10, TimeUnit.SECONDS)) {
        strace.destroyForcibly().waitFor();
      }
    }
  }

  /** Their ids, which are kept with their names for who reads the log. */
  private List<String> threads(long pid, List<String> names) throws Exception {
    await(() -> names.stream().allMatch(name -> told(pid).stream().anyMatch(isOf(name))));
    List<String> told =
        told(pid).stream()
            .filter(line -> names.stream().anyMatch(n -> isOf(n).test(line)))
            .toList();
    Files.write(root.resolve("threads"), told);
    return told.stream().map(line -> line.substring(0, line.indexOf(' '))).toList();
  }

  private static Predicate<String> isOf(String name) {
    return line -> line.substring(line.indexOf(' ') + 1).startsWith(name);
  }

  /** Of each thread its id and its name, which comes a little after it. */
  private static List<String> told(long pid) {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return tasks
          .map(task -> task.getFileName() + " " + text(task.resolve("comm")).strip())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process attach(List<String> ids, @Nullable Point point) throws Exception {
    Path said = root.resolve("strace.out");
    Files.deleteIfExists(said);
    List<String> command = new ArrayList<>(List.of(STRACE.toString()));
    command.addAll(List.of("-o", root.resolve("strace.log").toString()));
    ids.forEach(id -> command.addAll(List.of("-p", id)));
    String calls = point == null ? EFFECTS : point.call();
    command.addAll(List.of("-e", "trace=" + calls, "-e", "signal=none"));
    if (point != null) {
      command.addAll(List.of("-e", "inject=" + calls + ":signal=KILL:when=" + point.when()));
    }
    Process strace =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    await(
        () ->
            text(said).lines().filter(line -> line.contains("attached")).count() >= ids.size()
                || !strace.isAlive());
    assumeTrue(
        strace.isAlive(), () -> "strace may not attach: " + text(said)); // no rights for it here
    return strace;
  }

  private static String text(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(BooleanSupplier done) throws InterruptedException {
    for (int i = 0; i < 6000 && !done.getAsBoolean(); i++) {
      Thread.sleep(10);
    }
    assertThat(done.getAsBoolean()).isTrue();
  }
}
