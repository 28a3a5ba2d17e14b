package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.engine.Crc;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.StoreFile;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row G16: a part that crashes again and again takes the server down only if it is vital. */
@Timeout(120)
class HelperTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Test
  void aHelperThatCrashesTooOftenIsShownAndMessagesAreAnsweredOn() throws Exception {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().set("supervision.max_restarts", 1).set("supervision.initial_backoff_ms", 10);
      rig.start();
      rig.server().stop();
      wakeUpSomebodyWhoCannotBe(rig);
      rig.start();
      Await.until("the helper is given up", LIMIT, () -> up(rig) == 0);
      for (String probe : new String[] {"/ready", "/health"}) {
        Await.until("it is shown", LIMIT, () -> shows(rig, probe)); // looked at twice a second
      }
      assertThat(rig.server().output()).contains("wakeups: crashed too often");
      rig.converse("e1", "t", "hello");
      assertThat(rig.metrics().sum("holdfast_child_up", "child", "orchestrator")).isEqualTo(1);
      assertThat(rig.server().stop()).isZero();
    }
  }

  /** A wake-up is due in a chat thread whose row vanishes as it is written. */
  private static void wakeUpSomebodyWhoCannotBe(ServerRig rig) {
    String thread = "webhook:ci:nobody";
    long crc =
        new Crc()
            .add("s")
            .add("c")
            .add(thread)
            .add("me")
            .add("EVERY")
            .add("60s")
            .add("UTC")
            .add("wake up")
            .add("ONCE")
            .add(0)
            .value();
    new StoreFile(rig.setup())
        .change(
            "insert into schedules (id, call_key, thread_id, person, kind, spec, zone, text, missed,"
                + " made_at, crc, state, next_at) values ('s', 'c', '"
                + thread
                + "', 'me', 'EVERY', '60s', 'UTC', 'wake up', 'ONCE', 0, "
                + crc
                + ", 'ACTIVE', 1000)",
            "create trigger nobody before insert on threads when new.thread_id = '"
                + thread
                + "' begin select raise(ignore); end");
  }

  private static boolean shows(ServerRig rig, String probe) throws java.io.IOException {
    Answer answer = new Http().get(rig.setup().url(probe), Map.of());
    assertThat(answer.status()).isEqualTo(200);
    return answer.body().contains("supervisor/wakeups")
        && answer.body().contains("crashed_too_often");
  }

  private static double up(ServerRig rig) throws java.io.IOException {
    return rig.metrics().sum("holdfast_child_up", "child", "wakeups");
  }
}
