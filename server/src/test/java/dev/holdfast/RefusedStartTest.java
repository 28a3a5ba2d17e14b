package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.cli.RunOptions;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.LastGoodConfig;
import dev.holdfast.store.engine.StartRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Row S30, and the strict configuration: when a start is refused. */
class RefusedStartTest {
  private static final String CHOSEN = "a-token-that-the-operator-chose-0123";

  @TempDir Path folder;

  private Boot boot(String yaml, String token, boolean strict) throws IOException {
    Path file = Files.writeString(folder.resolve("holdfast.yaml"), yaml);
    Map<String, String> environment = token.isEmpty() ? Map.of() : Map.of("HOLDFAST_TOKEN", token);
    return new Boot(
        new RunOptions(file, true, Optional.of(folder), strict, false, environment),
        ServerRunner.TIME);
  }

  /**
   * A public bind wants a chosen token, for the made one is known to the operator only; a token
   * that cannot serve is an error of the configuration, or else a service manager would start again
   * and again; an account without a secret would be open to all.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          http: {host: 0.0.0.0} | "" | no token is set
          {} | too-short | HOLDFAST_TOKEN: token must
          {} | has blanks between its words | HOLDFAST_TOKEN: token must
          {} | schlüssel-schlüssel | HOLDFAST_TOKEN: token must
          channels: {webhook: {accounts: {open: {secret: '', reply_url: 'http://127.0.0.1:1/'}}}} | "" | secret
          """)
  void whatWouldNotBeSafeIsRefused(String yaml, String token, String why) throws Exception {
    Boot boot = boot(yaml, token, false);
    try {
      LastGoodConfig.Chosen<ServerConfig> _ = boot.configure();
      StartRefusedException refused =
          catchThrowableOfType(StartRefusedException.class, () -> boot.token(folder));
      assertThat(refused).hasMessageContaining(why);
      assertThat(refused.exitCode()).isEqualTo(Boot.CONFIGURATION);
    } catch (ConfigException refused) {
      assertThat(refused).hasMessageContaining(why);
    }
  }

  /** A secret that is mounted as a file ends with the end of a line. */
  @Test
  void aPublicBindWithATokenIsNotRefusedAndTheEndOfALineIsNoPartOfIt() throws Exception {
    Boot boot = boot("http: {host: 0.0.0.0}", CHOSEN + "\n", false);
    assertThat(boot.configure().config().listeners().hasToken()).isTrue();
    assertThat(boot.token(folder).reveal()).isEqualTo(CHOSEN);
  }

  /** At boot too. */
  @Test
  void aBadChangeLeavesTheLastGoodOneInForceUnlessItIsStrict() throws Exception {
    LastGoodConfig.in(folder).keep(boot("http: {port: 7000}", "", false).configure().loaded());
    String bad = "http: {prot: 8080}";
    LastGoodConfig.Chosen<ServerConfig> chosen = boot(bad, "", false).configure();
    assertThat(chosen.isDegraded()).isTrue();
    assertThat(chosen.config().listeners().http().port()).isEqualTo(7000);
    assertThat(catchThrowableOfType(ConfigException.class, () -> boot(bad, "", true).configure()))
        .hasMessageContaining("prot");
  }

  /** Nothing would keep a command from changing the machine. */
  @Test
  void commandsAsRootWithoutASandboxAreRefused() throws Exception {
    boolean isRoot = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    Assumptions.assumeTrue(isRoot, "not root");
    String yaml =
        "http: {port: 0}\nmetrics: {port: 0}\ntools: {shell: {enabled: true, sandbox: none}}\n";
    StartRefusedException refused =
        catchThrowableOfType(
            StartRefusedException.class,
            () -> new ServerRunner(folder, yaml).start(new Opened(_ -> {})));
    assertThat(refused).hasMessageContainingAll("tools.shell", "root", "bubblewrap");
    assertThat(refused.exitCode()).isEqualTo(Boot.CONFIGURATION);
  }
}
