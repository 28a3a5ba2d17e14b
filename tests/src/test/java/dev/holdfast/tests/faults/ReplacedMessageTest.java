package dev.holdfast.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CallScript;
import dev.holdfast.tests.harness.FakeModel;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ModelScript;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages that take the place of earlier ones: through kills, and when they may not. */
@Timeout(400)
class ReplacedMessageTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String ANN = "ann-token-0123456789abcdef012";

  @RegisterExtension
  static final Served SERVED =
      Served.aloneWithModel(
          rig ->
              rig.setup()
                  .set("tools.shell.enabled", true)
                  .set(
                      "api.tokens",
                      List.of(
                          Map.of("name", "ann", "token", ANN, "scopes", List.of("read", "chat")))));

  private final ServerRig rig = SERVED.rig();
  private final FakeModel model = SERVED.model();
  private final String thread = "/api/v1/threads/" + SERVED.thread();
  private final Http http = new Http();

  private Answer send(String key, String text, Map<String, Object> more) throws IOException {
    Map<String, Object> body = new HashMap<>(more);
    body.put("text", text);
    body.put("dedupe_key", SERVED.thread() + key);
    return rig.api().post(thread + "/messages", body);
  }

  private static String accepted(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    return answer.json().path("event_id").asText();
  }

  private String answered(Answer answer) {
    String event = accepted(answer);
    rig.api().awaitState(event, Set.of("answered"), LIMIT);
    return event;
  }

  /** Kills at once, twice while the model is asked, and while it writes. */
  @Test
  void aKillAnywhereLeavesOneAnswerAndOnlyWhatIsInForce() throws IOException {
    String kept = answered(send("k0", "KEPT", Map.of()));
    String last = answered(send("k1", "ATTEMPT-0.", Map.of()));
    for (int round = 1; round <= 3; round++) {
      if (round > 1) {
        model.next(round == 3 ? ModelScript.stallStream() : ModelScript.hang());
      }
      int asked = model.requests().size();
      Map<String, Object> replaces = Map.of("supersedes", last);
      String text = "ATTEMPT-" + round + ".";
      String event = accepted(send("again-" + round, text, replaces));
      if (round > 1) {
        Await.until("the model is asked", LIMIT, () -> model.requests().size() > asked);
      }
      rig.restart();
      if (round == 2) {
        rig.restart();
      }
      rig.api().awaitState(event, Set.of("answered"), LIMIT);
      Answer same = send("again-" + round, text, replaces);
      assertThat(accepted(same)).isEqualTo(event);
      assertThat(same.json().path("duplicate").asBoolean()).isTrue();
      assertThat(rig.api().event(event).path("replies")).hasSize(1);
      last = event;
    }
    String follow = answered(send("k9", "FOLLOW", Map.of()));
    String heard = Json.write(model.requests().getLast().body().path("messages"));
    assertThat(heard).contains("KEPT", "ATTEMPT-3.", "FOLLOW");
    assertThat(heard).doesNotContain("ATTEMPT-0.", "ATTEMPT-1.", "ATTEMPT-2.");
    JsonNode log = rig.api().get(thread + "/log").json().path("entries");
    List<String> said = new ArrayList<>();
    log.forEach(
        entry -> {
          if (entry.path("role").asText().equals("user")) {
            said.add(entry.path("text").asText());
          }
        });
    assertThat(said)
        .containsExactly("KEPT", "ATTEMPT-0.", "ATTEMPT-1.", "ATTEMPT-2.", "ATTEMPT-3.", "FOLLOW");
    assertThat(kept).isLessThan(follow); // what the order of replacing is read from
  }

  @Test
  void itIsRefusedClearly() throws IOException {
    String first = answered(send("k0", "hello", Map.of("shared", true)));
    refused(404, "no such message", "00000000-0000-7000-8000-000000000000", "hi");
    refused(400, "command", first, "/stop");
    Map<String, Object> body = Map.of("text", "mine", "supersedes", first);
    Answer foreign =
        http.post(
            rig.setup().url(thread + "/messages"),
            Map.of("authorization", "Bearer " + ANN, "content-type", "application/json"),
            Json.write(body));
    assertThat(foreign.status()).isEqualTo(403);
    model.next(ModelScript.hang());
    int asked = model.requests().size();
    String running = accepted(send("k1", "wait", Map.of()));
    Await.until("the model is asked", LIMIT, () -> model.requests().size() > asked);
    refused(409, "is being answered", first, "hi");
    rig.api().post(thread + "/stop", Map.of());
    rig.api().awaitState(running, ServerApi.FINAL, LIMIT);
    model.next(
        CallScript.call("c1", "shell", Map.of("command", "echo did >> it.txt")),
        ModelScript.answer(_ -> "done"));
    String acted = answered(send("k2", "act", Map.of()));
    Answer warned = refused(409, "tools have acted", first, "hi");
    assertThat(warned.json().path("error").path("details").path("effects").get(0).asText())
        .isEqualTo("shell");
    refused(409, "tools have acted", acted, "hi");
    assertThat(answered(send("k3", "hi", Map.of("supersedes", first, "force", true))))
        .isGreaterThan(acted);
    assertThat(model.requests().getLast().lastText()).isEqualTo("hi");
    assertThat(Json.write(model.requests().getLast().body().path("messages")))
        .doesNotContain("hello", "done");
  }

  private Answer refused(int status, String why, String replaced, String text) throws IOException {
    Answer answer = send("refused-" + text, text, Map.of("supersedes", replaced));
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).contains(why);
    return answer;
  }
}
