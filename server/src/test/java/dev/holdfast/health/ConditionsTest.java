package dev.holdfast.health;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.time.ManualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ConditionsTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final ManualTime time = new ManualTime();
  private final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Conditions conditions = new Conditions(time, meters);
  private final List<String> heard = new ArrayList<>();
  private List<ConditionReport> said = List.of();

  private void say(ConditionReport... reports) {
    said = List.of(reports);
    time.advance(ofSeconds(1));
    conditions.look();
  }

  private static ConditionReport degraded(String subject, String reason) {
    return ConditionReport.degraded(reason, "It is " + reason + ".", "Ends.").about(subject);
  }

  private void listen() {
    conditions.add("breaker", ProbeEffect.NONE, () -> said);
    conditions.onChange(
        change -> heard.add(change.type() + " " + change.status().label() + " " + change.reason()));
  }

  private Condition only() {
    assertThat(conditions.current()).hasSize(1);
    return conditions.current().getFirst();
  }

  @Test
  void aConditionDatesFromWhenItsStatusOrReasonBecameWhatTheyAre() {
    listen();
    say(degraded("a", "open"));
    assertThat(only().since()).isEqualTo(START.plusSeconds(1));
    say(ConditionReport.degraded("open", "Other words.", "Ends.").about("a"));
    assertThat(only().since()).isEqualTo(START.plusSeconds(1));
    assertThat(only().message()).isEqualTo("Other words.");
    say(degraded("a", "half_open"));
    assertThat(only().since()).isEqualTo(START.plusSeconds(3));
    say(ConditionReport.failed("half_open", "Worse.", "Ends.").about("a"));
    assertThat(only().since()).isEqualTo(START.plusSeconds(4));
    say();
    say(degraded("a", "open"));
    assertThat(only().since()).isEqualTo(START.plusSeconds(6));
  }

  @Test
  void aNextAttemptThatIsMeasuredAnewStaysAsItIsUntilItReallyMoves() {
    listen();
    Instant next = START.plusSeconds(60);
    say(degraded("a", "open").withNextAttemptAt(next));
    say(degraded("a", "open").withNextAttemptAt(next.plusNanos(17)));
    assertThat(only().nextAttemptAt()).isEqualTo(next);
    say(degraded("a", "open").withNextAttemptAt(next.plusSeconds(20)));
    assertThat(only().nextAttemptAt()).isEqualTo(next.plusSeconds(20));
    say(degraded("a", "open"));
    assertThat(only().nextAttemptAt()).isNull();
  }

  @Test
  void eachBeginningChangeAndEndIsHeardOnce() {
    listen();
    say(degraded("a", "open"));
    say(degraded("a", "open"));
    say(degraded("a", "half_open"), degraded("b", "open"));
    say(degraded("b", "open"));
    say();
    assertThat(heard)
        .containsExactly(
            "breaker/a degraded open",
            "breaker/a degraded half_open",
            "breaker/b degraded open",
            "breaker/a ok ended",
            "breaker/b ok ended");
  }

  @Test
  void sourcesOfOneFamilyComeAndGo() throws Exception {
    Conditions.Registration first =
        conditions.add("plugin", ProbeEffect.NONE, () -> List.of(degraded("a", "parked")));
    conditions.add("plugin", ProbeEffect.NONE, () -> List.of(degraded("b", "parked")));
    conditions.look();
    assertThat(conditions.current())
        .extracting(Condition::type)
        .containsExactly("plugin/a", "plugin/b");
    first.close();
    conditions.look();
    assertThat(only().type()).isEqualTo("plugin/b");
    assertThatThrownBy(() -> conditions.add("Plugin X", ProbeEffect.NONE, List::of))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSourceMaySayOnlySoMuch() {
    listen();
    say(
        ConditionReport.degraded("Not A Reason", "a\nb\u001b[2J" + "x".repeat(1000), "e\r\ne")
            .about("s\n" + "y".repeat(1000)));
    Condition one = only();
    assertThat(one.reason()).isEqualTo("unspecified");
    assertThat(one.message()).startsWith("a b [2Jxx").endsWith("…").hasSize(Conditions.MESSAGE_MAX);
    assertThat(one.exitRule()).isEqualTo("e e");
    assertThat(one.type()).startsWith("breaker/s yy").hasSizeLessThan(120);
    List<ConditionReport> many = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      many.add(degraded("b" + i, "open"));
    }
    say(many.toArray(ConditionReport[]::new));
    assertThat(conditions.current()).hasSize(Conditions.PER_SOURCE_MAX + 1);
    assertThat(conditions.current())
        .extracting(Condition::message)
        .contains("950 more of these are not shown.");
  }

  @Test
  void aSourceThatThrowsIsAConditionAndHarmsNoOther() {
    listen();
    boolean[] broken = {true};
    conditions.add(
        "store",
        ProbeEffect.READINESS,
        () -> {
          if (broken[0]) {
            throw new NoClassDefFoundError("secret");
          }
          return List.of();
        });
    conditions.add("null_list", ProbeEffect.NONE, () -> Collections.singletonList(null));
    say(degraded("a", "open"));
    assertThat(conditions.current())
        .extracting(Condition::type, Condition::reason)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("breaker/a", "open"),
            org.assertj.core.groups.Tuple.tuple("null_list", "source_failed"),
            org.assertj.core.groups.Tuple.tuple("store", "source_failed"));
    assertThat(conditions.current().toString()).doesNotContain("secret");
    assertThat(conditions.breaking(ProbeEffect.READINESS)).containsExactly("store");
    broken[0] = false;
    conditions.look();
    assertThat(conditions.breaking(ProbeEffect.READINESS)).isEmpty();
  }

  @Test
  void aListenerThatThrowsHarmsNoOther() {
    conditions.onChange(
        _ -> {
          throw new IllegalStateException("a bug");
        });
    listen();
    say(degraded("a", "open"));
    say();
    assertThat(heard).hasSize(2);
  }

  /** Whoever asks for a look within a source's answer or a listener gets it after this one. */
  @Test
  void aLookWithinALookComesAfterIt() {
    listen();
    int[] asked = {0};
    conditions.add(
        "again",
        ProbeEffect.NONE,
        () -> {
          if (++asked[0] == 1) {
            conditions.look();
          }
          return List.of();
        });
    conditions.look();
    assertThat(asked[0]).isEqualTo(2);
  }

  @Test
  void aSourceThatBlocksBlocksNoReaderAndIsNamed() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    listen();
    say(degraded("a", "open"));
    conditions.add(
        "slow",
        ProbeEffect.NONE,
        () -> {
          asked.countDown();
          try {
            released.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return List.of();
        });
    Thread looker = Thread.ofPlatform().start(conditions::look);
    asked.await();
    assertThat(only().type()).isEqualTo("breaker/a");
    conditions.look(); // returns at once
    time.advance(Conditions.STALE_AFTER.plusMillis(1));
    assertThat(conditions.current()).extracting(Condition::reason).containsExactly("open", "stale");
    assertThat(conditions.current().getLast().message()).contains("slow");
    released.countDown();
    looker.join();
    assertThat(only().type()).isEqualTo("breaker/a");
  }

  @Test
  void theMetricIsOneWhileSomethingOfTheTypeIsSo() {
    listen();
    assertThat(meters.scrape())
        .contains("holdfast_conditions{status=\"degraded\",type=\"breaker\"} 0.0")
        .contains("holdfast_conditions{status=\"failed\",type=\"breaker\"} 0.0");
    say(degraded("a", "open"), degraded("b", "open"));
    assertThat(meters.scrape())
        .contains("holdfast_conditions{status=\"degraded\",type=\"breaker\"} 1.0")
        .contains("holdfast_conditions{status=\"failed\",type=\"breaker\"} 0.0")
        .doesNotContain("breaker/a");
    say();
    assertThat(meters.scrape())
        .contains("holdfast_conditions{status=\"degraded\",type=\"breaker\"} 0.0");
  }
}
