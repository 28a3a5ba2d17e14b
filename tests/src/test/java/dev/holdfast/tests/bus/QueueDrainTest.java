package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.bus.StreamReader.Published;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A long queue, drained at boot and after a reconnect, while new messages come in the same chat
 * threads. How long: {@code -Dholdfast.queued}.
 */
@Timeout(600)
class QueueDrainTest {
  private static final int QUEUED = RunLength.of("holdfast.queued", 1000, 10_000);
  private static final int EVENTS_EACH = 2; // accepted and answered
  private static final int CHAT_THREADS = 32;
  private static final int LIVE_MIN = 100;
  private static final int FEW = QUEUED / 10;
  private static final Duration LIVE_PACE = Duration.ofMillis(200);
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private final AtomicInteger number = new AtomicInteger();

  @Test
  void aLongQueueIsDrainedInOrderAtBootAndAfterAReconnectWithNewMessagesBehindIt()
      throws Exception {
    try (ServerRig rig = new ServerRig(false);
        NatsServer nats = new NatsServer();
        StreamReader stream = new StreamReader(nats)) {
      rig.setup()
          .set("broker.kind", "nats")
          .set("broker.nats.servers", List.of(nats.url()))
          .set("broker.disk_queue.max_events", 4 * QUEUED)
          .setNamed(
              "breakers", "bus:nats", Map.of("initial_backoff_ms", 200, "max_backoff_ms", 500));
      rig.start();
      WrittenEvents written = new WrittenEvents(rig.setup());
      fill(rig);
      rig.restart(); // what waits is of an earlier run
      drain(rig, nats);
      nats.kill9();
      fill(rig);
      drain(rig, nats);
      Map<String, List<String>> settled = written.settled(LIMIT);
      List<Published> all = stream.all();
      assertThat(WrittenEvents.violations(settled, List.of(all))).isEmpty();
      Set<String> accepted = new HashSet<>();
      all.forEach(one -> accepted.add(one.event().path("data").path("dedupe_key").asText()));
      for (int i = 0; i < number.get(); i++) {
        assertThat(accepted).contains("m" + i);
      }
      assertThat(all).hasSizeGreaterThanOrEqualTo(EVENTS_EACH * number.get());
      assertThat(number.get()).isGreaterThanOrEqualTo(2 * (QUEUED / EVENTS_EACH + LIVE_MIN));
    }
  }

  private static double depth(ServerRig rig) throws Exception {
    return rig.metrics().sum("holdfast_bus_queue_depth");
  }

  private void fill(ServerRig rig) throws Exception {
    int enough = number.get() + QUEUED / EVENTS_EACH;
    join(send(rig, Duration.ZERO, () -> number.get() < enough));
    rig.api().awaitQuiet(LIMIT);
    assertThat(depth(rig)).isGreaterThanOrEqualTo(QUEUED);
  }

  /** One sender for each chat thread. */
  private List<Thread> send(ServerRig rig, Duration pace, BooleanSupplier goesOn) {
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < CHAT_THREADS; i++) {
      String thread = "t" + i;
      senders.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (goesOn.getAsBoolean()) {
                      String id = "m" + number.getAndIncrement();
                      Await.until( // as platforms do, again where the disk is too slow
                          id + " is accepted",
                          LIMIT,
                          () -> rig.sender().send(id, thread, "hello").isAccepted());
                      Await.pause(pace);
                    }
                  }));
    }
    return senders;
  }

  private static void join(List<Thread> senders) throws InterruptedException {
    for (Thread sender : senders) {
      sender.join();
    }
  }

  private void drain(ServerRig rig, NatsServer nats) throws Exception {
    int before = number.get();
    Thread drained =
        Thread.ofVirtual()
            .start(
                () -> {
                  Await.until("messages come", LIMIT, () -> number.get() >= before + LIVE_MIN);
                  nats.start();
                  Await.until("the queue is drained", LIMIT, () -> depth(rig) < FEW);
                });
    join(send(rig, LIVE_PACE, drained::isAlive));
    rig.api().awaitQuiet(LIMIT);
    Await.until("all is published", LIMIT, () -> depth(rig) == 0);
  }
}
