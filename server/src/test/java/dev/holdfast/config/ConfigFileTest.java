package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFileTest {
  enum OnUnknown {
    RESEND_ONCE,
    HOLD
  }

  record Turn(int roundsMax, Duration timeout, OnUnknown onUnknown) {
    Turn {
      Check.inRange("max_rounds", roundsMax, 1, 1000);
      Check.atLeast("timeout_secs", timeout, Duration.ofSeconds(1));
    }

    static Turn from(Section turn) {
      return new Turn(
          turn.whole("max_rounds", 25),
          turn.seconds("timeout_secs", 900),
          turn.choice("on_unknown", OnUnknown.class, OnUnknown.RESEND_ONCE));
    }
  }

  record Account(Secret secret, String replyUrl) {
    Account {
      Check.that(!secret.isEmpty(), "secret", "must be given");
    }

    static Account from(Section account) {
      return new Account(account.secret("secret"), account.text("reply_url", ""));
    }
  }

  record Whole(Turn turn, Map<String, Account> accounts, String host, boolean errorReplies) {
    static Whole from(Section root) {
      return new Whole(
          root.section("turn").read(Turn::from),
          root.section("webhook").named("accounts", Account::from),
          root.section("http").text("host", "127.0.0.1"),
          root.flag("error_replies", true));
    }
  }

  private static Whole whole(String yaml, Map<String, String> environment) throws ConfigException {
    return ConfigFile.text("conf/holdfast.yaml", yaml, environment).make(Whole::from);
  }

  private static List<String> problems(String yaml, Map<String, String> environment) {
    try {
      whole(yaml, environment);
      return List.of();
    } catch (ConfigException e) {
      return e.problems().stream().map(Problem::toString).toList();
    }
  }

  private static List<String> problems(String yaml) {
    return problems(yaml, Map.of());
  }

  @Test
  void anEmptyOrMissingFileMeansTheDefaults(@TempDir Path folder) throws Exception {
    Whole defaults = whole("", Map.of());
    assertThat(defaults.turn())
        .isEqualTo(new Turn(25, Duration.ofMinutes(15), OnUnknown.RESEND_ONCE));
    assertThat(whole("# nothing\n---\n", Map.of())).isEqualTo(defaults);
    assertThat(whole("turn:\nhttp: ~\n", Map.of())).isEqualTo(defaults);
    Path missing = folder.resolve("no.yaml");
    assertThat(ConfigFile.read(missing, Map.of()).make(Whole::from)).isEqualTo(defaults);
    assertThatThrownBy(() -> ConfigFile.readExisting(missing, Map.of()).make(Whole::from))
        .hasMessage(missing + ": does not exist");
  }

  @Test
  void everyProblemComesOutAtOnceWithItsLine() {
    assertThat(
            problems(
                """
                error_replies: yes
                turn:
                  max_rounds: 0
                  timeout_secs: 0
                  on_unknown: resend_onc
                  max_round: 3
                http:
                  host: [a]
                  max_rounds: 1
                turm: 1
                webhook:
                  accounts:
                    ci: {secret: "", reply_url: {}}
                    cd: 5
                    other: {secret: "${MISSING}", replyUrl: x}
                """))
        .containsExactly(
            "conf/holdfast.yaml:1: error_replies must be true or false, got yes",
            "conf/holdfast.yaml:3: turn: max_rounds must be from 1 to 1000, got 0",
            "conf/holdfast.yaml:4: turn: timeout_secs must be at least 1 s, got 0 s",
            "conf/holdfast.yaml:5: turn: on_unknown must be one of resend_once, hold, got"
                + " resend_onc; did you mean resend_once?",
            "conf/holdfast.yaml:6: turn: unknown key max_round; did you mean max_rounds?",
            "conf/holdfast.yaml:8: http: host must be a single value, got a list",
            "conf/holdfast.yaml:9: http: unknown key max_rounds; it belongs under turn",
            "conf/holdfast.yaml:10: unknown key turm; did you mean turn?",
            "conf/holdfast.yaml:13: webhook.accounts.ci: reply_url must be a single value, got a"
                + " mapping",
            "conf/holdfast.yaml:13: webhook.accounts.ci: secret must be given",
            "conf/holdfast.yaml:14: webhook.accounts: cd must be a mapping (key: value), got a"
                + " single value",
            "conf/holdfast.yaml:14: webhook.accounts.cd: secret must be given",
            "conf/holdfast.yaml:15: webhook.accounts.other: secret needs the environment variable"
                + " MISSING, which is not set (write ${MISSING:-} to allow that)",
            "conf/holdfast.yaml:15: webhook.accounts.other: secret must be given",
            "conf/holdfast.yaml:15: webhook.accounts.other: unknown key replyUrl; did you mean"
                + " reply_url?");
  }

  @Test
  void placeholdersAreFilledIn(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("secret.txt"), "from a file\n");
    Path file = folder.resolve("holdfast.yaml");
    Files.writeString(
        file,
        """
        turn: {max_rounds: "${ROUNDS}", timeout_secs: "${SECS:-7}", on_unknown: "${HOW:-hold}"}
        error_replies: ${REPLIES}
        http: {host: "a$${b}-${A}-${EMPTY:-c}"}
        webhook: {accounts: {ci: {secret: "${file:secret.txt}"}}}
        # ${NOT_LOOKED_AT}
        """);
    Whole read =
        ConfigFile.read(
                file, Map.of("ROUNDS", "3", "REPLIES", "false", "A", "${ROUNDS}", "EMPTY", ""))
            .make(Whole::from);
    assertThat(read.turn()).isEqualTo(new Turn(3, Duration.ofSeconds(7), OnUnknown.HOLD));
    assertThat(read.errorReplies()).isFalse();
    assertThat(read.host()).isEqualTo("a${b}-${ROUNDS}-c");
    assertThat(read.accounts())
        .containsExactly(Map.entry("ci", new Account(new Secret("from a file"), "")));
  }

  @Test
  void whatNobodyHasAskedForIsGivenAsItLooks() throws ConfigException {
    LoadedConfig loaded =
        ConfigFile.text(
            "x",
            """
            own: 1
            text: a ${WORD}
            whole: 1_000
            quoted: "7"
            number: 0.5
            flag: true
            none: ~
            list: [a, 2, [b], {c: false}]
            """,
            Map.of("WORD", "b"));
    Map<String, Object> rest =
        loaded.make(
            root -> {
              assertThat(root.whole("own", 0)).isEqualTo(1);
              return root.rest();
            });
    assertThat(rest)
        .isEqualTo(
            Map.of(
                "text",
                "a b",
                "whole",
                1000L,
                "quoted",
                "7",
                "number",
                0.5,
                "flag",
                true,
                "list",
                List.of("a", 2L, List.of("b"), Map.of("c", false))));
  }

  @Test
  void aMessageRepeatsNoValueOfTheEnvironment() {
    assertThat(problems("turn: {max_rounds: \"${KEY}\"}", Map.of("KEY", "sk-verysecret")))
        .containsExactly(
            "conf/holdfast.yaml:1: turn: max_rounds must be a whole number, got ${KEY}");
    assertThat(problems("turn: {max_rounds: '${file:/no/such}'}").getFirst())
        .endsWith("max_rounds needs the file /no/such, which does not exist");
    assertThat(problems("turn: {max_rounds: '${A B}'}").getFirst())
        .contains("${A B}, which names no environment variable");
    assertThat(problems("http: {host: 'x${A'}").getFirst()).contains("a ${ without its }");
  }

  @Test
  void wholeNumbersAreWholeAndWithinTheirRange() {
    for (String wrong :
        List.of("1.5", "\"5\"", "0x10", "1e3", "99999999999999999999", "3000000000", "[]", "ten")) {
      assertThat(problems("turn: {max_rounds: " + wrong + "}")).as(wrong).hasSize(1);
    }
    assertThat(problems("turn: {max_rounds: +1_0}")).isEmpty();
    assertThat(problems("turn: {timeout_secs: 9223372036854775807}")).hasSize(1);
  }

  @Test
  void aKeyMayStandOnlyOnce() {
    assertThat(problems("turn:\n  max_rounds: 1\n  max_rounds: 2\nturn: {}\n"))
        .containsExactly(
            "conf/holdfast.yaml:3: turn: max_rounds stands here twice; the first is in line 2",
            "conf/holdfast.yaml:4: turn stands here twice; the first is in line 1");
  }

  @Test
  void brokenFilesAreProblemsAndNothingElse(@TempDir Path folder) throws Exception {
    assertThat(problems("turn: {max_rounds: 1\nhttp: [").getFirst())
        .startsWith("conf/holdfast.yaml:2: is not valid YAML: ");
    assertThat(problems("a: 1\n\tb: 2").getFirst()).startsWith("conf/holdfast.yaml:2: is not");
    assertThat(problems("a: 1\nb: \u0001")).first().asString().contains(":2: is not valid YAML");
    assertThat(problems("[1, 2]"))
        .containsExactly("conf/holdfast.yaml:1: must be a mapping (key: value)");
    assertThat(problems("turn: {}\n---\nhttp: {}").getFirst()).contains("is not valid YAML");
    assertThat(problems("? [a]\n: 1").getFirst()).contains("a key must be a text");
    assertThat(problems("[".repeat(10_000)).getFirst()).contains("is not valid YAML");
    Path file = folder.resolve("x.yaml");
    Files.write(file, new byte[] {'a', ':', (byte) 0xff});
    assertThatThrownBy(() -> ConfigFile.read(file, Map.of()).make(Whole::from))
        .hasMessage(file + ": is not a UTF-8 text");
    Files.write(file, "a".repeat(2 << 20).getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> ConfigFile.read(file, Map.of()).make(Whole::from))
        .hasMessageContaining("is larger than");
    assertThatThrownBy(() -> ConfigFile.read(folder, Map.of()).make(Whole::from))
        .hasMessageContaining("is a folder");
  }

  @Test
  void aliasesCannotGrowWithoutEnd() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d, *a%d]\n".formatted(i, i, i - 1, i - 1, i - 1));
    }
    assertThat(problems(bomb.toString()))
        .containsExactly("conf/holdfast.yaml: has more than 50 aliases (*name)");
    assertThat(problems("turn: &t {max_rounds: 3}\nhttp: {<<: *t}\n").getFirst())
        .contains("merge keys (<<) are not supported");
    assertThat(problems("webhook: &w\n  accounts: *w\n")).isNotEmpty();
  }

  @Test
  void theEffectiveConfigurationShowsEverythingButSecrets() throws Exception {
    LoadedConfig loaded =
        ConfigFile.text(
            "x",
            """
            turn: {max_rounds: 3}
            webhook: {accounts: {ci: {secret: hush-hush, reply_url: "https://h/?k=hush-hush"}}}
            """,
            Map.of());
    loaded.make(Whole::from);
    assertThat(loaded.effectiveYaml())
        .isEqualTo(
            """
            turn:
              max_rounds: 3  # line 1
              timeout_secs: 900
              on_unknown: resend_once
            webhook:
              accounts:
                ci:
                  secret: "***"  # line 2
                  reply_url: "https://h/?k=***"  # line 2
            http:
              host: "127.0.0.1"
            error_replies: true
            """);
    assertThat(ConfigFile.text("y", loaded.effectiveYaml(), Map.of()).make(Whole::from).turn())
        .isEqualTo(new Turn(3, Duration.ofMinutes(15), OnUnknown.RESEND_ONCE));
    assertThat(loaded.effective().toString()).contains("timeout_secs=900").doesNotContain("hush");
  }

  @Test
  void aValueCanBePeekedAtInAFileWithProblems() {
    LoadedConfig loaded =
        ConfigFile.text("x", "server: {data_dir: '${D:-/d}', x: 1}\ny: 2", Map.of());
    assertThat(loaded.peek("server", "data_dir")).contains("/d");
    assertThat(loaded.peek("server", "no")).isEmpty();
    assertThat(loaded.peek("y", "no")).isEmpty();
    assertThatThrownBy(() -> loaded.make(Whole::from)).hasMessageContaining("unknown key server");
  }

  @Test
  void aRefusedValueOfANestedSectionIsFoundByItsKey() {
    record Outer(Turn inner) {}
    LoadedConfig loaded = ConfigFile.text("x", "outer:\n  inner:\n    max_rounds: 0\n", Map.of());
    assertThatThrownBy(
            () ->
                loaded.make(
                    root ->
                        root.section("outer")
                            .read(outer -> new Outer(Turn.from(outer.section("inner"))))))
        .hasMessage("x:3: outer.inner: max_rounds must be from 1 to 1000, got 0");
  }

  @Test
  void aRefusalByTheWholeIsFoundByItsPath() {
    LoadedConfig loaded = ConfigFile.text("x", "http:\n  host: 0.0.0.0\n", Map.of());
    assertThatThrownBy(
            () ->
                loaded.make(
                    root -> {
                      String host = root.section("http").text("host", "127.0.0.1");
                      Check.that(
                          host.equals("127.0.0.1"),
                          "http.host",
                          "is " + host + ", which others can reach");
                      return host;
                    }))
        .hasMessageStartingWith("x:2: http.host is 0.0.0.0, which others can reach");
  }

  @Test
  void aRefusalOfAWholeSectionIsSaidOnce() {
    LoadedConfig loaded = ConfigFile.text("x", "http:\n  host: 0.0.0.0\n", Map.of());
    assertThatThrownBy(
            () ->
                loaded.make(
                    root -> {
                      String host = root.section("http").text("host", "127.0.0.1");
                      Check.that(host.equals("127.0.0.1"), "http", "is open to the world");
                      return host;
                    }))
        .hasMessage("x:1: http is open to the world");
  }

  @Test
  void aRefusedValueOfASectionBesideIsFoundByItsKeyToo() {
    LoadedConfig loaded = ConfigFile.text("x", "other:\n  max_rounds: 0\nthis: {}\n", Map.of());
    assertThatThrownBy(
            () ->
                loaded.make(
                    root -> root.section("this").read(_ -> Turn.from(root.section("other")))))
        .hasMessage("x:2: other: max_rounds must be from 1 to 1000, got 0");
  }
}
