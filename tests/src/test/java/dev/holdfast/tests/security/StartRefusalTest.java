package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row S30, and the strict configuration: when a start is refused. */
@Timeout(60)
class StartRefusalTest {
  private static final int CONFIGURATION = 78;

  /**
   * Row S30: the made token in the data folder is known to the operator only, so a public bind
   * wants a chosen one.
   */
  @Test
  void aPublicBindWithoutATokenIsRefused() {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("http.host", "0.0.0.0");
      assertThat(rig.launch().exitCode(Duration.ofSeconds(10))).isEqualTo(CONFIGURATION);
      assertThat(rig.server().output()).contains("token");
    }
  }

  @Test
  void aPublicBindWithATokenServes() {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("http.host", "0.0.0.0");
      rig.setup().env("HOLDFAST_TOKEN", "a-token-that-the-operator-chose-0123");
      rig.start();
      rig.converse("e1", "t", "hello");
    }
  }

  /** A secret that is mounted as a file ends with the end of a line. */
  @Test
  void theEndOfALineIsNoPartOfAToken() throws IOException {
    String token = "a-token-that-the-operator-chose-0123";
    try (ServerRig rig = new ServerRig()) {
      rig.setup().env("HOLDFAST_TOKEN", token + "\n");
      rig.start();
      Answer answer =
          new Http()
              .get(rig.setup().url("/api/v1/status"), Map.of("authorization", "Bearer " + token));
      assertThat(answer.status()).isEqualTo(200);
    }
  }

  /** A service manager would else start it again and again. */
  @Test
  void aTokenThatCannotServeIsAnErrorOfTheConfiguration() {
    for (String token :
        List.of("too-short", "has blanks between its words", "schlüssel-schlüssel")) {
      try (ServerRig rig = new ServerRig()) {
        rig.setup().env("HOLDFAST_TOKEN", token);
        assertThat(rig.launch().exitCode(Duration.ofSeconds(20))).isEqualTo(CONFIGURATION);
        assertThat(rig.server().output()).contains("HOLDFAST_TOKEN: token must");
      }
    }
  }

  /** Each wrong key is named with its file and line, all at once. */
  @Test
  void aWrongConfigurationNamesAllProblems() {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("http.prot", 8080).set("turn.timeout_secs", 0);
      assertThat(rig.launch().exitCode(Duration.ofSeconds(10))).isEqualTo(CONFIGURATION);
      assertThat(rig.server().output()).contains("holdfast.yaml", "prot", "port", "timeout_secs");
    }
  }

  /** A bad change leaves the last good configuration in force, at boot too. */
  @Test
  void aBadChangeLeavesTheLastGoodOneInForce() throws IOException {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      rig.server().stop();
      rig.setup().set("http.prot", 8080);
      rig.start();
      rig.converse("e2", "t", "hello again");
      rig.server().stop();
      rig.setup().argument("--strict");
      assertThat(rig.launch().exitCode(Duration.ofSeconds(10))).isEqualTo(CONFIGURATION);
    }
  }

  /** Nothing would keep a command from changing the machine. */
  @Test
  void commandsAsRootWithoutASandboxAreRefused() throws IOException {
    boolean isRoot = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    Assumptions.assumeTrue(isRoot, "not root");
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("tools.shell.enabled", true).set("tools.shell.sandbox", "none");
      assertThat(rig.launch().exitCode(Duration.ofSeconds(20))).isEqualTo(CONFIGURATION);
      assertThat(rig.server().output()).contains("tools.shell", "root", "bubblewrap");
    }
  }

  /** The webhook account needs a secret: an unsigned door would be open to all. */
  @Test
  void anAccountWithoutASecretIsRefused() {
    try (ServerRig rig = new ServerRig()) {
      rig.setup()
          .setNamed(
              "channels.webhook.accounts",
              "open",
              Map.of("secret", "", "reply_url", "http://127.0.0.1:1/", "allow", List.of("*")));
      assertThat(rig.launch().exitCode(Duration.ofSeconds(10))).isEqualTo(CONFIGURATION);
    }
  }
}
