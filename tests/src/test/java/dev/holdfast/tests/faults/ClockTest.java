package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row F22: the wall clock jumps. It changes no order, timeout or retry. */
@Timeout(120)
class ClockTest {
  private static final List<Path> LIBRARIES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"),
          Path.of("/usr/lib64/faketime/libfaketime.so.1"));

  @Test
  void jumpsOfTheWallClockStopNoTurn() throws Exception {
    Path library =
        LIBRARIES.stream().filter(Files::exists).findFirst().orElse(LIBRARIES.getFirst());
    Assumptions.assumeTrue(Files.exists(library), "libfaketime is not installed");
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      Path clock = rig.folder().resolve("clock");
      Files.writeString(clock, "+0");
      rig.setup()
          .env("LD_PRELOAD", library.toString())
          .env("FAKETIME_TIMESTAMP_FILE", clock.toString())
          .env("FAKETIME_CACHE_DURATION", "1")
          .env("DONT_FAKE_MONOTONIC", "1")
          .env("FAKETIME_DISABLE_SHM", "1")
          // Its own repair of timed waits makes a JVM crawl.
          .env("FAKETIME_FORCE_MONOTONIC_FIX", "0");
      model.always(ModelScript.after(Duration.ofMillis(1_500), ModelScript.echo()));
      rig.start();
      for (String jump : List.of("+1h", "-1h", "+3650d", "-3650d", "+0")) {
        String id = say(rig, "before the jump to " + jump);
        Files.writeString(clock, jump);
        rig.api().awaitState(id, Set.of("answered"), Duration.ofSeconds(15));
        String next = say(rig, "after the jump to " + jump);
        rig.api().awaitState(next, Set.of("answered"), Duration.ofSeconds(15));
        assertThat(rig.server().probe("/live")).isEqualTo(200);
      }
      assertThat(model.requests()).as("no turn was run twice").hasSize(10);
    }
  }

  private static String say(ServerRig rig, String text) throws IOException {
    Answer answer = rig.api().post("/api/v1/threads/clock/messages", Map.of("text", text));
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    return answer.json().path("event_id").asText();
  }
}
