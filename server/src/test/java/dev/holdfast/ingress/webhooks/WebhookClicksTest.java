package dev.holdfast.ingress.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Click;
import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.replies.OptionalCalls;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WebhookClicksTest {
  private static final int AT_ONCE = 256;
  private static final Click CLICK = new Click("ci", "t", "ann", "A".repeat(22), "r");

  @Test
  void moreThanSoManyClicksAtOnceAreRefusedAndTheNextOnesAreNot() throws Exception {
    ManualTime time = new ManualTime();
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    IngressRig.FakeClicks decisions = new IngressRig.FakeClicks();
    CompletableFuture<String> gate = new CompletableFuture<>();
    decisions.gate = gate;
    Vertx vertx = Vertx.vertx();
    try {
      Guards guards =
          Guards.create(GuardsConfig.defaults(), GuardMemory.none(), time, meters, vertx);
      MessageIntake intake =
          new MessageIntake(
              new IngressRig.FakeInbox(),
              (_, _) -> Optional.empty(),
              decisions,
              _ -> {},
              new News(10),
              time,
              meters);
      WebhookClicks clicks =
          new WebhookClicks(
              intake,
              new OptionalCalls(
                  new Channels(List.of()), guards, WebhookClicks.FAILURES, time, meters));
      List<CompletableFuture<String>> begun = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        begun.add(clicks.decide("late", CLICK));
      }
      assertThatThrownBy(clicks.decide("late", CLICK)::join)
          .hasCauseInstanceOf(StoreException.class)
          .hasMessageContaining("too many clicks");
      gate.complete("open");
      for (CompletableFuture<String> each : begun) {
        assertThat(each.join()).isEqualTo("Approved.");
      }
      TimedWait.until(
          "there is room again", () -> !clicks.decide("late", CLICK).isCompletedExceptionally());
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }
}
