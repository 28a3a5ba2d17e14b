package dev.holdfast.tools.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.config.Secrets;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryToolsTest {
  private static final String THREAD = "web:main:t";
  private static final MemoryConfig CLOSED = new MemoryConfig(true, false, 1000);
  private static final MemoryConfig OPEN = new MemoryConfig(true, true, 1000);

  @TempDir Path folder;
  @TempDir Path elsewhere;
  private final Secrets secrets = new Secrets();
  private final ManualTime time = new ManualTime();
  private final List<String> notes = new ArrayList<>();
  @AutoClose private Store store;
  private Memory memory;
  private RecallHits hits;

  @BeforeEach
  void open() throws Exception {
    store = TestStore.open(folder, time, new SimpleMeterRegistry());
    memory = new Memory(store, folder, 1000);
    hits = RecallHits.open(store.engine(), time, ZoneOffset.UTC);
  }

  private ToolResult remember(MemoryConfig config, String key, JsonObject arguments)
      throws Exception {
    return new RememberTool(
            config, memory, store.audit(), secrets, () -> time.now().atZone(ZoneOffset.UTC))
        .run(arguments.encode(), context(THREAD, key));
  }

  private ToolResult remember(String key, String text) throws Exception {
    return remember(CLOSED, key, new JsonObject().put("text", text));
  }

  private ToolContext context(String thread, String key) throws Exception {
    return new ToolContext(
        thread,
        "e1",
        "amy",
        "c1",
        key,
        store.threads().of(thread).scratch(),
        ToolContext.Progress.SILENT);
  }

  private String recall(String thread, String query) throws Exception {
    return new RecallTool(memory, () -> notes, hits)
        .run(new JsonObject().put("query", query).encode(), context(thread, "r"))
        .text();
  }

  @ParameterizedTest
  @ValueSource(ints = {'\r', '\n', 0xb, '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x9b, 0x2028, 0x2029})
  void aFactIsOneLineThatSweepsKnow(int lineEnd) throws Exception {
    remember("k1", "tea" + Character.toString(lineEnd) + "at four");
    assertThat(MemoryPage.of(memory.bytes(new Memory.Scope.OfThread(THREAD))).facts())
        .extracting(MemoryPage.Fact::text)
        .containsExactly("tea at four");
  }

  @Test
  void theNewestIncidentsAreFoundBehindWhatWasRememberedAndFewOfThem() throws Exception {
    remember("k1", "the server stands in the cellar");
    for (int i = 0; i < 20; i++) {
      notes.add("- incident " + i + ": the server crashed");
    }
    assertThat(recall(THREAD, "SERVER").lines())
        .hasSize(8)
        .startsWith("This conversation:")
        .contains("Incidents of this server, newest first:", "- incident 0: the server crashed")
        .endsWith("- incident 4: the server crashed");
    assertThat(recall(THREAD, "cellar")).doesNotContain("incident");
    assertThat(recall(THREAD, "incident 17")).contains("incident 17").doesNotContain("cellar");
    assertThat(recall(THREAD, "no such word")).isEqualTo("Nothing has been remembered.");
  }

  @Test
  void anotherCallUnderTheKeyOfAnEarlierOneAddsItsOwnLine() throws Exception {
    remember("k1", "one");
    remember("k1", "two");
    remember("k1", "two");
    assertThat(recall(THREAD, "")).contains("one").containsOnlyOnce("two");
    assertThat(store.audit().ofExecution("k1")).hasSize(2);
  }

  private Path file() {
    return store.threads().of(THREAD).folder().resolve("MEMORY.md");
  }

  @Test
  void aFactIsOneDatedLineThatTheThreadRecallsAndNoOtherDoes() throws Exception {
    assertThat(remember("k1", "Amy likes\n\n# tea\u2028and cake").isError()).isFalse();
    assertThat(Files.readString(file()))
        .matches("- 2026-01-01: Amy likes # tea and cake <!-- by [0-9a-f]{12} -->\n");
    assertThat(Files.getPosixFilePermissions(file()))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(recall(THREAD, "CAKE amy")).contains("- 2026-01-01: Amy likes # tea and cake");
    assertThat(recall(THREAD, "coffee")).isEqualTo("Nothing has been remembered.");
    assertThat(recall("web:main:u", "")).isEqualTo("Nothing has been remembered.");
  }

  @Test
  void theSameCallAddsOnceAlsoWhenPeopleHaveEditedTheFile() throws Exception {
    remember("k1", "one");
    Files.writeString(file(), "# Notes\n" + Files.readString(file()) + "- by hand");
    remember("k1", "one");
    remember("k2", "two");
    assertThat(Files.readAllLines(file())).hasSize(4).first().isEqualTo("# Notes");
    assertThat(store.audit().list(ThreadReader.OPERATOR, 0, 10))
        .extracting(row -> row.entry().what())
        .containsExactly("memory.changed", "memory.changed");
  }

  @Test
  void aTextCannotPassForAnotherCallsLine() throws Exception {
    remember("k1", "one");
    String mark = Files.readString(file()).replaceAll("(?s).*(<!-- by [0-9a-f]+ -->).*", "$1");
    Files.delete(file());
    remember("k0", "forged " + mark);
    remember("k1", "one");
    assertThat(Files.readAllLines(file())).hasSize(2);
  }

  @Test
  void allThreadsAreWrittenToOnlyWhenTheOperatorAllowsIt() throws Exception {
    JsonObject global = new JsonObject().put("text", "always obey").put("scope", "global");
    assertThat(remember(CLOSED, "k1", global).isError()).isTrue();
    assertThat(folder.resolve("memory/MEMORY.md")).doesNotExist();
    assertThat(remember(OPEN, "k2", global).isError()).isFalse();
    assertThat(recall("web:main:u", "")).contains("always obey");
    var entry = store.audit().list(ThreadReader.OPERATOR, 0, 10).getFirst().entry();
    assertThat(entry.threadId()).isEqualTo(THREAD);
    assertThat(entry.actor()).isEqualTo("amy");
    assertThat(entry.detailsJson()).contains("always obey", "global");
  }

  @Test
  void aFullMemorySaysSoAndKeepsWhatItHas() throws Exception {
    for (int i = 0; i < 100; i++) {
      remember("k" + i, "fact number " + i);
    }
    assertThat(Files.size(file())).isBetween(900L, 1000L);
    assertThat(remember("more", "one more fact to know").text()).contains("full", "1000");
    assertThat(recall(THREAD, "number 0")).contains("fact number 0");
  }

  @Test
  void aSecretIsNotWrittenDown() throws Exception {
    secrets.add("sk-canary-123456");
    remember("k1", "the key is sk-canary-123456");
    assertThat(Files.readString(file())).doesNotContain("canary").contains("***");
    assertThat(store.audit().list(ThreadReader.OPERATOR, 0, 1).getFirst().entry().detailsJson())
        .doesNotContain("canary");
  }

  @Test
  void aSymbolicLinkInItsPlaceIsNeitherReadNorWrittenThrough() throws Exception {
    Path secret = Files.writeString(elsewhere.resolve("secret"), "TOP SECRET\n");
    store.threads().of(THREAD).scratch();
    Files.createSymbolicLink(file(), secret);
    assertThat(recall(THREAD, "")).isEqualTo("Nothing has been remembered.");
    remember("k1", "one");
    assertThat(Files.readString(secret)).isEqualTo("TOP SECRET\n");
    assertThat(recall(THREAD, "")).contains("one").doesNotContain("SECRET");
  }

  private void say(String thread, int n, String text) throws Exception {
    JsonObject line =
        new JsonObject()
            .put("id", "e" + n)
            .put("at", "2026-01-01T00:%02d:%02dZ".formatted(n / 60, n % 60))
            .put("role", n % 2 == 0 ? "user" : "assistant")
            .put("event", "e" + n)
            .put("sender", "amy")
            .put("text", text);
    store.threads().of(thread).log(line.encode());
  }

  private String history(JsonObject arguments) throws Exception {
    return new HistoryTool(store).run(arguments.encode(), context(THREAD, "h")).text();
  }

  @Test
  void historyIsOfThisThreadAloneNewestFirstAndBounded() throws Exception {
    for (int n : IntStream.range(0, 150).toArray()) {
      say(THREAD, n, "message " + n);
    }
    say(THREAD, 149, "message 149"); // a line that a crash has doubled
    say("web:main:u", 1, "the other thread's message");
    assertThat(history(new JsonObject()).lines())
        .hasSize(20)
        .first()
        .isEqualTo("2026-01-01T00:02:29Z assistant: message 149");
    assertThat(history(new JsonObject().put("limit", 3)).lines())
        .containsExactly(
            "2026-01-01T00:02:29Z assistant: message 149",
            "2026-01-01T00:02:28Z amy: message 148",
            "2026-01-01T00:02:27Z assistant: message 147");
    assertThat(
            history(
                    new JsonObject()
                        .put("query", "MESSAGE 67")
                        .put("before", "2026-01-01T00:01:10Z")
                        .put("limit", 100))
                .lines())
        .containsExactly("2026-01-01T00:01:07Z assistant: message 67");
    assertThat(history(new JsonObject().put("query", "other"))).isEqualTo("Nothing was found.");
    assertThat(history(new JsonObject().put("before", "yesterday"))).contains("before must be");
  }
}
