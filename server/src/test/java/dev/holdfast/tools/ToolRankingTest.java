package dev.holdfast.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ToolRankingTest {
  private static final List<ToolSpec> TOOLS =
      List.of(
          spec("files_readTextFile", "Reads a file as text."),
          spec("files_write_file", "Creates a file or replaces what it holds."),
          spec("git_commit", "Records changes in the repository. Reads the index first."),
          spec("git_diff", "Shows what has changed."),
          spec("mail_send", "Sends a message to an address."),
          spec("weather_now", "What the weather is like, for example Grüße aus Köln."));

  private static ToolSpec spec(String name, String description) {
    return new ToolSpec(name, description, "{\"type\":\"object\"}");
  }

  private static List<String> best(String query) {
    return ToolRanking.best(TOOLS, query, 3).stream().map(ToolSpec::name).toList();
  }

  @Test
  void aWordInANameCountsMoreThanOneInADescription() {
    assertThat(best("read")).containsExactly("files_readTextFile", "git_commit");
  }

  @Test
  void aRareWordCountsMoreThanACommonOne() {
    assertThat(best("files commit").getFirst()).isEqualTo("git_commit");
  }

  @Test
  void wordsThatBeginAlikeAreFoundToo() {
    assertThat(best("emails messages weat")).containsExactly("weather_now", "mail_send");
  }

  @Test
  void aWholeNameComesFirst() {
    assertThat(best("git_diff").getFirst()).isEqualTo("git_diff");
    assertThat(best(" FILES_write_file ").getFirst()).isEqualTo("files_write_file");
  }

  @Test
  void lettersOfAnyLanguageAreWords() {
    assertThat(best("GRÜSSE")).isEmpty();
    assertThat(best("köln!")).containsExactly("weather_now");
  }

  @Test
  void whatHasNoneOfTheWordsIsNotFound() {
    assertThat(best("zzz")).isEmpty();
    assertThat(best("?! _")).isEmpty();
    assertThat(ToolRanking.best(List.of(), "read", 3)).isEmpty();
  }

  @Test
  void noMoreThanWantedAreFoundAndTheOrderDoesNotDependOnTheirs() {
    List<ToolSpec> many = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      many.add(spec("same_" + i, "does the same"));
    }
    List<ToolSpec> found = ToolRanking.best(many, "same", 5);
    assertThat(found).hasSize(5).isEqualTo(ToolRanking.best(many.reversed(), "same", 5));
  }
}
