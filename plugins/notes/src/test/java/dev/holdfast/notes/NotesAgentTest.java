package dev.holdfast.notes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NotesAgentTest {
  private static final String GARDEN =
      """
      ---
      title:   "Garden"   # mine
      # what it is about
      tags: [garden, 'plants/roses']
      aliases:
        - Beds
      due: 2026-04-01
      ---
      # Garden

      See [[Tools#Spade|the spade]], ![[plan.png]] and [soil](Soil%20types.md#clay). #spring

      ## Tasks

      - dig `#notatag [[no]]`

      ```
      ## Not a heading
      [[no link]] #nottag
      ```

      ### Later
      - rest

      ## Done
      nothing
      """;

  @TempDir Path temporary;
  private TestVault vault;

  @BeforeEach
  void makeVault() throws Exception {
    vault = new TestVault(temporary);
    vault.write("Garden.md", GARDEN);
  }

  private static Map<String, Object> payload(Object... pairs) {
    Map<String, Object> payload = new HashMap<>();
    for (int at = 0; at < pairs.length; at += 2) {
      payload.put((String) pairs[at], pairs[at + 1]);
    }
    return payload;
  }

  @Test
  void aReadTellsPropertiesTagsLinksAndHash() throws Exception {
    Map<String, Object> read = vault.run("read", payload("path", "Garden"));
    assertThat(JsonText.map(read, "front_matter"))
        .containsEntry("title", "Garden")
        .containsEntry("tags", List.of("garden", "plants/roses"))
        .containsEntry("aliases", List.of("Beds"))
        .containsEntry("due", "2026-04-01");
    assertThat(read).containsEntry("tags", List.of("garden", "plants/roses", "spring"));
    assertThat(JsonText.maps(read, "links"))
        .containsExactly(
            Map.of("to", "Tools", "place", "#Spade", "alias", "the spade"),
            Map.of("to", "plan.png", "embedded", true),
            Map.of("to", "Soil types.md", "place", "#clay", "alias", "soil"));
    assertThat(JsonText.text(read, "text")).startsWith("# Garden\n").endsWith("nothing\n");
    assertThat(JsonText.text(read, "hash")).isEqualTo(Note.hash(GARDEN));
    assertThat(vault.run("read", payload("path", "Garden.md", "heading", "## Tasks")))
        .extracting(section -> JsonText.text(section, "text"))
        .asString()
        .startsWith("\n- dig")
        .contains("## Not a heading", "### Later")
        .doesNotContain("## Done");
  }

  @Test
  void aSectionIsReplacedAndAllElseStays() throws Exception {
    vault.run(
        "update",
        payload("path", "Garden", "section", Map.of("heading", "Tasks", "text", "- water\n- sow")));
    String before = GARDEN.substring(0, GARDEN.indexOf("- dig"));
    String after = GARDEN.substring(GARDEN.indexOf("## Done"));
    assertThat(vault.content("Garden.md")).isEqualTo(before + "- water\n- sow\n\n" + after);
    vault.run(
        "update",
        payload("path", "Garden", "section", Map.of("heading", "## Done", "text", "all")));
    assertThat(vault.content("Garden.md")).endsWith("- sow\n\n## Done\nall\n");
    assertThat(
            vault.refusal(
                "update",
                payload("path", "Garden", "section", Map.of("heading", "None", "text", "x"))))
        .startsWith("404")
        .contains("## Tasks");
    vault.write("Twice.md", "# A\n## B\n# C\n## B\n");
    assertThat(
            vault.refusal(
                "update", payload("path", "Twice", "section", Map.of("heading", "B", "text", "x"))))
        .startsWith("409");
  }

  @Test
  void underlinedHeadingsEndASectionToo() throws Exception {
    vault.write("Old.md", "One\n===\ntext\n\nTwo\n---\nmore\n\n- list\n---\nend\n");
    vault.run("update", payload("path", "Old", "section", Map.of("heading", "Two", "text", "new")));
    assertThat(vault.content("Old.md")).isEqualTo("One\n===\ntext\n\nTwo\n---\nnew\n");
  }

  @Test
  void textIsReplacedOrAppendedAndTheFrontMatterStaysByteForByte() throws Exception {
    String frontMatter = GARDEN.substring(0, GARDEN.indexOf("# Garden"));
    vault.run("update", payload("path", "Garden", "text", "new\n"));
    assertThat(vault.content("Garden.md")).isEqualTo(frontMatter + "new\n");
    vault.run("update", payload("path", "Garden", "append", "more"));
    assertThat(vault.content("Garden.md")).isEqualTo(frontMatter + "new\nmore\n");
    vault.write("Windows.md", "\uFEFF---\r\na: 1\r\n---\r\none\r\ntwo");
    vault.run("update", payload("path", "Windows", "append", "three\nfour"));
    vault.run("update", payload("path", "Windows", "front_matter", Map.of("b", List.of("x"))));
    assertThat(vault.content("Windows.md"))
        .isEqualTo("\uFEFF---\r\na: 1\r\nb:\r\n  - x\r\n---\r\none\r\ntwo\r\nthree\r\nfour\r\n");
    vault.write("Plain.md", "text\n");
    assertThat(vault.refusal("update", payload("path", "Plain", "text", "---\na: 1\n---\nx")))
        .startsWith("400");
  }

  @Test
  void keysAreSetWithoutTouchingOthers() throws Exception {
    Map<String, Object> changes = Map.of("due", "2026-05-01", "aliases", "@null");
    vault.run("update", payload("path", "Garden", "front_matter", changes));
    assertThat(vault.content("Garden.md"))
        .startsWith(
            """
            ---
            title:   "Garden"   # mine
            # what it is about
            tags: [garden, 'plants/roses']
            due: 2026-05-01
            ---
            # Garden
            """);
    vault.run(
        "update",
        payload(
            "path",
            "Garden",
            "front_matter",
            payload("title", "yes: \"no\"", "done", true, "text", "true", "n", 3)));
    assertThat(JsonText.map(vault.run("read", payload("path", "Garden")), "front_matter"))
        .containsEntry("title", "yes: \"no\"")
        .containsEntry("done", true)
        .containsEntry("text", "true")
        .containsEntry("n", 3L)
        .containsEntry("tags", List.of("garden", "plants/roses"));
    assertThat(vault.content("Garden.md"))
        .contains("# what it is about\ntags: [garden, 'plants/roses']\n");
    vault.write("Plain.md", "text\n");
    vault.run("update", payload("path", "Plain", "front_matter", Map.of("tags", List.of("a"))));
    assertThat(vault.content("Plain.md")).isEqualTo("---\ntags:\n  - a\n---\ntext\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "---\na: [1\n---\ntext\n",
        "---\n{a: 1}\n---\ntext\n",
        "---\na: &x [1]\nb: *x\n---\ntext\n",
        "---\n- a\n---\ntext\n",
        "---\na: 1\na: 2\n---\ntext\n"
      })
  void aFrontMatterThatCannotBeChangedSafelyIsLeftAlone(String content) throws Exception {
    vault.write("Odd.md", content);
    assertThat(vault.refusal("update", payload("path", "Odd", "front_matter", Map.of("a", "z"))))
        .startsWith("422");
    assertThat(vault.content("Odd.md")).isEqualTo(content);
    assertThat(vault.run("read", payload("path", "Odd"))).containsEntry("text", "text\n");
    vault.run("update", payload("path", "Odd", "append", "more"));
    assertThat(vault.content("Odd.md")).isEqualTo(content + "more\n");
  }

  @Test
  void aChangeOfWhatWasNotReadIsRefused() throws Exception {
    String hash = JsonText.text(vault.run("read", payload("path", "Garden")), "hash");
    vault.run("update", payload("path", "Garden", "append", "x", "if_hash", hash));
    assertThat(vault.refusal("update", payload("path", "Garden", "append", "y", "if_hash", hash)))
        .startsWith("409");
    assertThat(vault.content("Garden.md")).isEqualTo(GARDEN + "x\n");
  }

  @Test
  void aCallThatIsMadeAgainActsOnce() throws Exception {
    Map<String, Object> append = payload("path", "Garden", "append", "x");
    Map<String, Object> first = vault.run("update", "k1", append);
    assertThat(vault.run("update", "k1", append))
        .containsEntry("already_done", true)
        .containsEntry("hash", first.get("hash"));
    assertThat(vault.content("Garden.md")).isEqualTo(GARDEN + "x\n");
    vault.run("update", "k2", append);
    assertThat(vault.content("Garden.md")).isEqualTo(GARDEN + "x\nx\n");
    assertThat(
            vault.refusal(
                List.of(vault.folder.toString(), "--", vault.folder.toString()),
                "update",
                "k1",
                append))
        .as("nobody can tell any more")
        .startsWith("409 This call was made before");

    Map<String, Object> create = payload("path", "New", "text", "text");
    vault.run("create", "k3", create);
    assertThat(vault.run("create", "k3", create)).containsEntry("already_done", true);
    assertThat(vault.refusal("create", create)).startsWith("409 There is a note New.md");
  }

  /** The mark was written, and then the machine failed. */
  @Test
  void aCallThatWasCutOffBeforeItsChangeMakesItNow() throws Exception {
    Note after = Note.of(GARDEN + "x\n");
    new CallLedger(vault.own.resolve("calls"))
        .add("k", new CallLedger.Change("Garden.md", Note.hash(GARDEN), after.hash()));
    Files.writeString(vault.folder.resolve(".holdfast-note.tmp"), "half");
    assertThat(vault.run("update", "k", payload("path", "Garden", "append", "x")))
        .doesNotContainKey("already_done");
    assertThat(vault.content("Garden.md")).isEqualTo(GARDEN + "x\n");
    assertThat(vault.folder.resolve(".holdfast-note.tmp")).doesNotExist();
  }

  @Test
  void theMemoryOfCallsIsBounded() throws Exception {
    CallLedger ledger = new CallLedger(vault.own.resolve("calls"));
    for (int call = 0; call < 520; call++) {
      ledger.add("k" + call, new CallLedger.Change("a", "", "b"));
    }
    try (var files = Files.list(vault.own.resolve("calls"))) {
      assertThat(files.count()).isEqualTo(500);
    }
    assertThat(ledger.find("k519")).isPresent();
  }

  @Test
  void aNewNoteIsMadeWithItsFoldersAndAsReadableAsThese() throws Exception {
    Files.setPosixFilePermissions(vault.folder, PosixFilePermissions.fromString("rwxr-x---"));
    vault.run(
        "create",
        payload(
            "path", "a/b/New", "text", "[[x]]\n", "front_matter", Map.of("tags", List.of("t"))));
    assertThat(vault.content("a/b/New.md")).isEqualTo("---\ntags:\n  - t\n---\n[[x]]\n");
    Path note = vault.folder.resolve("a/b/New.md");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(note)))
        .isEqualTo("rw-r-----");
    Files.setPosixFilePermissions(note, PosixFilePermissions.fromString("rw-rw-rw-"));
    vault.run("update", payload("path", "a/b/New", "append", "x"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(note)))
        .isEqualTo("rw-rw-rw-");
    assertThat(vault.refusal("create", payload("path", "Garden", "text", "x"))).startsWith("409");
    assertThat(vault.content("Garden.md")).isEqualTo(GARDEN);
  }

  @Test
  void aSearchFindsWordsAndTagsWithTheirLines() throws Exception {
    vault.write("Soil.md", "---\ntags: garden/soil\n---\none\nClay is HEAVY, clay is wet\n", 2);
    vault.write("Other.md", "heavy rain\n#weather\n", 3);
    vault.write("sub/Clay.md", "heavy too " + "x".repeat(1000) + "\n", 1);
    assertThat(paths("search", payload("query", "heavy")))
        .containsExactly("Other.md", "Soil.md", "sub/Clay.md");
    Map<String, Object> found = vault.run("search", payload("query", "clay heavy tag:garden"));
    assertThat(JsonText.maps(found, "notes")).hasSize(1);
    assertThat(JsonText.maps(JsonText.maps(found, "notes").getFirst(), "lines"))
        .containsExactly(Map.of("line", 5L, "text", "Clay is HEAVY, clay is wet"));
    assertThat(paths("search", payload("query", "\"is wet\""))).containsExactly("Soil.md");
    assertThat(paths("search", payload("query", "tag:#weather"))).containsExactly("Other.md");
    assertThat(paths("search", payload("query", "heavy", "folder", "sub")))
        .containsExactly("sub/Clay.md");
    Map<String, Object> one = vault.run("search", payload("query", "heavy", "limit", 1));
    assertThat(one).containsEntry("truncated", true);
    assertThat(vault.refusal("search", payload("query", " "))).startsWith("400");
    Files.write(
        vault.folder.resolve("Latin.md"), "gr\u00fcn".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(vault.run("search", payload("query", "clay"))).containsEntry("unreadable", 1L);
    assertThat(vault.refusal("read", payload("path", "Latin"))).startsWith("422");
  }

  private List<String> paths(String action, Map<String, Object> payload) throws Exception {
    return JsonText.maps(vault.run(action, payload), "notes").stream()
        .map(note -> JsonText.text(note, "path"))
        .toList();
  }

  @Test
  void aListIsNewestFirst() throws Exception {
    vault.write("Garden.md", GARDEN, 1);
    vault.write("b/New.md", "x #t/u", 3);
    vault.write("b/Old.md", "x", 2);
    vault.write(".obsidian/x.md", "x", 9);
    vault.write("b/picture.png", "x", 9);
    assertThat(paths("list", payload())).containsExactly("b/New.md", "b/Old.md", "Garden.md");
    assertThat(paths("list", payload("folder", "b"))).containsExactly("b/New.md", "b/Old.md");
    assertThat(paths("list", payload("tag", "t"))).containsExactly("b/New.md");
    Map<String, Object> two = vault.run("list", payload("limit", 2));
    assertThat(two).containsEntry("truncated", true);
    assertThat(JsonText.maps(two, "notes").getFirst())
        .containsEntry("tags", List.of("t/u"))
        .containsEntry("modified", "2026-03-04T00:00:00Z");
  }

  @Test
  void aNoteIsAtMostOneMebibyte() throws Exception {
    vault.write("Big.md", "x".repeat(Note.BYTES_MAX + 1));
    assertThat(vault.refusal("read", payload("path", "Big"))).startsWith("413");
    assertThat(vault.refusal("update", payload("path", "Big", "text", "x"))).startsWith("413");
    String most = "x".repeat(Note.BYTES_MAX);
    assertThat(vault.refusal("create", payload("path", "Bigger", "text", most + "x")))
        .startsWith("413");
    vault.run("create", payload("path", "Most", "text", most));
    assertThat(vault.refusal("update", payload("path", "Most", "append", "x"))).startsWith("413");
  }
}
