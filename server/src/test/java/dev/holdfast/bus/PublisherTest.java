package dev.holdfast.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bus.BrokerConfig.Overflow;
import dev.holdfast.resilience.BreakerSettings;
import dev.holdfast.resilience.HoldfastBreaker;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A publisher on a real store, before a broker that fails. */
@Timeout(120)
class PublisherTest {
  private static final Publisher.Waits SHORT =
      new Publisher.Waits(Duration.ofMillis(150), Duration.ofMillis(10));
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final Time time = new SystemTime(); // it waits for acknowledgements
  private TestStore store;

  @BeforeEach
  void openStore() throws Exception {
    store = new TestStore(folder);
  }

  @AfterEach
  void close() throws Exception {
    store.close();
    vertx.close().await(5, TimeUnit.SECONDS);
  }

  private DiskQueue queue(int eventsMax, Overflow overflow) throws Exception {
    return DiskQueue.open(
        store.store.engine(), new BrokerConfig.Queue(eventsMax, 3, overflow), time);
  }

  private Thread start(DiskQueue queue, Broker broker) {
    HoldfastBreaker breaker =
        new HoldfastBreaker(
            "bus:nats",
            new BreakerSettings(5, 2, Duration.ofMillis(5), Duration.ofMillis(40)),
            time,
            () -> 0.5,
            vertx);
    Publisher publisher =
        new Publisher(
            queue, broker, 3, breaker, new BusMetrics(new SimpleMeterRegistry()), SHORT, time);
    return Thread.ofVirtual()
        .start(
            () -> {
              try {
                publisher.run();
              } catch (InterruptedException _) {
                // The test is over.
              }
            });
  }

  private void record(DiskQueue queue, int number, String subject) throws Exception {
    BusEvent event =
        new BusEvent(
            "e" + number,
            Subjects.inbound("web", subject),
            "holdfast.message.accepted",
            "web:main:" + subject,
            Instant.ofEpochMilli(number),
            "{\"number\":" + number + "}");
    boolean _ =
        store
            .store
            .engine()
            .<Boolean>call(
                tx -> {
                  queue.add(tx, event);
                  return true;
                });
  }

