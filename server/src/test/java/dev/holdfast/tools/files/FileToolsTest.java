package dev.holdfast.tools.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolResult;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;

class FileToolsTest extends FileWorldCase {
  @Test
  void aWrittenFileIsReadBackWithNumbersAndMakesItsFolders() throws Exception {
    ToolResult wrote = world.call("write_file", "path", "a/b/c.txt", "content", "one\ntwo\n");
    assertThat(wrote.isError()).as(wrote.text()).isFalse();
    assertThat(wrote.text()).isEqualTo("Wrote new file a/b/c.txt: 8 bytes");
    assertThat(wrote.facts()).containsEntry("execution", "event.1.1");
    assertThat(world.call("read_file", "path", "a/b/c.txt").text()).isEqualTo("1\tone\n2\ttwo\n");
    Path file = world.scratch.resolve("a/b/c.txt");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
        .isEqualTo("rwx------");
    assertThat(world.names()).containsExactly("a", "a/b", "a/b/c.txt");
  }

  @Test
  void aReplacedFileKeepsItsRights() throws Exception {
    Path file = world.put("run.sh", "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
    assertThat(world.call("write_file", "path", "run.sh", "content", "new").text())
        .startsWith("Replaced");
    assertThat(file).hasContent("new");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rwxr-x---");
  }

  @Test
  void readsAPartByLinesAndSaysHowToGoOn() throws Exception {
    world.put("long.txt", "l\n".repeat(2500));
    assertThat(read("long.txt", 2, 2))
        .isEqualTo("2\tl\n3\tl\n[lines 2 to 3 of 2500; continue with offset 4]");
    assertThat(read("long.txt", 2500, 9)).isEqualTo("2500\tl\n[the end; 2500 lines in all]");
    assertThat(world.call("read_file", "path", "long.txt").text())
        .endsWith("[lines 1 to 2000 of 2500; continue with offset 2001]");
    ToolResult behind =
        world.callWith(
            "k", "read_file", new JsonObject().put("path", "long.txt").put("offset", 9999));
    assertThat(behind.isError()).isTrue();
    assertThat(behind.text()).contains("has 2500 lines");
  }

  @Test
  void whatIsNoTextIsNamedAsSuch() throws Exception {
    Files.write(world.scratch.resolve("x.bin"), new byte[] {1, 0, 2});
    assertThat(world.call("read_file", "path", "x.bin").text())
        .isEqualTo("x.bin: a binary file of 3 bytes, not shown");
    world.put("empty", "");
    assertThat(world.call("read_file", "path", "empty").text()).isEqualTo("empty: an empty file");
    world.put("dos", "a\r\nb");
    assertThat(world.call("read_file", "path", "dos").text()).isEqualTo("1\ta\n2\tb\n");
    world.put("wide", "x".repeat(100_000) + "\nnext");
    String wide = world.call("read_file", "path", "wide").text();
    assertThat(wide).hasSizeLessThan(3000).contains("[cut]").contains("2\tnext");
    assertThat(world.call("read_file", "path", "nope").isError()).isTrue();
  }

  @Test
  void editsOnlyWhatStandsThereOnce() throws Exception {
    Path file = world.put("e.txt", "a b\na c\n");
    ToolResult twice = world.call("edit_file", "path", "e.txt", "old", "a", "new", "x");
    assertThat(twice.isError()).isTrue();
    assertThat(twice.text()).contains("2 times (lines 1, 2)");
    assertThat(world.call("edit_file", "path", "e.txt", "old", "zz", "new", "x").text())
        .contains("0 matches");
    assertThat(world.call("edit_file", "path", "e.txt", "old", "a c", "new", "$1\\").text())
        .isEqualTo("Edited e.txt: 1 replaced (lines 2)");
    assertThat(file).hasContent("a b\n$1\\\n");
    ToolResult all =
        world.callWith(
            "k",
            "edit_file",
            new JsonObject()
                .put("path", "e.txt")
                .put("old", "\n")
                .put("new", "")
                .put("replace_all", true));
    assertThat(all.text()).contains("2 replaced");
    assertThat(Files.readString(file)).isEqualTo("a b$1\\");
    assertThat(world.kept())
        .as("a refused edit leaves no backup")
        .containsExactly("event.3.1", "k");
  }

  @Test
  void deletesAndMoves() throws Exception {
    world.put("a", "A");
    world.put("b", "B");
    assertThat(world.call("delete_file", "path", "a").text()).isEqualTo("Deleted a");
    assertThat(world.call("move_file", "from", "b", "to", "new/b").text())
        .isEqualTo("Moved b to new/b");
    assertThat(world.names()).containsExactly("new", "new/b");
    world.put("c", "C");
    ToolResult onto = world.call("move_file", "from", "c", "to", "new/b");
    assertThat(onto.isError()).isTrue();
    assertThat(world.scratch.resolve("new/b")).hasContent("B");
    assertThat(world.call("delete_file", "path", "gone").isError()).isTrue();
    assertThat(world.call("delete_file", "path", "new").isError()).isTrue();
  }

  @Test
  void listsAFolderAndSaysWhatCannotBeUsed() throws Exception {
    world.put("b.txt", "12345");
    world.put("sub/x", "");
    Files.createSymbolicLink(world.scratch.resolve("link"), world.outside);
    Files.createLink(world.scratch.resolve("hard"), world.outside.resolve("secret.txt"));
    assertThat(world.call("list_files").text())
        .isEqualTo(
            """
            b.txt  5
            hard  6  (hard link, not usable)
            link  (link, not followed)
            sub/
            """);
    assertThat(world.call("list_files", "path", "sub").text()).isEqualTo("x  0\n");
    for (int i = 0; i < 1100; i++) {
      world.put("many/" + i, "");
    }
    assertThat(world.call("list_files", "path", "many").text())
        .endsWith("[there are more than 1000 entries]")
        .satisfies(text -> assertThat(text.lines()).hasSize(1001));
  }

  @Test
  void findsLines() throws Exception {
    world.put("a.txt", "one\nTwo 2\n");
    world.put("sub/b.txt", "two\n");
    Files.createSymbolicLink(world.scratch.resolve("link"), world.outside);
    assertThat(world.call("search_files", "pattern", "(?i)two").text())
        .isEqualTo(
            """
            a.txt:2: Two 2
            sub/b.txt:1: two
            [not searched, or not completely: 1 (links, binary or very long files)]
            """);
    assertThat(world.call("search_files", "path", "a.txt", "pattern", "\\d$").text())
        .isEqualTo("a.txt:2: Two 2\n");
    assertThat(world.call("search_files", "pattern", "SECRET").text()).startsWith("No hits.");
    assertThat(world.call("search_files", "pattern", "(unclosed").isError()).isTrue();
    world.put("many.txt", "x\n".repeat(1000));
    assertThat(world.call("search_files", "path", "many.txt", "pattern", "x").text())
        .endsWith("[there are more than 200 hits]\n")
        .satisfies(text -> assertThat(text.lines()).hasSize(201));
  }

  @Test
  void aHostilePatternEnds() throws Exception {
    world.put("a.txt", "a".repeat(100_000));
    for (String pattern :
        List.of(
            "(a+)+$b",
            "(a|a)*b",
            "(a|aa)+b",
            "(.*a){20}b",
            "(?:a?){30}a{30}b",
            "((a{1,30}){1,30})b",
            "(x+x+)+y")) {
      ToolResult result = world.call("search_files", "pattern", pattern);
      assertThat(result.text()).as(pattern).startsWith("No hits.");
    }
    for (String pattern :
        List.of(
            "((a{1000}){1000}){1000}", "(?:){2147483647}", "((){9999}){9999}", "(".repeat(999))) {
      assertThat(world.call("search_files", "pattern", pattern).isError()).as(pattern).isTrue();
    }
    ToolResult deep =
        world.call("search_files", "pattern", "(".repeat(499) + "a" + ")".repeat(499));
    assertThat(deep.text()).isNotBlank();
  }

  @Test
  void everyToolSaysHowItMayBeRepeatedAndWhatItIsAbout() throws Exception {
    assertThat(world.tool("read_file").replay()).isEqualTo(ReplayClass.READ);
    assertThat(world.tool("list_files").replay()).isEqualTo(ReplayClass.READ);
    assertThat(world.tool("search_files").replay()).isEqualTo(ReplayClass.READ);
    assertThat(world.tool("write_file").replay()).isEqualTo(ReplayClass.IDEMPOTENT);
    assertThat(world.tool("edit_file").replay()).isEqualTo(ReplayClass.KEYED);
    assertThat(world.tool("delete_file").replay()).isEqualTo(ReplayClass.KEYED);
    assertThat(world.tool("move_file").replay()).isEqualTo(ReplayClass.KEYED);
    assertThat(world.tool("write_file").label("{\"path\":\"a\\nb\",\"content\":\"secret\"}"))
        .isEqualTo("write_file: a b");
    assertThat(world.tool("move_file").label("{\"from\":\"a\",\"to\":\"b\"}"))
        .isEqualTo("move_file: a to b");
    assertThat(world.tool("search_files").label("{\"pattern\":\"x\"}"))
        .isEqualTo("search_files: x in .");
    assertThat(world.tool("read_file").label("nonsense")).isEqualTo("read_file");
  }

  private String read(String path, int offset, int limit) throws Exception {
    JsonObject arguments =
        new JsonObject().put("path", path).put("offset", offset).put("limit", limit);
    return world.callWith("k", "read_file", arguments).text();
  }
}
