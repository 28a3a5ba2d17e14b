package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.StoreFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Row S53: an unsafe call runs after the right person's yes, and after nothing that looks like one.
 */
@Timeout(300)
class ApprovalTest extends SharedServer {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private Answer post(String token, String path, Object body) throws IOException {
    return http.post(
        rig.setup().url(path),
        Map.of("authorization", "Bearer " + token, "content-type", "application/json"),
        Json.write(body));
  }

  private String say(String token, String thread, String text) throws IOException {
    return post(
            token, "/api/v1/threads/" + thread + "/messages", Map.of("text", text, "shared", true))
        .json()
        .path("event_id")
        .asText();
  }

  /** Says something and returns the reply. */
  private String reply(String token, String thread, String text) throws IOException {
    String event = say(token, thread, text);
    rig.api().awaitState(event, ServerApi.FINAL, LIMIT);
    return rig.api().event(event).path("replies").toString();
  }

  /** Ann's call, which waits for her yes. */
  private JsonNode asked(String thread) throws IOException {
    say(ANN, thread, "!tool shell {\"command\": \"echo " + thread + " >> ran.txt\"}");
    return Await.value(
        "a call waits",
        LIMIT,
        () ->
            Stream.of(approvals("waiting", thread))
                .filter(found -> !found.isEmpty())
                .map(found -> found.get(0))
                .findFirst());
  }

  private JsonNode approvals(String state, String thread) throws IOException {
    return rig.api()
        .get("/api/v1/approvals?state=" + state + "&thread=" + thread)
        .json()
        .path("approvals");
  }

  /** How often the command of {@link #asked} ran for that thread, in whatever folder. */
  private int runs(String thread) throws IOException {
    try (Stream<Path> files = Files.walk(rig.setup().dataDir().resolve("threads"))) {
      int runs = 0;
      for (Path file : files.filter(path -> path.endsWith("ran.txt")).toList()) {
        runs += Collections.frequency(Files.readAllLines(file), thread);
      }
      return runs;
    }
  }

  /** Ends the turn whose call still waits. */
  private void stop(String thread) throws IOException {
    Answer stopped = post(ANN, "/api/v1/threads/" + thread + "/stop", Map.of());
    assertThat(stopped.status()).isEqualTo(200);
  }

  private String event(JsonNode approval) {
    return approval.path("event_id").asText();
  }

  private static String path(JsonNode approval, String word) {
    return "/api/v1/approvals/" + approval.path("id").asText() + "/" + word;
  }

  @Test
  void theRightPersonsYesLetsItRunOnceAndAllOfItStandsInTheAudit() throws Exception {
    JsonNode asked = asked("t1");
    assertThat(asked.path("arguments").asText()).contains("echo t1 >> ran.txt");
    assertThat(asked.path("person").asText()).isEqualTo("ann");
    assertThat(rig.api().get("/api/v1/threads/t1").json().path("doing").asText())
        .isEqualTo("waiting for approval");
    String code = asked.path("code").asText();
    assertThat(reply(ANN, "t1", "/approve " + code)).contains("Approved.");
    rig.api().awaitState(event(asked), Set.of("answered"), LIMIT);
    assertThat(runs("t1")).isEqualTo(1);
    assertThat(reply(ANN, "t1", "/approve " + code)).contains("Nothing is waiting");
    assertThat(post(ANN, path(asked, "approve"), Map.of()).status()).isEqualTo(409);
    assertThat(post(rig.api().token(), path(asked, "deny"), Map.of()).status()).isEqualTo(409);
    JsonNode next = asked("t1");
    assertThat(next.path("code").asText()).as("the same call again asks again").isNotEqualTo(code);
    assertThat(runs("t1")).isEqualTo(1);
    JsonNode execution =
        rig.api().get("/api/v1/executions/" + asked.path("execution").asText()).json();
    assertThat(execution.path("audit").findValuesAsText("what"))
        .containsExactly("approval.asked", "approval.granted", "approval.used");
    assertThat(execution.path("audit").findValuesAsText("actor"))
        .containsExactly("tool:shell", "person:ann", "server");
    assertThat(rig.api().get("/api/v1/audit/verify").json().path("whole").asBoolean()).isTrue();
    stop("t1");
  }

