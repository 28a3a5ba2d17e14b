package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.health.ConditionReport;
import dev.holdfast.time.ManualTime;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnloadedPluginsTest {
  private final ManualTime time = new ManualTime();
  private final List<ClassLoader> held = new ArrayList<>();
  private int collections;
  private int freedAt;

  private final UnloadedPlugins unloaded =
      new UnloadedPlugins(
          time,
          () -> {
            collections++;
            if (collections == freedAt) {
              held.clear();
            }
            System.gc();
          });

  /** As if it were held by something. */
  private void unload(String id) {
    ClassLoader loader = new ClassLoader() {};
    held.add(loader);
    unloaded.add(
        new HostedPlugin.Gone(
            id, new PhantomReference<>(loader, new ReferenceQueue<>()), time.nanos()));
  }

  private List<ConditionReport> after(Duration wait) {
    time.advance(wait);
    unloaded.look();
    return unloaded.conditions();
  }

  @Test
  void whatIsHeldIsToldOfAfterTwoCollections() {
    unload("chat");
    assertThat(after(Duration.ofSeconds(29))).isEmpty();
    assertThat(collections).isZero();
    assertThat(after(Duration.ofSeconds(2))).isEmpty();
    assertThat(after(Duration.ofSeconds(28))).isEmpty();
    assertThat(collections).isEqualTo(1);
    assertThat(after(Duration.ofSeconds(2))).hasSize(1);
    assertThat(after(Duration.ofSeconds(60))).hasSize(1);
    assertThat(collections).as("never again and again").isEqualTo(2);
  }

  @Test
  void whatNobodyHoldsAnyMoreIsNotToldOf() {
    unload("chat");
    freedAt = 2; // it was still held at the first collection
    assertThat(after(Duration.ofSeconds(31))).isEmpty();
    assertThat(unloaded.vanishing()).isEqualTo(1);
    assertThat(after(Duration.ofSeconds(30))).isEmpty();
    assertThat(unloaded.vanishing()).isZero();
  }

  @Test
  void eachOfSeveralHasItsOwnTime() {
    unload("one");
    assertThat(after(Duration.ofSeconds(31))).isEmpty();
    unload("two");
    assertThat(after(Duration.ofSeconds(30))).hasSize(1);
    assertThat(after(Duration.ofSeconds(2))).hasSize(1);
    assertThat(after(Duration.ofSeconds(30))).hasSize(2);
    assertThat(collections).isEqualTo(4);
  }
}
