package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a start would refuse or a server complains of, the doctor finds. */
@Timeout(120)
@Outside(
    covers = {"server/src/main/java/dev/holdfast/cli", "server/src/main/java/dev/holdfast/health"})
class DoctorTest {
  private static final int PROBLEMS = 1;

  private static JsonNode doctor(ServerRig rig, int exitCode) throws IOException {
    HoldfastCommand.Result result = HoldfastCommand.run(rig.setup(), "doctor", "--json");
    assertThat(result.exitCode()).as(result.out()).isEqualTo(exitCode);
    assertThat(result.out()).startsWith("{\n").contains("\"good\"");
    return result.json();
  }

  private static String bad(JsonNode told, String name) {
    for (JsonNode finding : told.path("findings")) {
      if (finding.path("name").asText().equals(name)) {
        assertThat(finding.path("verdict").asText()).as(name).isEqualTo("bad");
        return finding.path("text").asText();
      }
    }
    throw new AssertionError(name + " is not among " + told);
  }

  @Test
  void aRefusedKeyAndWhatWaitsForItAreTold() throws IOException {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      model.always(ModelScript.status(401, Map.of(), "authentication_error", "invalid key"));
      rig.start();
      rig.accept("e1", "t", "hello");
      rig.api().awaitState("e1", Set.of("parked"), Duration.ofSeconds(30));
      assertThat(doctor(rig, PROBLEMS).path("conditions").findValuesAsText("reason"))
          .contains("key_refused");
      rig.setup().env("HOLDFAST_TOKEN", "another-token-than-the-server-has-0123456789");
      assertThat(doctor(rig, PROBLEMS).path("conditions").findValuesAsText("reason"))
          .contains("key_refused");
      rig.server().kill9();
      assertThat(bad(doctor(rig, PROBLEMS), "messages")).contains("1 parked");
    }
  }

  @Test
  void whatAStartRefusesIsBad() throws IOException {
    try (ServerRig rig = new ServerRig().start()) {
      rig.converse("e1", "t", "hello");
      assertThat(rig.server().stop()).isZero();
      Path data = rig.setup().dataDir();
      doctor(rig, 0);
      Path token = data.resolve("token");
      String whole = Files.readString(token);
      Files.writeString(token, whole.substring(0, 20));
      assertThat(bad(doctor(rig, PROBLEMS), "token")).contains("token is damaged");
      Files.writeString(token, whole);
      Path database = data.resolve("holdfast.db");
      byte[] bytes = Files.readAllBytes(database);
      change(database, "detail text", "detaim text");
      assertThat(bad(doctor(rig, PROBLEMS), "database")).contains("replies");
      Files.write(database, bytes);
      Files.writeString(data.resolve("holdfast.run"), "restoring\n");
      assertThat(bad(doctor(rig, PROBLEMS), "database")).contains("restore was cut off");
      Commands.assumeRoot();
      Commands.run("chown", "-R", "4711", data.toString());
      assertThat(bad(doctor(rig, PROBLEMS), "data folder")).contains("belongs to user 4711");
    }
  }

  private static void change(Path file, String from, String to) throws IOException {
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    Files.writeString(file, text.replace(from, to), StandardCharsets.ISO_8859_1);
  }
}