  @Test
  void nobodyElseAndNothingThatOnlyLooksLikeAYesCounts() throws Exception {
    JsonNode asked = asked("t2");
    String code = asked.path("code").asText();
    assertThat(reply(BOB, "t2", "/approve " + code)).contains("Only the person");
    assertThat(reply(ANN, "t3", "/approve " + code))
        .as("another thread")
        .contains("Nothing is waiting");
    assertThat(post(BOB, path(asked, "approve"), Map.of()).status()).isEqualTo(403);
    assertThat(post(READER, path(asked, "approve"), Map.of()).status()).isEqualTo(403);
    assertThat(post(ANN, path(asked, "approve"), Map.of("arguments", "{}")).status())
        .isEqualTo(400);
    for (String text :
        List.of(
            "> /approve " + code,
            "he wrote: /approve " + code,
            "/approve " + code + " please",
            "`/approve " + code + "`",
            "/approve\u200b " + code,
            "approve " + code)) {
      say(ANN, "t2", text);
    }
    assertThat(reply(ANN, "t2", "/status")).contains("waiting for approval");
    assertThat(approvals("waiting", "t2")).hasSize(1);
    assertThat(runs("t2")).isZero();
    assertThat(post(ANN, path(asked, "approve"), Map.of()).json().path("state").asText())
        .isEqualTo("approved");
    rig.api().awaitState(event(asked), Set.of("answered"), LIMIT);
    assertThat(runs("t2")).isEqualTo(1);
  }

  @Test
  void whatAChatDoesNotShowIsNotApprovedThere() throws Exception {
    String command = "echo " + "x".repeat(3100) + " ran >> ran.txt";
    say(ANN, "t7", "!tool shell " + Json.write(Map.of("command", command)));
    JsonNode asked =
        Await.value(
            "a call waits",
            LIMIT,
            () ->
                Stream.of(approvals("waiting", "t7"))
                    .filter(found -> !found.isEmpty())
                    .map(found -> found.get(0))
                    .findFirst());
    String code = asked.path("code").asText();
    assertThat(asked.path("arguments").asText()).endsWith("ran >> ran.txt\"}");
    assertThat(rig.api().event(event(asked)).path("replies").toString())
        .contains("too long to approve here")
        .doesNotContain("/approve");
    assertThat(reply(ANN, "t7", "/approve " + code)).contains("longer than what a chat shows");
    assertThat(approvals("waiting", "t7")).hasSize(1);
    assertThat(post(ANN, path(asked, "approve"), Map.of()).status()).isEqualTo(200);
    rig.api().awaitState(event(asked), Set.of("answered"), LIMIT);
  }

  @Test
  void aYesToOtherArgumentsIsNone() throws Exception {
    JsonNode asked = asked("t4");
    new StoreFile(rig.setup())
        .change(
            "update approvals set arguments_hash = replace(arguments_hash, 'a', 'b') || 'c'"
                + " where thread_id = 'web:main:t4'");
    post(rig.api().token(), path(asked, "approve"), Map.of());
    Await.until(
        "the call is asked for anew",
        LIMIT,
        () -> approvals("waiting", "t4").path(0).path("event_id").asText().equals(event(asked)));
    assertThat(runs("t4")).isZero();
    stop("t4");
  }

  @Test
  void aYesThatComesTooLateIsNone() throws Exception {
    JsonNode asked = asked("t5");
    new StoreFile(rig.setup())
        .change("update approvals set expires_at = asked_at + 1 where thread_id = 'web:main:t5'");
    assertThat(post(rig.api().token(), path(asked, "approve"), Map.of()).status()).isEqualTo(409);
    assertThat(reply(ANN, "t5", "/approve " + asked.path("code").asText()))
        .doesNotContain("Approved.");
    rig.api().awaitState(event(asked), ServerApi.FINAL, LIMIT);
    assertThat(runs("t5")).isZero();
    assertThat(rig.api().get("/api/v1/audit").json().findValuesAsText("what"))
        .contains("approval.expired");
  }

  @Test
  void aQuestionOutlivesAKill() throws Exception {
    JsonNode asked = asked("t6");
    rig.restart();
    assertThat(approvals("waiting", "t6")).hasSize(1);
    assertThat(post(rig.api().token(), path(asked, "approve"), Map.of()).status()).isEqualTo(200);
    rig.api().awaitState(event(asked), Set.of("answered"), LIMIT);
    assertThat(runs("t6")).isEqualTo(1);
  }
}
