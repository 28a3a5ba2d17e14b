package dev.holdfast.drills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.bus.News;
import dev.holdfast.health.Condition;
import dev.holdfast.health.ConditionStatus;
import dev.holdfast.resilience.FaultPoint;
import dev.holdfast.store.messages.EventFates;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.MessageMark;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DrillsTest {
  private static final Duration TEN = Duration.ofSeconds(10);

  private static final class ServerDouble implements DrilledServer {
    final List<Condition> conditions = new ArrayList<>();
    long events;

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public List<Condition> conditions() {
      return List.copyOf(conditions);
    }

    @Override
    public MessageMark mark() {
      return new MessageMark(events, 0);
    }

    @Override
    public EventFates fates(MessageMark after, MessageMark upTo) {
      return new EventFates(
          Map.of(EventState.ANSWERED, upTo.event() - after.event()), 1, 0, 0, 0, List.of());
    }
  }

  private final ManualTime time = new ManualTime();

  /** The drill's thread stands until then. */
  private final CountDownLatch go = new CountDownLatch(1);

  private final ServerDouble server = new ServerDouble();
  private final FaultPoint point = new FaultPoint();
  private final News news = new News(100, Runnable::run);
  private final Drills drills =
      new Drills(
          server, Map.of(DrillKind.MODEL_AWAY, this::begin), news, time, new SimpleMeterRegistry());

  private Injection.Fault begin(String target) throws DrillRefusedException {
    Injection.Fault refused =
        CallFault.refused(point, new CallFault.Targets("provider", List::of)).begin(target);
    return new Injection.Fault() {
      @Override
      public long strikes() {
        return refused.strikes();
      }

      @Override
      public void tick() {
        try {
          go.await();
        } catch (InterruptedException _) {
          Thread.currentThread().interrupt();
        }
      }

      @Override
      public void close() {
        refused.close();
      }
    };
  }

  private Drill start() throws DrillRefusedException {
    return drills.start("model-away", "", TEN, "token:ops");
  }

  private void finish(Drill drill) {
    go.countDown();
    TimedWait.until("the drill is over", () -> drill.stage() == Drill.Stage.DONE);
  }

  @Test
  void aFaultLastsItsTimeAndIsUndone() throws Exception {
    Drill drill = start();
    assertThatThrownBy(() -> point.pass("echo")).isInstanceOf(CallFailedException.class);
    assertThat(drills.reports()).hasSize(1);
    server.events = 4;
    finish(drill);
    point.pass("echo");
    assertThat(drills.reports()).isEmpty();
    assertThat(drill.isHeld()).isTrue();
    assertThat(drill.toJson().getLong("strikes")).isEqualTo(1);
    assertThat(drill.toJson().getString("ended_by")).isEqualTo("time");
    assertThat(drill.toJson().getJsonObject("events").getInteger("accepted")).isEqualTo(4);
  }

  @Test
  void oneRunsAtATime() throws Exception {
    Drill drill = start();
    assertThatThrownBy(this::start)
        .isInstanceOfSatisfying(
            DrillRefusedException.class, e -> assertThat(e.isConflict()).isTrue());
    finish(drill);
    assertThat(start().id()).isNotEqualTo(drill.id());
    assertThat(drills.all()).hasSize(2);
  }

  @Test
  void whatCannotBeDrilledIsRefused() {
    assertThatThrownBy(() -> drills.start("flood", "", TEN, "token:ops"))
        .hasMessageContaining("no drill");
    assertThatThrownBy(() -> drills.start("model-away", "", Duration.ofSeconds(301), "token:ops"))
        .hasMessageContaining("300");
    assertThatThrownBy(() -> drills.start("model-away", "x", TEN, "token:ops"))
        .hasMessageContaining("no target");
    assertThatThrownBy(() -> drills.start("disk-refuses", "", TEN, "token:ops"))
        .hasMessageContaining("cannot be drilled here");
  }

  @Test
  void anOperatorEndsItEarlier() throws Exception {
    Drill drill = start();
    assertThat(drills.stop(drill.id())).contains(drill);
    finish(drill);
    assertThat(drill.toJson().getString("ended_by")).isEqualTo("operator");
    assertThat(drills.stop("another")).isEmpty();
  }

  @Test
  void theEndOfTheServerUndoesIt() throws Exception {
    Drill drill = start();
    drills.close();
    point.pass("echo");
    assertThat(drill.stage()).isEqualTo(Drill.Stage.DONE);
    assertThat(drill.toJson().getValue("held")).isNull();
    assertThatThrownBy(this::start).isInstanceOf(DrillRefusedException.class);
  }

  @Test
  void aConditionThatStaysBreaksThePromiseAndOneFromBeforeDoesNot() throws Exception {
    server.conditions.add(condition("recovery", null));
    Drill drill = start();
    server.conditions.add(condition("disk", null));
    finish(drill);
    assertThat(drill.isHeld()).isFalse();
    assertThat(drill.toJson().getJsonArray("promises").encode()).contains("still there: disk");
  }

  @Test
  void whatOnlyACallCanEndIsNotWaitedFor() throws Exception {
    Drill drill = start();
    server.conditions.add(condition("breaker/llm:echo", time.now()));
    finish(drill);
    assertThat(drill.isHeld()).isTrue();
  }

  private Condition condition(String type, @Nullable Instant next) {
    return new Condition(
        type, ConditionStatus.DEGRADED, "open", "It is broken.", time.now(), next, "Ends.");
  }

  @Test
  void itHearsWhatTheServerTells() throws Exception {
    Drill drill = start();
    TimedWait.until("it listens", () -> drill.toJson().getJsonArray("timeline").size() > 0);
    news.publish("turn.parked", "t", "e", "{}");
    news.publish("turn.text", "t", "e", "{}");
    news.publish("mode.changed", "", "", "{\"to\":\"minimal\",\"reason\":\"No model.\"}");
    finish(drill);
    assertThat(drill.toJson().getJsonObject("counts").getInteger("turn.parked")).isEqualTo(1);
    assertThat(drill.toJson().getJsonObject("counts").fieldNames()).hasSize(1);
    assertThat(drill.toJson().getJsonArray("timeline").encode())
        .contains("mode minimal: No model.");
  }
}
