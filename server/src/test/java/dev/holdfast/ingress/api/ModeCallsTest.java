package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.Secrets;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.modes.ModeFacts;
import dev.holdfast.modes.Modes;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class ModeCallsTest {
  private static final Caller OPERATOR = new Caller("main", Scope.ADMIN, false);

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final Secrets secrets = new Secrets();
  @AutoClose private TestStore store;
  private ModeCalls calls;

  @BeforeEach
  void open() throws Exception {
    store = new TestStore(folder);
    Modes modes =
        Modes.open(store.store.engine(), store.store.audit(), time, new SimpleMeterRegistry());
    calls =
        new ModeCalls(
            modes,
            () ->
                new ModeFacts(
                    List.of(), List.of(), List.of(), false, List.of("git"), List.of(), false),
            secrets);
  }

  private JsonObject call(String operation, JsonObject body) throws Exception {
    AnswerBudget.Booking memory = AnswerBudget.ofHeap(time).open(OPERATOR.name());
    ApiRequest request =
        new ApiRequest(OPERATOR, "c", "", Map.of(), Map.of(), body, new byte[0], memory);
    return Objects.requireNonNull(calls.calls().get(operation)).run(request).body();
  }

  @Test
  void itIsStoppedAndGoesOnWithWhatTheRulesFind() throws Exception {
    JsonObject full = call("getMode", new JsonObject());
    assertThat(full.getString("mode")).isEqualTo("full");
    assertThat(full.getString("since")).isNull();
    assertThat(full.getBoolean("by_hand")).isFalse();
    assertThat(full.getJsonObject("allows").getString("remote_models")).isEqualTo("free");

    JsonObject safe =
        call("setMode", new JsonObject().put("mode", "safe").put("reason", " enough "));
    assertThat(safe.getString("mode")).isEqualTo("safe");
    assertThat(safe.getString("reason")).isEqualTo("enough");
    assertThat(safe.getString("exit_rule")).contains("holdfast mode auto");
    assertThat(safe.getBoolean("by_hand")).isTrue();
    assertThat(safe.getJsonObject("allows").getBoolean("turns")).isFalse();
    assertThat(safe.getJsonObject("allows").getString("remote_models")).isEqualTo("none");

    assertThat(safe.getBoolean("changed")).isTrue();
    JsonObject again =
        call("setMode", new JsonObject().put("mode", "safe").put("reason", "another"));
    assertThat(again.getString("reason")).isEqualTo("enough");
    assertThat(again.getBoolean("changed")).as("the caller is told").isFalse();

    JsonObject auto = call("setMode", new JsonObject().put("mode", "auto"));
    assertThat(auto.getString("mode")).isEqualTo("reduced_agents");
    assertThat(auto.getString("rule")).isEqualTo("workers_given_up");
    assertThat(auto.getJsonArray("changes")).hasSize(2);
    assertThat(auto.getJsonArray("changes").getJsonObject(0).getString("by"))
        .isEqualTo("token:main");
  }

  @Test
  void aReasonIsKeptWithoutSecrets() throws Exception {
    secrets.add("sk-canary-123456");
    for (String mode : List.of("safe", "auto")) {
      JsonObject body = new JsonObject().put("mode", mode).put("reason", "key sk-canary-123456");
      assertThat(call("setMode", body).getString("reason")).isEqualTo("key ***");
    }
    assertThat(call("getMode", new JsonObject()).encode()).doesNotContain("canary");
    assertThat(store.store.audit().list(ThreadReader.OPERATOR, 0, 10).toString())
        .contains("key ***")
        .doesNotContain("canary");
  }

  @Test
  void whatIsNoModeOrTooLongIsRefused() {
    for (JsonObject body :
        List.of(
            new JsonObject(),
            new JsonObject().put("mode", "full"),
            new JsonObject().put("mode", "safe").put("reason", "x".repeat(501)))) {
      assertThatThrownBy(() -> call("setMode", body))
          .isInstanceOfSatisfying(
              RefusedRequestException.class, e -> assertThat(e.status()).isEqualTo(400));
    }
  }
}
