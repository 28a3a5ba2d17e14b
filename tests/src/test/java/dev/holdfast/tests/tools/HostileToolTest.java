package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Marked;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ThreadFolder;
import dev.holdfast.tests.harness.TinyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows F40 to F43 and F45: what a tool's child may do to the server, to others and to the disk. */
@Timeout(180)
class HostileToolTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration GONE_WITHIN =
      Duration.ofSeconds(Integer.getInteger("holdfast.gone_secs", 15));
  private static final int TIMEOUT_SECS = 3;
  private static final int TOOLS = 20;
  private static final long DISK_MAX = 1L << 30;
  private static final int UNDISTURBED = 15;
  private static final long FILES_IN_MEMORY_MAX = 400L << 20;

  /** So many times longer than undisturbed may the median answer to others take, */
  private static final int SLOWER_MAX = 10;

  /** but a median below this is no trouble to anybody. */
  private static final Duration SOON_ENOUGH = Duration.ofSeconds(2);

  /** Longer than whatever is to be cut off. */
  private static final int LONG_SECS = 50;

  @RegisterExtension static final Served SERVED = Served.alone(HostileToolTest::withShell);

  private final ServerRig rig = SERVED.rig();
  private final Marked marked = new Marked();

  @BeforeEach
  void needsASandbox() {
    Commands.assumePresent("bwrap");
  }

  private static void withShell(ServerRig rig) {
    rig.setup().set("tools.shell.enabled", true).set("tools.shell.timeout_secs", LONG_SECS);
  }

  private static String tool(String command, int seconds) {
    return "!tool shell " + Json.write(Map.of("command", command, "timeout_secs", seconds));
  }

  /** All at once; the name of each is what must be read in its answer. */
  private Map<String, String> hostile(boolean processesAreBounded) {
    String sleeper = marked.sleeper();
    Map<String, String> commands = new LinkedHashMap<>();
    commands.put("ignores-term", "trap '' TERM; echo begun; " + sleeper + "; " + sleeper);
    commands.put("double-fork", "(setsid setsid " + sleeper + " &) & sleep 0.3; echo escaped");
    commands.put("lives-on", "exec >&- 2>&- <&-; " + sleeper);
    commands.put("leaves-one", "(" + sleeper + " >/dev/null 2>&1 </dev/null &); echo left");
    commands.put("memory-hog", marked.run("head -c 3000000000 /dev/zero") + " | tail -n 1 | wc -c");
    commands.put("ten-gigabytes", marked.run("yes") + " | head -c 10000000000");
    commands.put("no-newline", marked.run("yes") + " | tr -d '\\n'");
    commands.put("binary", marked.run("cat /dev/urandom"));
    commands.put("long-line", "head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo end");
    commands.put("escapes", "while :; do printf '\\033[2J\\033]0;x\\007\\0\\r'; done");
    commands.put("big-file", "head -c 3000000000 /dev/zero > big; rm big; echo cut");
    if (processesAreBounded) {
      commands.put("fork-bomb", "bomb() { bomb | bomb & }; bomb; " + sleeper);
    }
    return commands;
  }

  @Test
  void hostileChildrenEndAndNobodyElseIsHeldUp() throws Exception {
    long pid = rig.server().pid();
    boolean bounded = !rig.server().output().contains("NOT bounded");
    Map<String, String> commands = hostile(bounded);
    List<Duration> before = new ArrayList<>();
    for (int i = 0; i < UNDISTURBED; i++) {
      before.add(answered(SERVED.id("before-" + i)));
    }
    commands.forEach(
        (name, command) ->
            rig.accept(SERVED.id(name), SERVED.id(name), tool(command, TIMEOUT_SECS)));
    List<Duration> meanwhile = new ArrayList<>();
    long end = System.nanoTime() + SOON.toNanos();
    while (!allEnded(commands.keySet()) && System.nanoTime() < end) {
      meanwhile.add(answered(SERVED.id("meanwhile-" + meanwhile.size())));
    }
    assertNotSlowedDown(before, meanwhile, commands.size());
    for (String name : commands.keySet()) {
      assertThat(rig.api().state(SERVED.id(name))).as(name).isEqualTo("answered");
      rig.platform().awaitPost(SERVED.id(name), SOON);
    }
    assertThat(marked.alive()).isZero();
    assertThat(answer("ignores-term")).contains("begun", "its time was over");
    assertThat(answer("double-fork")).isEqualTo("echo: escaped\nexit code 0");
    assertThat(answer("lives-on")).contains("its time was over");
    assertThat(answer("leaves-one")).isEqualTo("echo: left\nexit code 0");
    assertThat(bytes(rig.setup().dataDir())).as("bytes in the data folder").isLessThan(DISK_MAX);
    assertThat(rig.server().pid()).isEqualTo(pid);
    assertThat(rig.server().isReady()).isTrue();
  }

  /** How long a person of another chat thread waits for an answer. */
  private Duration answered(String event) {
    long asked = System.nanoTime();
    assertThat(rig.converse(event, SERVED.id("other"), event).text()).isEqualTo("echo: " + event);
    return Duration.ofNanos(System.nanoTime() - asked);
  }

  private static void assertNotSlowedDown(
      List<Duration> before, List<Duration> meanwhile, int children) {
    assertThat(meanwhile).as("answers to others meanwhile").hasSizeGreaterThan(TIMEOUT_SECS);
    Duration usual = median(before);
    Duration now = median(meanwhile);
    System.out.printf(
        "hostile children: %d of them; answers to others: median %d ms before (%d answers),"
            + " %d ms meanwhile (%d answers, the slowest %d ms)%n",
        children,
        usual.toMillis(),
        before.size(),
        now.toMillis(),
        meanwhile.size(),
        meanwhile.stream().max(Duration::compareTo).orElseThrow().toMillis());
    Duration slow = usual.multipliedBy(SLOWER_MAX);
    assertThat(now)
        .as("median of the answers to others, %s before", usual)
        .isLessThanOrEqualTo(slow.compareTo(SOON_ENOUGH) > 0 ? slow : SOON_ENOUGH);
  }

  private static Duration median(List<Duration> all) {
    return all.stream().sorted().toList().get(all.size() / 2);
  }

  private boolean allEnded(Set<String> events) throws IOException {
    for (String event : events) {
      if (!ServerApi.FINAL.contains(rig.api().state(SERVED.id(event)))) {
        return false;
      }
    }
    return true;
  }

  private String answer(String event) {
    return rig.platform().awaitPost(SERVED.id(event), SOON).text();
  }

  private static long bytes(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /**
   * Row F42: a tool that fills the very disk that the server writes to. Its own turn waits for the
   * disk; nothing is lost, and all goes on when there is room again.
   */
  @Test
  void aToolThatFillsTheServersDiskLosesNothing() throws Exception {
    try (ServerRig full = new ServerRig();
        TinyDisk disk = new TinyDisk(full.folder().resolve("disk"), 64)) {
      withShell(full);
      full.setup().dataDir(disk.path().resolve("data"));
      full.setup().set("server.min_free_bytes", 8 << 20);
      full.start();
      full.accept("hog", "hog", tool("head -c 100000000 /dev/zero > big; echo full", LONG_SECS));
      Await.until("not ready", SOON, () -> full.server().probe("/ready") == 503);
      assertThat(full.server().probe("/live")).isEqualTo(200);
      assertThat(full.sender().send("refused", "t", "any room?").status()).isEqualTo(503);
      Files.delete(ThreadFolder.of(full, "hog").path().resolve("scratch/big"));
      Await.until("ready again", SOON, () -> full.server().isReady());
      assertThat(full.platform().awaitPost("hog", SOON).text()).contains("No space left", "full");
      assertThat(full.converse("after", "t", "and now?").text()).isEqualTo("echo: and now?");
      full.restart();
      assertThat(full.api().state("hog")).isEqualTo("answered");
    }
  }

  /** What is written there is memory, which no limit on a process's own memory counts. */
  @Test
  void filesInMemoryTakeLittleOfIt() throws Exception {
    long before = sharedMemory();
    String hog =
        "for i in 1 2 3 4; do head -c 450000000 /dev/zero > /dev/shm/$i; done; " + marked.sleeper();
    rig.accept(SERVED.id("hog"), SERVED.id("hog"), tool(hog, 10));
    Await.until("it has written", SOON, () -> marked.alive() == 1);
    assertThat(sharedMemory() - before).as("bytes").isLessThan(FILES_IN_MEMORY_MAX);
    assertThat(answer("hog")).contains("No space left");
    assertThat(rig.server().isReady()).isTrue();
  }

  /** Of the whole machine. */
  private static long sharedMemory() throws IOException {
    String line =
        Files.readAllLines(Path.of("/proc/meminfo")).stream()
            .filter(each -> each.startsWith("Shmem:"))
            .findFirst()
            .orElseThrow();
    return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
  }

  /** Row F45, and promise 5 for each of the calls that were cut off. */
  @Test
  void noToolOutlivesTheServerAndNoneRunsTwice() throws Exception {
    String stubborn =
        "echo start >> starts; trap '' TERM; (setsid "
            + marked.sleeper()
            + " &); "
            + marked.sleeper();
    for (int i = 0; i < TOOLS; i++) {
      rig.accept(SERVED.id("tool-" + i), SERVED.id("tool-" + i), tool(stubborn, LONG_SECS));
    }
    Await.until("all of them run", SOON, () -> marked.alive() == 2 * TOOLS);
    rig.server().kill9();
    Await.until("none is alive", GONE_WITHIN, () -> marked.alive() == 0);
    rig.start();
    for (int i = 0; i < TOOLS; i++) {
      String event = "tool-" + i;
      assertThat(answer(event)).contains("interrupted, outcome unknown");
      assertThat(ThreadFolder.of(rig, SERVED.id(event)).lines("scratch/starts")).isEqualTo(1);
    }
    assertThat(marked.alive()).isZero();
  }

  /** A polite stop too leaves nothing behind, and the call is accounted for at the next start. */
  @Test
  void aStopEndsToolsThatIgnoreIt() throws Exception {
    rig.accept(
        SERVED.id("stubborn"),
        SERVED.id("t"),
        tool("trap '' TERM; echo start >> starts; " + marked.sleeper(), LONG_SECS));
    Await.until("it runs", SOON, () -> marked.alive() == 1);
    assertThat(rig.server().stop()).isZero();
    assertThat(marked.alive()).isZero();
    rig.start();
    rig.platform().awaitPost(SERVED.id("stubborn"), SOON);
    assertThat(ThreadFolder.of(rig, SERVED.id("t")).lines("scratch/starts")).isEqualTo(1);
  }
}
