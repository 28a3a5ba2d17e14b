package dev.holdfast.agentkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.agentkit.ActionProgram.Action;
import dev.holdfast.kit.JsonText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ActionProgramTest {
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
  private final List<Map<String, Object>> told = new ArrayList<>();

  private Map<String, Object> answer(Action action, String request) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new ActionProgram(Map.of("do", action))
        .run(
            new ByteArrayInputStream(request.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(errors, true, StandardCharsets.UTF_8));
    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(text).endsWith("}\n");
    List<String> lines = text.lines().toList();
    lines.subList(0, lines.size() - 1).forEach(line -> told.add(JsonText.object(line)));
    return JsonText.object(lines.getLast());
  }

  private static String request(String action, String payload) {
    return "{\"request_id\":\"r\",\"api_version\":\"v1\",\"plan_id\":\"p\",\"task_id\":\"t\","
        + "\"correlation_id\":\"c\",\"action\":\"%s\",\"context\":{\"idempotency_key\":\"k\"},\"payload\":%s}"
            .formatted(action, payload);
  }

  @Test
  void anAnswerCarriesTheIdsOfItsRequest() throws Exception {
    Map<String, Object> answer =
        answer(
            asked ->
                new ActionResult(
                    Map.of("key", asked.key(), "x", asked.payload().text("x")), Map.of("turns", 3)),
            request("do", "{\"x\":\"grüße\"}"));
    assertThat(answer)
        .containsEntry("request_id", "r")
        .containsEntry("api_version", "v1")
        .containsEntry("plan_id", "p")
        .containsEntry("task_id", "t")
        .containsEntry("correlation_id", "c")
        .containsEntry("status", "success")
        .containsEntry("code", 0L);
    assertThat(JsonText.map(JsonText.map(answer, "result"), "data"))
        .containsEntry("key", "k")
        .containsEntry("x", "grüße");
    assertThat(JsonText.map(JsonText.map(answer, "result"), "metadata")).containsEntry("turns", 3L);
  }

  @Test
  void whateverGoesWrongIsAnAnswer() throws Exception {
    Map<String, Object> unknown = answer(_ -> ActionResult.of(Map.of()), request("other", "{}"));
    assertThat(unknown).containsEntry("status", "error").containsEntry("code", 501L);
    assertThat(
            answer(
                asked -> ActionResult.of(Map.of("x", asked.payload().text("x"))),
                request("do", "{\"x\":1}")))
        .containsEntry("code", 400L);
    assertThat(errors.size()).isZero();
    Map<String, Object> broken =
        answer(
            _ -> {
              throw new IOException("the disk");
            },
            request("do", "{}"));
    assertThat(broken).containsEntry("code", 500L).containsEntry("request_id", "r");
    assertThat(errors.toString(StandardCharsets.UTF_8)).contains("the disk");
  }

  @Test
  void whatItTellsComesInLinesBeforeTheAnswer() throws Exception {
    Map<String, Object> answer =
        answer(
            asked -> {
              asked.progress().accept("reads\nx");
              asked.progress().accept("writes");
              return ActionResult.of(Map.of());
            },
            request("do", "{}"));
    assertThat(answer).containsEntry("status", "success");
    assertThat(told)
        .containsExactly(
            Map.of("status", "progress", "message", "reads\nx"),
            Map.of("status", "progress", "message", "writes"));
  }

  @Test
  void aQuestionIsAnAnswerAndWhatAPersonSaidComesWithTheNextRequest() throws Exception {
    Map<String, Object> answer =
        answer(
            _ -> {
              throw new PersonAskedException(Map.of("question", "Which?"));
            },
            request("do", "{}"));
    assertThat(answer).containsEntry("status", "awaiting_input").containsEntry("request_id", "r");
    assertThat(JsonText.map(JsonText.map(answer, "result"), "data"))
        .containsEntry("question", "Which?");
    String again = request("do", "{}").replace("\"k\"", "\"k\",\"input\":{\"answer\":\"this\"}");
    answer(
        asked -> {
          told.add(asked.input());
          return ActionResult.of(Map.of());
        },
        again);
    assertThat(told).containsExactly(Map.of("answer", "this"));
  }

  @Test
  void whatIsNoRequestCannotBeAnswered() {
    assertThatThrownBy(() -> answer(_ -> ActionResult.of(Map.of()), "x"))
        .isInstanceOf(IOException.class);
  }

  @Test
  void argumentsThatDoNotFitAreRefusedByName() throws Exception {
    ActionPayload payload =
        new ActionPayload(
            JsonText.object(
                "{\"n\":5,\"t\":\"x\",\"l\":[\"a\",1],\"o\":{\"t\":\"y\"},\"z\":null}"));
    assertThat(payload.whole("n", 1, 1, 5)).isEqualTo(5);
    assertThat(payload.whole("none", 1, 1, 5)).isEqualTo(1);
    assertThat(payload.has("z")).isFalse();
    assertThat(payload.object("o").text("t")).isEqualTo("y");
    assertThatThrownBy(() -> payload.whole("n", 1, 1, 4)).hasMessageContaining("n must be");
    assertThatThrownBy(() -> payload.flag("t")).hasMessageContaining("t must be");
    assertThatThrownBy(() -> payload.texts("l", 3)).hasMessageContaining("l must be");
    assertThatThrownBy(() -> payload.texts("none", 3)).hasMessageContaining("from 1 to 3");
    assertThatThrownBy(() -> payload.object("t")).hasMessageContaining("t must be");
    assertThat(List.of(payload.text("none", "x"))).containsExactly("x");
  }
}
