package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.bus.News;
import dev.holdfast.drills.DiskFault;
import dev.holdfast.drills.DrillKind;
import dev.holdfast.drills.DrilledServer;
import dev.holdfast.drills.Drills;
import dev.holdfast.health.Condition;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.EventFates;
import dev.holdfast.store.messages.MessageMark;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The drill of the disk, on a real store. */
@Timeout(30)
class DrillCallsTest {
  private static final Caller OPERATOR = new Caller("main", Scope.ADMIN, false);

  @TempDir Path folder;
  private final SystemTime time = new SystemTime(); // the store of the drill is real
  private TestStore store;
  private Drills drills;
  private DrillCalls calls;

  @BeforeEach
  void open() throws Exception {
    store = new TestStore(folder);
    drills =
        new Drills(
            new StoreAlone(),
            Map.of(DrillKind.DISK_REFUSES, DiskFault.of(store.store.engine())),
            new News(100),
            time,
            new SimpleMeterRegistry());
    calls = new DrillCalls(drills, store.store.audit());
  }

  @AfterEach
  void close() throws Exception {
    drills.close();
    store.close();
  }

  private final class StoreAlone implements DrilledServer {
    @Override
    public boolean isReady() {
      return store.store.refusal().isEmpty();
    }

    @Override
    public List<Condition> conditions() {
      return List.of();
    }

    @Override
    public MessageMark mark() {
      return store.store.inbox().mark();
    }

    @Override
    public EventFates fates(MessageMark after, MessageMark upTo) {
      return store.store.inbox().fates(after, upTo);
    }
  }

  private JsonObject call(String operation, Map<String, String> path, JsonObject body)
      throws Exception {
    AnswerBudget.Booking memory = AnswerBudget.ofHeap(time).open(OPERATOR.name());
    ApiRequest request =
        new ApiRequest(OPERATOR, "c", "", path, Map.of(), body, new byte[0], memory);
    return Objects.requireNonNull(calls.calls().get(operation)).run(request).body();
  }

  private JsonObject start(JsonObject body) throws Exception {
    return call("startDrill", Map.of(), body);
  }

  @Test
  void aDiskThatRefusesIsToldAndComesBack() throws Exception {
    String id = start(new JsonObject().put("name", "disk-refuses")).getString("id");
    assertThat(store.store.inbox().append(TestStore.event("web:main:t", "k")))
        .failsWithin(Duration.ofSeconds(10));
    TimedWait.until(
        "it was seen not to be ready",
        () -> drills.all().getFirst().toJson().getInteger("looks_not_ready") > 0);
    assertThatThrownBy(() -> start(new JsonObject().put("name", "disk-refuses")))
        .isInstanceOfSatisfying(
            RefusedRequestException.class, e -> assertThat(e.status()).isEqualTo(409));
    call("stopDrill", Map.of("id", id), new JsonObject());
    TimedWait.until("it is over", () -> drills.all().getFirst().toJson().getValue("held") != null);
    JsonObject done = call("getDrill", Map.of("id", id), new JsonObject());
    assertThat(done.getBoolean("held")).as("%s", done).isTrue();
    assertThat(store.store.inbox().append(TestStore.event("web:main:t", "k2")))
        .succeedsWithin(Duration.ofSeconds(10));
  }

  @Test
  void whatIsAskedWronglyIsRefused() {
    for (JsonObject body :
        List.of(
            new JsonObject().put("name", "flood"),
            new JsonObject().put("name", "disk-refuses").put("for_secs", 301),
            new JsonObject().put("name", "disk-refuses").put("target", "x"))) {
      assertThatThrownBy(() -> start(body))
          .as("%s", body)
          .isInstanceOfSatisfying(
              RefusedRequestException.class, e -> assertThat(e.status()).isEqualTo(400));
    }
    assertThatThrownBy(() -> call("getDrill", Map.of("id", "none"), new JsonObject()))
        .hasMessageContaining("no such drill");
  }

  @Test
  void allAreListedWithTheirPromises() throws Exception {
    JsonObject all = call("listDrills", Map.of(), new JsonObject());
    assertThat(all.getJsonArray("drills")).hasSize(DrillKind.values().length);
    assertThat(all.getJsonArray("runs")).isEmpty();
  }
}
