package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.HoldfastProcess;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.OnlyInFull;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Row F19: memory of each kind runs out. The process ends with 3 and never limps; the next start
 * serves.
 */
@Timeout(120)
class MemoryTest {
  private static final int OUT_OF_MEMORY = 3;
  private static final boolean FULL = RunLength.isFull();
  private static final int BODY_BYTES = 24 * 1024 * 1024;

  @Test
  void aFullHeapEndsTheProcessAndTheNextStartServes() {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().heap("-Xmx96m");
      rig.setup().set("http.max_body_bytes", 64 * 1024 * 1024);
      rig.start();
      rig.converse("before", "t", "hello");
      sendBigBodies(rig, 12);
      assertThat(rig.server().exitCode(Duration.ofSeconds(60))).isEqualTo(OUT_OF_MEMORY);
      rig.start();
      rig.converse("after", "t", "hello again");
    }
  }

  @Test
  void fullDirectMemoryEndsTheProcessOrIsBorne() {
    try (ServerRig rig = new ServerRig()) {
      rig.setup().flag("-XX:MaxDirectMemorySize=8m");
      rig.setup().set("http.max_body_bytes", 64 * 1024 * 1024);
      rig.start();
      rig.converse("before", "t", "hello");
      List<Thread> senders = sendBigBodies(rig, 12);
      Await.until(
          "ended, or all senders got an answer",
          Duration.ofSeconds(60),
          () -> !rig.server().isAlive() || senders.stream().noneMatch(Thread::isAlive));
      if (rig.server().isAlive()) {
        assertThat(rig.server().isReady()).isTrue();
      } else {
        assertThat(rig.server().exitNow()).contains(OUT_OF_MEMORY);
        rig.start();
      }
      rig.converse("after", "t", "hello again");
    }
  }

  /** As many as would fill the heap, in full three times over, all read at the start. */
  @Test
  @Timeout(300)
  void largeMessagesThatWaitDoNotKeepTheServerDown() {
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup())) {
      rig.setup().heap("-Xmx96m");
      model.always(ModelScript.hang());
      rig.start();
      String text = "€" + "x".repeat(1_000_000); // one wide character makes all of them wide
      int count = FULL ? 150 : 50;
      for (int i = 0; i < count; i++) {
        rig.accept("large-" + i, "t", text);
      }
      rig.restart();
      rig.converse("stop", "t", "/stop all");
      rig.api().awaitState("large-" + (count - 1), Set.of("cancelled"), Duration.ofSeconds(30));
      assertThat(rig.server().isAlive()).isTrue();
    }
  }

  /**
   * More than the heap would hold waits for the model, also across a restart; then all of it is
   * answered, and a small message before most of it.
   */
  @Test
  @OnlyInFull(shortForm = "MemoryTest.largeMessagesEndNoProcessAndNoOtherMessageInAnOutage")
  @Timeout(600)
  void largeMessagesOfManyThreadsOutliveAnOutage() {
    int count = 300;
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup()).unrecorded()) {
      rig.setup().heap("-Xmx256m");
      model.always(ModelScript.unavailable());
      rig.start();
      String text = "x".repeat(1_000_000);
      for (int i = 0; i < count; i++) {
        rig.accept("large-" + i, "t" + i, text);
      }
      rig.api().awaitState("large-" + (count - 1), Set.of("parked"), Duration.ofSeconds(30));
      rig.restart();
      model.always(ModelScript.answer(said -> "got " + said.length()));
      rig.accept("small", "small", "hello");
      rig.platform()
          .awaitText("small", "got 5", Duration.ofSeconds(30)); // behind a notice, perhaps
      for (int i = 0; i < count; i++) {
        rig.api().awaitState("large-" + i, Set.of("answered"), Duration.ofSeconds(60));
      }
      assertThat(rig.server().isAlive()).isTrue();
    }
  }

  /**
   * An outage in which parked turns are tried again and again: large messages crash nothing, and so
   * no small one is taken for what crashed it.
   */
  @Test
  @Timeout(900)
  void largeMessagesEndNoProcessAndNoOtherMessageInAnOutage() throws Exception {
    int count = FULL ? 420 : 60;
    Duration outage = Duration.ofSeconds(FULL ? 100 : 3);
    try (ServerRig rig = new ServerRig();
        FakeModel model = new FakeModel().asOpenAi(rig.setup()).unrecorded()) {
      rig.setup().heap(FULL ? "-Xmx768m" : "-Xmx96m");
      rig.setup().set("breakers.default.initial_backoff_ms", 200);
      rig.setup().set("breakers.default.max_backoff_ms", 400);
      rig.setup().set("models.retry.server_error.max_attempts", 1);
      model.always(ModelScript.unavailable());
      rig.start();
      String text = "x".repeat(1_000_000);
      for (int i = 0; i < count; i++) {
        rig.accept("large-" + i, "t" + i, text);
        if (i % (count / 5) == 0) {
          rig.accept("small-" + i, "s" + i, "hello " + i);
        }
      }
      Await.throughout("the process lives", outage, () -> rig.server().isAlive());
      rig.restart();
      Await.throughout("the next one lives", outage, () -> rig.server().isAlive());
      model.always(ModelScript.answer(said -> "got " + said.length()));
      rig.accept("small", "small", "hello");
      rig.platform()
          .awaitText("small", "got 5", Duration.ofSeconds(30)); // behind a notice, perhaps
      rig.api().awaitQuiet(Duration.ofSeconds(FULL ? 300 : 60));
      JsonNode counts = rig.api().status().path("counts");
      assertThat(counts.path("answered").asInt()).as(counts.toString()).isEqualTo(count + 6);
      assertThat(rig.server().isAlive()).isTrue();
    }
  }

  private static List<Thread> sendBigBodies(ServerRig rig, int count) {
    String text = "x".repeat(BODY_BYTES);
    String body = WebhookSender.body("big", text);
    List<Thread> senders = new ArrayList<>();
    HoldfastProcess server = rig.server();
    for (int i = 0; i < count; i++) {
      String id = "big-" + i;
      senders.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      if (server.isAlive()) {
                        rig.sender().post(rig.sender().headers(id, body), body);
                      }
                    } catch (IOException e) {
                      // The server ended, which is the expected way out.
                    }
                  }));
    }
    return senders;
  }
}
