package dev.holdfast.tools.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.config.Secrets;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.ledgers.Schedule;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleToolTest {
  private static final String THREAD = "web:main:t";

  @TempDir Path folder;
  private final Secrets secrets = new Secrets();
  private final ManualTime time = new ManualTime();
  @AutoClose private Store store;
  private ScheduleTool tool;

  @BeforeEach
  void open() throws Exception {
    store = TestStore.open(folder, time, new SimpleMeterRegistry());
    ScheduleConfig config = new ScheduleConfig(true, 3, Duration.ofSeconds(60));
    tool = new ScheduleTool(config, store, secrets, time, ZoneId.of("Europe/Berlin"));
  }

  private ToolResult run(String thread, String key, JsonObject arguments) {
    return tool.run(
        arguments.encode(),
        new ToolContext(thread, "e1", "amy", "c1", key, folder, ToolContext.Progress.SILENT));
  }

  private ToolResult add(String key, String kind, String spec) {
    JsonObject arguments = new JsonObject().put("action", "add").put("text", "look");
    return run(THREAD, key, arguments.put(kind, spec));
  }

  private List<Schedule> active() {
    return store.schedules().active(ThreadReader.OPERATOR, "", 100);
  }

  @Test
  void timesAreMeantInTheServersZoneUnlessOneIsNamed() {
    assertThat(add("k1", "at", "2026-01-02T09:00").text()).contains("2026-01-02T09:00+01:00");
    assertThat(active().getFirst().next()).isEqualTo(Instant.parse("2026-01-02T08:00:00Z"));
    JsonObject named =
        new JsonObject()
            .put("action", "add")
            .put("text", "x")
            .put("at", "2026-01-02T09:00")
            .put("zone", "Asia/Tokyo");
    run(THREAD, "k2", named);
    assertThat(active().getFirst().next()).isEqualTo(Instant.parse("2026-01-02T00:00:00Z"));
  }

  @Test
  void aCallThatRunsAgainMakesNothingNew() {
    String first = add("k1", "every", "90m").text();
    time.advance(Duration.ofMinutes(1));
    assertThat(add("k1", "every", "90m").text()).isEqualTo(first);
    assertThat(active()).hasSize(1);
  }

  @Test
  void aCallThatRunsAgainAfterItsTimeFindsWhatItMade() {
    String first = add("k1", "at", "2026-01-02T09:00").text();
    time.advance(Duration.ofDays(3));
    assertThat(add("k1", "at", "2026-01-02T09:00").text()).isEqualTo(first);
  }

  @Test
  void anotherCallUnderTheKeyOfAnEarlierOneMakesItsOwn() {
    add("k1", "every", "90m");
    assertThat(add("k1", "every", "2h").text()).contains("every 2h");
    assertThat(active()).hasSize(2);
  }

  @Test
  void anotherThreadNeitherSeesNorCancelsIt() {
    add("k1", "every", "90m");
    String id = active().getFirst().id();
    assertThat(run("web:main:u", "k2", new JsonObject().put("action", "list")).text())
        .isEqualTo("No wake-ups are set.");
    JsonObject cancel = new JsonObject().put("action", "cancel").put("id", id);
    assertThat(run("web:main:u", "k3", cancel).isError()).isTrue();
    assertThat(active()).hasSize(1);
    assertThat(run(THREAD, "k4", cancel).isError()).isFalse();
    assertThat(active()).isEmpty();
    assertThat(store.audit().list(ThreadReader.OPERATOR, 0, 10))
        .extracting(row -> row.entry().what())
        .containsExactly("schedule.cancelled", "schedule.added");
  }

  @Test
  void aThreadHasSoManyAndNoMore() {
    for (int i = 0; i < 3; i++) {
      assertThat(add("k" + i, "every", "90m").isError()).isFalse();
    }
    assertThat(add("k4", "every", "90m").text()).contains("which is the limit");
    assertThat(active()).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"59s", "1s", "0m", "x"})
  void aPeriodThatIsTooShortOrNoneIsRefused(String period) {
    assertThat(add("k1", "every", period).isError()).isTrue();
    assertThat(active()).isEmpty();
  }

  @Test
  void textsAndTimesThatCannotBeAreRefused() {
    JsonObject both = new JsonObject().put("action", "add").put("text", "x");
    assertThat(run(THREAD, "k1", both).text()).isEqualTo("Give one of at, every and cron.");
    both.put("every", "5m").put("cron", "* * * * *");
    assertThat(run(THREAD, "k1", both).text()).isEqualTo("Give one of at, every and cron.");
    JsonObject longText =
        new JsonObject().put("action", "add").put("text", "x".repeat(2001)).put("every", "5m");
    assertThat(run(THREAD, "k1", longText).isError()).isTrue();
    assertThat(add("k1", "at", "2020-01-01T00:00").text()).contains("passed");
    assertThat(add("k1", "cron", "0 0 31 2 *").isError()).isTrue();
    assertThat(active()).isEmpty();
  }

  @Test
  void aSecretIsNotWrittenDown() {
    secrets.add("sk-canary-123456");
    JsonObject arguments =
        new JsonObject()
            .put("action", "add")
            .put("every", "5m")
            .put("text", "use sk-canary-123456");
    assertThat(run(THREAD, "k1", arguments).text()).doesNotContain("canary");
    assertThat(active().getFirst().text()).isEqualTo("use ***");
  }
}
