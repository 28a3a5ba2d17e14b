package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandTokenTest extends CommandFixture {
  @Test
  void wrongLinesAmongTheVariablesAreSaidWithoutTheirValues() throws IOException {
    Path file = Files.createDirectories(folder.resolve("conf")).resolve("holdfast.env");
    Files.writeString(file, "# keys\nGOOD=1\nsk-secret\n");
    line.run("config", "check");
    assertThat(line.err()).contains("holdfast.env:3: there is no = in it").doesNotContain("secret");
    assertThat(line.run(server, "doctor")).isIn(0, 1);
    assertThat(line.out()).contains("holdfast.env:3").doesNotContain("secret");
  }

  @Test
  void theTokenComesFromTheDataFolder() throws IOException {
    line.environment(Map.of());
    assertThat(line.run(server, "status")).isEqualTo(1);
    assertThat(line.err()).contains("does not accept the token");
    Files.createDirectory(folder.resolve("data"));
    Files.writeString(folder.resolve("data/token"), "good-token\n");
    assertThat(line.run(server, "status")).isZero();
  }

  @Test
  void whatTheFileOfVariablesSaysHoldsForCommandsToo() throws IOException {
    Files.createDirectory(folder.resolve("conf"));
    Files.writeString(
        folder.resolve("conf/holdfast.env"),
        "HOLDFAST_TOKEN=good-token\nHOLDFAST_URL=%s\nOF_FILE=in-force\n".formatted(server.url()));
    line.environment(Map.of());
    assertThat(line.run("status")).isZero();
    assertThat(line.run("config", "show")).isZero();
    assertThat(line.out()).contains("in-force");
    assertThat(line.run("doctor")).isIn(0, 1);
    assertThat(line.out()).contains("none in the data folder; HOLDFAST_TOKEN is used");
    line.environment(Map.of("HOLDFAST_TOKEN", "of-this-command"));
    assertThat(line.run("status")).isEqualTo(1);
    assertThat(line.err()).contains("does not accept the token");
  }

  @Test
  void theBlanksAroundATokenAreNoPartOfIt() {
    line.environment(Map.of("HOLDFAST_TOKEN", " good-token\r\n"));
    assertThat(line.run(server, "status")).isZero();
    assertThat(line.run(server, "status", "--token", "good-token\n")).isZero();
  }

  @Test
  void whatCannotBeATokenIsRefusedInOneSentenceThatDoesNotShowIt() throws IOException {
    for (String bad : List.of("s3cr\net-of-mine", "s3cr\u00e9t-of-mine", "s3cr\u0000t-of-mine")) {
      assertThat(line.run(server, "plugins", "list", "--json", "--token", bad)).isEqualTo(64);
      assertThat(line.err())
          .startsWith("{\"error\":\"--token holds no token")
          .hasLineCount(1)
          .doesNotContain("of-mine");
      line.environment(Map.of("HOLDFAST_TOKEN", bad));
      assertThat(line.run(server, "plugins", "list")).isEqualTo(78);
      assertThat(line.err()).contains("HOLDFAST_TOKEN holds no token").doesNotContain("of-mine");
    }
    line.environment(Map.of());
    Files.createDirectory(folder.resolve("data"));
    Files.writeString(folder.resolve("data/token"), "s3cr\net-of-mine");
    assertThat(line.run(server, "status")).isEqualTo(78);
    assertThat(line.err()).contains("token holds no token").doesNotContain("of-mine");
    assertThat(server.requests).isEmpty();
  }

  @Test
  void aBugInACommandDoesNotShowTheToken() {
    line.environment(Map.of("HOLDFAST_TOKEN", "s3cret-of-mine\n"));
    line.fails(new IllegalArgumentException("bad header: \"Bearer s3cret-of-mine\n\""));
    for (String[] args : new String[][] {{"run"}, {"run", "--token", "an-0ther-one"}}) {
      assertThat(line.run(args)).isEqualTo(70);
      assertThat(line.err())
          .contains("IllegalArgumentException", "Bearer ***")
          .doesNotContain("s3cret-of-mine");
    }
  }

  @Test
  void aHeaderThatCannotBeSentIsNamedWithoutItsValue() {
    ApiClient api = new ApiClient(URI.create(server.url()), "s3cr\net-of-mine");
    assertThatThrownBy(() -> api.get("/api/v1/status"))
        .hasMessageContaining("Authorization")
        .hasNoCause();
  }
}
