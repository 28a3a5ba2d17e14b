package dev.holdfast.tools.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolResult;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/** Whatever stands in a file and whatever is to replace it. */
class EditFilePropertyTest {
  private static @Nullable Path folder;
  private static @Nullable FileWorld world;
  private static int calls;

  @BeforeContainer
  static void open() throws Exception {
    Path made = Files.createTempDirectory("edit");
    folder = made;
    world = new FileWorld(made);
  }

  @AfterContainer
  static void delete() throws Exception {
    Path made = Objects.requireNonNull(folder);
    for (String name : FileWorld.namesIn(made).reversed()) {
      Files.delete(made.resolve(name));
    }
    Files.delete(made);
  }

  /** Few letters, so that passages overlap and repeat; some that are special elsewhere. */
  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings().withChars("ab\n$\\ü").ofMaxLength(30);
  }

  @Property(tries = 200)
  void replacesThePassageAndNothingElse(
      @ForAll("texts") String before,
      @ForAll("texts") String old,
      @ForAll("texts") String replacement,
      @ForAll boolean all)
      throws Exception {
    FileWorld world = Objects.requireNonNull(EditFilePropertyTest.world);
    Path file = world.put("f", before);
    ToolResult result =
        world.callWith(
            "event.1." + ++calls,
            "edit_file",
            new JsonObject()
                .put("path", "f")
                .put("old", old.isEmpty() ? "a" : old)
                .put("new", replacement)
                .put("replace_all", all));
    String passage = old.isEmpty() ? "a" : old;
    int matches = (before.length() - before.replace(passage, "").length()) / passage.length();
    boolean fits = !passage.equals(replacement) && (matches == 1 || (matches > 1 && all));
    assertThat(result.isError()).as(result.text()).isEqualTo(!fits);
    String wanted = fits ? before.replace(passage, replacement) : before;
    assertThat(Files.readString(file)).isEqualTo(wanted);
    if (fits) {
      world.backups().rollback("event.1." + calls, "op", false);
      assertThat(Files.readString(file)).isEqualTo(before);
    } else if (matches > 1) {
      assertThat(result.text())
          .contains(passage.equals(replacement) ? "the same" : matches + " times");
    }
  }
}