  private static void await(BooleanSupplier fact) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos(); // for other threads
    while (!fact.getAsBoolean() && System.nanoTime() < end) {
      Thread.sleep(5);
    }
    assertThat(fact.getAsBoolean()).isTrue();
  }

  /** The first arrivals of each subject are in their order, and nothing is missing. */
  private static void assertWhole(List<QueuedEvent> stored, int events) {
    Map<String, Long> last = new HashMap<>();
    Set<String> ids = new HashSet<>();
    for (QueuedEvent event : stored) {
      if (ids.add(event.id())) {
        assertThat(event.seq()).isGreaterThan(last.getOrDefault(event.subject(), 0L));
        last.put(event.subject(), event.seq());
      }
    }
    assertThat(ids).hasSize(events);
  }

  @RepeatedTest(12)
  void nothingIsLostAndEverySubjectKeepsItsOrderWhateverTheBrokerDoes(RepetitionInfo run)
      throws Exception {
    int seed = run.getCurrentRepetition();
    DiskQueue queue = queue(10_000, Overflow.REJECT);
    try (UnreliableBroker broker = new UnreliableBroker(seed, 1, seed % 2 == 0)) {
      Thread running = start(queue, broker);
      for (int i = 0; i < 400; i++) {
        record(queue, i, "t" + i % 7);
      }
      await(() -> queue.depth() == 0);
      assertWhole(broker.stored(), 400);
      assertThat(broker.longest()).isGreaterThan(10);
      running.interrupt();
      running.join();
    }
  }

  @Test
  void whatALaterRunFindsGoesBeforeWhatComesThen() throws Exception {
    DiskQueue queue = queue(10_000, Overflow.REJECT);
    for (int i = 0; i < 3000; i++) {
      record(queue, i, "t" + i % 3);
    }
    try (UnreliableBroker broker = new UnreliableBroker(1, 0, false)) {
      Thread running = start(queue, broker);
      for (int i = 3000; i < 3300; i++) {
        record(queue, i, "t" + i % 3);
      }
      await(() -> queue.depth() == 0);
      assertWhole(broker.stored(), 3300);
      assertThat(broker.stored()).hasSize(3300);
      running.interrupt();
      running.join();
    }
  }

  @Test
  void anEventThatIsRefusedThreeTimesIsADeadLetterAndHoldsUpNobodyElse() throws Exception {
    DiskQueue queue = queue(10_000, Overflow.REJECT);
    try (UnreliableBroker broker = new UnreliableBroker(1, 0, false)) {
      broker.refuse("e1");
      Thread running = start(queue, broker);
      for (int i = 0; i < 6; i++) {
        record(queue, i, "one");
      }
      await(() -> queue.depth() == 0);
      assertWhole(broker.stored(), 5);
      assertThat(queue.letters(ThreadReader.OPERATOR)).isEqualTo(1);
      BusLetter letter = queue.letter("e1").orElseThrow();
      assertThat(letter.reason()).isEqualTo("NATS refused it: too large");
      assertThat(letter.happenedAt()).isEqualTo(Instant.ofEpochMilli(1));
      running.interrupt();
      running.join();
    }
  }

  @Test
  void whatIsReplayedGoesBeforeWhatHappenedLater() throws Exception {
    DiskQueue queue = queue(100, Overflow.SHED_OLDEST);
    for (int i = 0; i < 102; i++) {
      record(queue, i, "one");
    }
    assertThat(queue.depth()).isEqualTo(100);
    assertThat(queue.letters(ThreadReader.OPERATOR, time.now().plusSeconds(60), 10, true, 10))
        .extracting(BusLetter::id)
        .containsExactly("e0", "e1");
    assertThat(queue.replay("e1", store.store.audit(), entry())).isTrue();
    assertThat(queue.replay("e1", store.store.audit(), entry())).isFalse();
    assertThat(queue.discard("e0", store.store.audit(), entry())).isTrue();
    assertThat(queue.letters(ThreadReader.OPERATOR)).isZero();
    try (UnreliableBroker broker = new UnreliableBroker(1, 0, false)) {
      Thread running = start(queue, broker);
      await(() -> queue.depth() == 0);
      assertThat(broker.stored().getFirst().id()).isEqualTo("e1");
      assertWhole(broker.stored(), 101);
      running.interrupt();
      running.join();
    }
  }

  @RepeatedTest(2)
  void nothingIsLostThatIsShedAndReplayedWhileOthersAreUnderWay(RepetitionInfo run)
      throws Exception {
    DiskQueue queue = queue(100, Overflow.SHED_OLDEST);
    int seed = run.getCurrentRepetition();
    try (UnreliableBroker broker = new UnreliableBroker(seed, 1, seed % 2 == 0)) {
      Thread running = start(queue, broker);
      for (int i = 0; i < 600; i++) {
        record(queue, i, "t" + i % 3);
        if (i % 50 == 0) {
          replayAll(queue);
        }
      }
      await(() -> replayAll(queue) == 0 && queue.depth() == 0);
      Set<String> ids = new HashSet<>();
      broker.stored().forEach(event -> ids.add(event.id()));
      assertThat(ids).hasSize(600);
      running.interrupt();
      running.join();
    }
  }

  /** Returns how many letters there were. */
  private int replayAll(DiskQueue queue) {
    List<BusLetter> letters =
        queue.letters(
            ThreadReader.OPERATOR, time.now().plusSeconds(60), Long.MAX_VALUE, true, 1000);
    for (BusLetter letter : letters) {
      try {
        boolean _ = queue.replay(letter.id(), store.store.audit(), entry());
      } catch (StoreException e) {
        throw new IllegalStateException(e);
      }
    }
    return letters.size();
  }

  @Test
  void aBrokerThatTakesNothingCostsNoEventItsPlace() throws Exception {
    DiskQueue queue = queue(10_000, Overflow.REJECT);
    try (UnreliableBroker broker = new UnreliableBroker(1, 0, false)) {
      broker.takeNothing(true);
      Thread running = start(queue, broker);
      for (int i = 0; i < 50; i++) {
        record(queue, i, "t" + i % 2);
      }
      await(() -> broker.refusals() > 10); // more than any event may be refused
      assertThat(queue.depth()).isEqualTo(50);
      assertThat(queue.letters(ThreadReader.OPERATOR)).isZero();
      broker.takeNothing(false);
      await(() -> queue.depth() == 0);
      assertWhole(broker.stored(), 50);
      running.interrupt();
      running.join();
    }
  }

  @Test
  void aFullQueueThatRejectsTakesNoMoreMessagesButLosesNothing() throws Exception {
    DiskQueue queue = queue(100, Overflow.REJECT);
    for (int i = 0; i < 103; i++) {
      record(queue, i, "one");
    }
    assertThat(queue.depth()).isEqualTo(100);
    assertThat(queue.letters(ThreadReader.OPERATOR)).isEqualTo(3);
    assertThat(store.store.engine().<Boolean>call(queue::isFull)).isTrue();
    assertThat(queue.letter("e102").orElseThrow().reason()).contains("the queue was full");
  }

  @Test
  void nothingWaitsOfAThreadThatWasDeleted() throws Exception {
    DiskQueue queue = queue(100, Overflow.SHED_OLDEST);
    for (int i = 0; i < 104; i++) {
      record(queue, i, "t" + i % 2);
    }
    boolean _ =
        store
            .store
            .engine()
            .<Boolean>call(
                tx -> {
                  queue.erase(tx, "web:main:t0");
                  return true;
                });
    assertThat(queue.depth()).isEqualTo(50);
    assertThat(queue.letters(ThreadReader.OPERATOR)).isEqualTo(2);
    try (UnreliableBroker broker = new UnreliableBroker(1, 0, false)) {
      Thread running = start(queue, broker);
      await(() -> queue.depth() == 0);
      assertWhole(broker.stored(), 50);
      assertThat(broker.stored()).allMatch(event -> event.payload().contains("web:main:t1"));
      running.interrupt();
      running.join();
    }
  }

  private static AuditEntry entry() {
    return new AuditEntry("operator.dead_letter_replayed", "", "", "", "operator", "{}");
  }
}
