package dev.holdfast.bus;

import dev.holdfast.bus.BrokerConfig.Overflow;
import dev.holdfast.store.Store;
import dev.holdfast.store.StoreConfig;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.SystemTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Whatever gives up, replays, discards and removes events of a queue, step by step. As a process of
 * its own it notes each step that was done, to be killed between any two of its writes.
 */
final class QueueScript {
  private static final int EVENTS_MAX = 100;

  private final Store store;
  private final DiskQueue shedding;
  private final DiskQueue rejecting;

  /** Blocks until what it did is on disk. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  /**
   * All there is.
   *
   * @param queued ids in their order
   * @param letters ids and reasons, in the order in which they were given up
   * @param audited how many entries say that an operator has replayed or discarded
   */
  record State(List<String> queued, List<String> letters, int audited) {}

  QueueScript(Store store) throws Exception {
    this.store = store;
    shedding = queue(Overflow.SHED_OLDEST);
    rejecting = queue(Overflow.REJECT);
  }

  private DiskQueue queue(Overflow overflow) throws Exception {
    return DiskQueue.open(
        store.engine(), new BrokerConfig.Queue(EVENTS_MAX, 3, overflow), new SystemTime());
  }

  DiskQueue queue() {
    return rejecting;
  }

  List<Step> steps() {
    return List.of(
        () -> record(shedding, 0, EVENTS_MAX),
        () -> record(shedding, 100, 1), // sheds e0
        () -> record(shedding, 101, 2), // sheds e1 and e2
        () -> replay("e1"),
        () -> record(shedding, 103, 1), // the queue is above its limit: sheds the oldest, e1
        () -> discard("e0"),
        () -> replay("e2"),
        () -> record(rejecting, 104, 2), // gives up both
        () -> replay("e105"),
        () -> replay("e104"),
        () -> giveUp(51),
        () -> remove(5L, 6L, 7L),
        () -> replay("e50"),
        () -> discard("e1"));
  }

  private void record(DiskQueue queue, int first, int count) throws Exception {
    boolean _ =
        store
            .engine()
            .<Boolean>call(
                tx -> {
                  for (int i = first; i < first + count; i++) {
                    queue.add(
                        tx,
                        new BusEvent(
                            "e" + i,
                            Subjects.inbound("web", "t" + i % 2),
                            "holdfast.message.accepted",
                            "web:main:t" + i % 2,
                            Instant.ofEpochMilli(i),
                            "{}"));
                  }
                  return true;
                });
  }

  private void replay(String id) throws Exception {
    boolean _ = rejecting.replay(id, store.audit(), entry());
  }

  private void discard(String id) throws Exception {
    boolean _ = rejecting.discard(id, store.audit(), entry());
  }

  private static AuditEntry entry() {
    return new AuditEntry("operator.dead_letter_replayed", "", "", "", "operator", "{}");
  }

  private void giveUp(long seq) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    rejecting.giveUp(seq, "NATS refused it", done::countDown);
    done.await();
  }

  private void remove(Long... seqs) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    rejecting.remove(List.of(seqs), done::countDown);
    done.await();
  }

  /** As the tables say; and so do the counts. */
  State state() {
    List<String> queued = new ArrayList<>();
    rejecting.page(0, 1000).forEach(event -> queued.add(event.id()));
    List<String> letters = new ArrayList<>();
    rejecting
        .letters(ThreadReader.OPERATOR, Instant.now().plusSeconds(60), 1000, true, 1000)
        .forEach(letter -> letters.add(letter.id() + " " + letter.reason()));
    if (rejecting.depth() != queued.size()
        || rejecting.letters(ThreadReader.OPERATOR) != letters.size()) {
      throw new AssertionError(
          "counted %d and %d, there are %s and %s"
              .formatted(
                  rejecting.depth(), rejecting.letters(ThreadReader.OPERATOR), queued, letters));
    }
    return new State(
        queued, letters, store.audit().list(ThreadReader.OPERATOR, Long.MAX_VALUE, 1000).size());
  }

  public static void main(String[] args) throws Exception {
    Store store =
        Store.open(
            new StoreConfig(TestStore.INBOX, 0, TestStore.FILES),
            Path.of(args[0]),
            new SystemTime(), // another process looks at it
            new SimpleMeterRegistry(),
            new StoreHooks(() -> {}, (code, _) -> Runtime.getRuntime().halt(code)));
    try (FileOutputStream out = new FileOutputStream(args[1])) {
      for (Step step : new QueueScript(store).steps()) {
        step.run();
        out.write("done\n".getBytes(StandardCharsets.UTF_8));
      }
    }
    Runtime.getRuntime().halt(0);
  }
}
