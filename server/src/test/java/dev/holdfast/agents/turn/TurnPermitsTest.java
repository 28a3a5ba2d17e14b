package dev.holdfast.agents.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resilience.FlowKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TurnPermitsTest {
  private static final boolean FRESH = true;
  private static final boolean AGED = false;

  private final TurnPermits permits = new TurnPermits(1);
  private final BlockingQueue<String> got = new LinkedBlockingQueue<>();

  private Thread asks(String name, boolean fresh) {
    return asks(name, FlowKey.NONE, fresh);
  }

  private Thread asks(String name, FlowKey flow, boolean fresh) {
    int before = permits.waiting();
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    permits.acquire(flow, fresh);
                    got.add(name);
                  } catch (InterruptedException _) {
                    got.add(name + " interrupted");
                  }
                });
    while (permits.waiting() == before) {
      Thread.onSpinWait();
    }
    return thread;
  }

  private List<String> servedOneByOne(int count) throws InterruptedException {
    List<String> order = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      permits.release();
      order.add(String.valueOf(got.poll(20, TimeUnit.SECONDS)));
    }
    return order;
  }

  @Test
  void aNewMessageIsNextHoweverManyHaveWaited() throws Exception {
    permits.acquire(FlowKey.NONE, AGED);
    for (int i = 0; i < 100; i++) {
      asks("old " + i, AGED);
    }
    asks("new", FRESH);
    assertThat(servedOneByOne(2)).contains("new");
  }

  @Test
  void aBacklogGetsEverySecondTurnHoweverManyNewMessagesCome() throws Exception {
    permits.acquire(FlowKey.NONE, FRESH);
    for (int i = 0; i < 4; i++) {
      asks("new " + i, FRESH);
    }
    asks("old 0", AGED);
    asks("old 1", AGED);
    assertThat(servedOneByOne(6))
        .containsSubsequence("old 0", "old 1")
        .containsSubsequence("new 0", "new 1", "new 2", "new 3")
        .satisfies(order -> assertThat(order.indexOf("old 1")).isLessThanOrEqualTo(3));
  }

  @Test
  void sendersTakeTurnsWhetherTheyHaveWaitedOrNot() throws Exception {
    for (boolean fresh : List.of(FRESH, AGED)) {
      permits.acquire(FlowKey.NONE, fresh);
      for (int i = 0; i < 100; i++) {
        asks("loud " + i, new FlowKey(List.of("web", "loud")), fresh);
      }
      asks("quiet", new FlowKey(List.of("web", "quiet")), fresh);
      assertThat(servedOneByOne(2)).containsExactly("loud 0", "quiet");
      assertThat(servedOneByOne(99)).hasSize(99);
      permits.release();
    }
  }

  @Test
  void whoeverGivesUpDoesNotTakeThePermitAlong() throws Exception {
    permits.acquire(FlowKey.NONE, FRESH);
    Thread impatient = asks("impatient", FRESH);
    asks("patient", AGED);
    impatient.interrupt();
    impatient.join();
    assertThat(servedOneByOne(1)).hasSize(1);
    assertThat(got.poll(20, TimeUnit.SECONDS)).isEqualTo("patient");
    permits.release();
    permits.acquire(FlowKey.NONE, AGED); // it is free again, and only once
    asks("last", FRESH);
    assertThat(permits.waiting()).isEqualTo(1);
  }

  @Test
  void thoseWhoAreInterruptedAsTheyAreServedPassThePermitOn() throws Exception {
    for (int round = 0; round < 500; round++) {
      permits.acquire(FlowKey.NONE, FRESH);
      Thread first = asks("first", FRESH);
      Thread second = asks("second", AGED);
      Thread hasty = Thread.ofPlatform().start(first::interrupt);
      permits.release();
      first.join();
      hasty.join();
      if (got.remove("first")) {
        permits.release();
      }
      second.join();
      assertThat(got.remove("second")).isTrue();
      permits.release();
      got.clear();
    }
  }
}
