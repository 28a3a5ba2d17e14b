package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.StoreFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Whose a conversation is: two tokens, and every operation of the contract. */
class ThreadOwnersTest extends SharedServer {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Stands in the names of Ann's threads, and so in all that is told of them. */
  private static final String MARK = "of-ann";

  private static final Pattern OPERATION =
      Pattern.compile(
          "^    (get|post|delete):\n      operationId: (\\w+)\n      x-scope: \\w+\n"
              + "(?:      x-threads: (\\w+)\n)?",
          Pattern.MULTILINE);

  /** An operation as the contract describes it. */
  private record Operation(String method, String path, String id, String threads) {}

  /** What Ann has: ids by the operation that takes them. */
  private record Belongings(
      String event, String file, String approval, String execution, String plan, String task) {}

  private Answer as(String token, String method, String path, Object body) throws IOException {
    return http.send(
        method,
        rig.setup().url(path),
        Map.of("authorization", "Bearer " + token, "content-type", "application/json"),
        method.equals("POST") ? Json.write(body) : "");
  }

  private Answer say(String token, String thread, Map<String, Object> message) throws IOException {
    return as(token, "POST", "/api/v1/threads/" + thread + "/messages", message);
  }

  private String said(String token, String thread, String text) throws IOException {
    Answer answer = say(token, thread, Map.of("text", text));
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
    return answer.json().path("event_id").asText();
  }

  private static List<Operation> operations() throws IOException {
    String contract = Files.readString(Path.of("../server/src/main/resources/openapi.yaml"));
    List<Operation> all = new ArrayList<>();
    for (String path : contract.split("(?m)^  (?=/)", -1)) {
      if (path.startsWith("/api/")) {
        Matcher found = OPERATION.matcher(path);
        while (found.find()) {
          all.add(
              new Operation(
                  found.group(1).toUpperCase(java.util.Locale.ROOT),
                  path.substring(0, path.indexOf(':')),
                  found.group(2),
                  String.valueOf(found.group(3))));
        }
      }
    }
    return all;
  }

  private Belongings belongings() throws IOException {
    String event = said(ANN, "talk-" + MARK, "pears and plums");
    rig.api().awaitState(event, ServerApi.FINAL, LIMIT);
    Answer upload =
        http.post(
            rig.setup().url("/api/v1/threads/talk-" + MARK + "/attachments?name=" + MARK),
            Map.of("authorization", "Bearer " + ANN, "content-type", "application/octet-stream"),
            "a file " + MARK);
    assertThat(upload.status()).isEqualTo(201);
    String wake =
        said(
            ANN,
            "talk-" + MARK,
            "!tool schedule {\"action\": \"add\", \"every\": \"1d\", \"text\": \"wake\"}");
    rig.api().awaitState(wake, ServerApi.FINAL, LIMIT);
    String planned =
        said(
            ANN,
            "talk-" + MARK,
            "!tool plan {\"goal\": \"a plan "
                + MARK
                + "\", \"steps\": [{\"name\": \"a\", \"agent\": \"worker\","
                + " \"action\": \"look\", \"payload\": {\"sleep\": 600}}]}");
    JsonNode task =
        Await.value(
            "a plan runs",
            LIMIT,
            () -> rig.api().get("/api/v1/tasks").json().path("tasks").valueStream().findFirst());
    rig.api().awaitState(planned, ServerApi.FINAL, LIMIT);
    said(ANN, "asks-" + MARK, "!tool shell {\"command\": \"echo " + MARK + "\"}");
    JsonNode asked =
        Await.value(
            "a call waits",
            LIMIT,
            () ->
                rig.api()
                    .get("/api/v1/approvals")
                    .json()
                    .path("approvals")
                    .valueStream()
                    .findFirst());
    new StoreFile(rig.setup())
        .change(
            "insert into dead_letters (id, kind, ref, event_id, dedupe_key, thread_id, reason,"
                + " payload, attempts, at) values ('letter', 'event', 1, '"
                + event
                + "', 'k', 'web:main:talk-of-ann', 'r', 'p', 1, 1)");
    return new Belongings(
        event,
        upload.json().path("file").asText(),
        asked.path("id").asText(),
        asked.path("execution").asText(),
        task.path("plan_id").asText(),
        task.path("task_id").asText());
  }

  /** The operation on what is Ann's. */
  private Answer attempt(String token, Operation operation, Belongings hers) throws IOException {
    String id =
        switch (operation.path().split("/", -1)[3]) {
          case "threads" -> "talk-" + MARK;
          case "events" -> hers.event();
          case "dead-letters" -> "letter";
          case "approvals" -> hers.approval();
          case "executions" -> hers.execution();
          case "plans" -> hers.plan();
          case "tasks" -> hers.task();
          default -> "x";
        };
    String path =
        operation
            .path()
            .replace("{id}", ServerApi.encode(id))
            .replace("{name}", "x")
            .replace("{file}", hers.file());
    if (operation.id().equals("postAttachment")) {
      return http.post(
          rig.setup().url(path),
          Map.of("authorization", "Bearer " + token, "content-type", "application/octet-stream"),
          "content");
    }
    String query = operation.id().equals("searchMessages") ? "?q=pears" : "";
    return as(token, operation.method(), path + query, body(operation));
  }

  private static Map<String, Object> body(Operation operation) {
    return switch (operation.id()) {
      case "chat" -> Map.of("message", "hi", "context", Map.of("thread_id", "talk-" + MARK));
      case "postMessage" -> Map.of("text", "hi");
      case "renameThread" -> Map.of("title", "a title");
      case "archiveThread" -> Map.of("archived", false);
      case "restoreMemory" -> Map.of("version", 1);
      case "answerTask" -> Map.of("answer", "yes");
      default -> Map.of();
    };
  }

  /** What was said can be found soon after it was logged. */
  private void awaitFound() {
    Await.until(
        "it can be found",
        LIMIT,
        () -> as(ANN, "GET", "/api/v1/search?q=pears", "").body().contains(MARK));
  }

  @Test
  void anotherTokenNeitherListsNorReadsNorWritesAThread() throws Exception {
    Path skill = Files.createDirectories(rig.setup().dataDir().resolve("skills/x"));
    Files.writeString(skill.resolve("SKILL.md"), "---\nname: x\ndescription: x\n---\n");
    Belongings hers = belongings();
    List<Operation> operations =
        operations().stream().filter(operation -> !operation.id().equals("getStream")).toList();
    assertThat(operations).hasSizeGreaterThan(25);
    for (Operation operation : operations) {
      Answer bobs = attempt(BOB, operation, hers);
      assertThat(bobs.body()).as("what Bob sees by " + operation).doesNotContain(MARK);
      switch (operation.threads()) {
        case "none" -> assertThat(bobs.status()).as(operation.toString()).isEqualTo(200);
        case "filtered" -> assertThat(bobs.status()).as(operation.toString()).isEqualTo(200);
        case "named" -> assertThat(bobs.status()).as(operation.toString()).isEqualTo(404);
        case "operators" -> assertThat(bobs.status()).as(operation.toString()).isEqualTo(403);
        default -> throw new AssertionError("nobody has decided who may see " + operation);
      }
    }
    awaitFound();
    for (Operation operation : operations) {
      if (operation.threads().equals("filtered")) {
        assertThat(attempt(ANN, operation, hers).body()).as("Ann " + operation).contains(MARK);
        assertThat(attempt(rig.api().token(), operation, hers).body())
            .as("the operator " + operation)
            .contains(MARK);
      }
    }
    // After the lists, for some end what the lists show; what deletes the thread comes last.
    for (Operation operation :
        operations.stream()
            .sorted(Comparator.comparing(each -> each.id().equals("deleteThread")))
            .toList()) {
      if (operation.threads().equals("named")) {
        assertThat(attempt(ANN, operation, hers).status())
            .as("Ann " + operation)
            .isIn(200, 201, 202, 409);
      }
    }
    assertThat(as(BOB, "GET", "/api/v1/threads/webhook%3Aci%3Awell/log", "").status())
        .as("a platform's thread")
        .isIn(200, 404);
    rig.converse("platform", "chat-of-a-platform", "hello");
    assertThat(as(BOB, "GET", "/api/v1/threads/webhook%3Aci%3Achat-of-a-platform/log", "").status())
        .isEqualTo(404);
  }

  @Test
  void whatWasDeletedIsGivenToNobodyAndWhatComesLaterIsNotShared() throws Exception {
    Map<String, Object> asked =
        Map.of("message", "say heron-word", "context", Map.of("thread_id", "web:main:erased"));
    Map<String, String> headers =
        Map.of(
            "authorization", "Bearer " + ANN,
            "content-type", "application/json",
            "idempotency-key", "once-erased");
    String url = rig.setup().url("/api/v1/chat");
    Answer first = http.send("POST", url, headers, Json.write(asked));
    assertThat(first.json().path("output").asText()).contains("heron-word");
    Map<String, Object> keyed =
        Map.of("text", "say heron-word", "dedupe_key", "k-erased", "shared", true);
    Answer sent = say(ANN, "web:main:erased", keyed);
    String event = sent.json().path("event_id").asText();
    rig.api().awaitState(event, ServerApi.FINAL, LIMIT);
    assertThat(as(BOB, "GET", "/api/v1/threads/web:main:erased/log", "").status()).isEqualTo(200);

    assertThat(as(ANN, "DELETE", "/api/v1/threads/web:main:erased", "").status()).isEqualTo(200);
    assertThat(http.send("POST", url, headers, Json.write(asked)).body())
        .doesNotContain("Echo")
        .doesNotContain("you said");
    Answer again =
        say(ANN, "web:main:erased", Map.of("text", "say heron-word", "dedupe_key", "k-erased"));
    assertThat(again.json().path("event_id").asText()).as(again.body()).isEqualTo(event);
    try (RawClient stream = new RawClient(rig.setup().httpPort())) {
      stream.say(
          "GET /api/v1/stream HTTP/1.1\r\n"
              + "Host: localhost\r\n"
              + "Last-Event-ID: 0\r\n"
              + "Authorization: Bearer "
              + ANN
              + "\r\n\r\n");
      said(ANN, "erased-after", "the end is here");
      StringBuilder heard = new StringBuilder();
      Await.until(
          "the end is heard",
          LIMIT,
          () -> heard.append(stream.hear(Duration.ofSeconds(1))).indexOf("the end is here") >= 0);
      assertThat(heard).doesNotContain("heron-word");
    }

    said(ANN, "web:main:erased", "a private word");
    assertThat(as(BOB, "GET", "/api/v1/threads/web:main:erased/log", "").status()).isEqualTo(404);
  }

  @Test
  void wordsAreSearchedForAsTheyAreTyped() throws Exception {
    said(ANN, "typed", "an odd \"gamma beta\" pair");
    Await.until(
        "it can be found",
        LIMIT,
        () -> as(ANN, "GET", "/api/v1/search?q=gamma", "").body().contains("typed"));
    for (String words :
        List.of(
            "odd \"gamma beta\"", "\"gamma beta", "gamma\"", "{}", "[1]", "null", "12", "true")) {
      Answer found = as(ANN, "GET", "/api/v1/search?q=" + ServerApi.encode(words), "");
      assertThat(found.status()).as(words + found.body()).isEqualTo(200);
      if (words.contains("gamma")) {
        assertThat(found.body()).as(words).contains("typed");
      }
    }
    Answer upload =
        http.post(
            rig.setup()
                .url(
                    "/api/v1/threads/typed/attachments?name="
                        + ServerApi.encode("my \"best\" pic.txt")),
            Map.of("authorization", "Bearer " + ANN, "content-type", "application/octet-stream"),
            "content");
    assertThat(upload.status()).as(upload.body()).isEqualTo(201);
  }

  @Test
  void countsTellNothingOfOthers() throws Exception {
    new StoreFile(rig.setup())
        .change(
            "insert into dead_letters (id, kind, ref, event_id, dedupe_key, thread_id, reason,"
                + " payload, attempts, at) values ('counted', 'event', 1, 'e', 'k',"
                + " 'web:main:counted', 'r', 'p', 1, 1)");
    JsonNode bobs = as(BOB, "GET", "/api/v1/dead-letters", "").json();
    assertThat(bobs.path("counts").path("event").asInt(-1)).isZero();
    assertThat(bobs.path("newest").asInt(-1)).isZero();
  }

  /** Else anybody could find out who talks to whom, name by name. */
  @Test
  void aForeignThreadLooksLikeOneThatIsNotThere() throws Exception {
    said(ANN, "hidden", "hers");
    rig.converse("hidden", "chat-that-is-there", "hello");
    for (Operation operation : operations()) {
      if (operation.path().startsWith("/api/v1/threads/{id}")) {
        assertThat(onThread(operation, "webhook:ci:chat-that-is-there"))
            .as(operation.toString())
            .isEqualTo(onThread(operation, "webhook:ci:not-there"));
        if (!operation.id().equals("postMessage") && !operation.id().equals("postAttachment")) {
          assertThat(onThread(operation, "hidden")) // who writes to a free name begins it
              .as(operation.toString())
              .isEqualTo(onThread(operation, "not-there"));
        }
      }
    }
  }

  /** What Bob hears. */
  private String onThread(Operation operation, String thread) throws IOException {
    boolean isFile = operation.id().equals("postAttachment");
    String path =
        operation.path().replace("{id}", ServerApi.encode(thread)).replace("{file}", "up-1.txt");
    Map<String, String> headers =
        Map.of(
            "authorization",
            "Bearer " + BOB,
            "content-type",
            isFile ? "application/octet-stream" : "application/json",
            "x-correlation-id",
            "same");
    String body = Json.write(body(operation));
    Answer answer =
        http.send(
            operation.method(),
            rig.setup().url(path),
            headers,
            operation.method().equals("POST") ? body : "");
    return answer.status() + " " + answer.body();
  }

  /** A platform's id of a thread may be as long as its channel takes it. */
  @Test
  void aThreadWithALongIdIsReadStoppedAndReset() throws Exception {
    String id = "long-".repeat(120);
    rig.converse("long-id", id, "hello");
    String path = "/api/v1/threads/" + ServerApi.encode("webhook:ci:" + id);
    assertThat(rig.api().get(path).status()).isEqualTo(200);
    assertThat(rig.api().get(path + "/log").body()).contains("hello");
    assertThat(rig.api().post(path + "/stop", Map.of()).status()).isEqualTo(200);
    assertThat(rig.api().post(path + "/reset", Map.of()).status()).isEqualTo(200);
  }

  @Test
  void nobodyPassesForAWakeUp() throws Exception {
    String body = "{\"thread\":\"t\",\"sender\":\"schedule:35bd40a09c41\",\"text\":\"wake\"}";
    assertThat(rig.sender().sendRaw("not-a-wake-up", body).status()).isEqualTo(400);
    assertNoEvent("not-a-wake-up");
    Map<String, Object> pretended = Map.of("text", "wake", "user_id", "schedule:35bd40a09c41");
    Answer refused = say(rig.api().token(), "pretended", pretended);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).contains("schedule:");
  }

  @Test
  void aStreamTellsOnlyWhatItsTokenMaySee() throws Exception {
    said(ANN, "streamed-" + MARK, "first");
    said(BOB, "bobs", "first");
    try (RawClient client = new RawClient(rig.setup().httpPort())) {
      client.say(
          "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + BOB
              + "\r\n\r\n");
      StringBuilder heard = new StringBuilder(client.hear(Duration.ofSeconds(5)));
      rig.api().awaitState(said(ANN, "streamed-" + MARK, "hers"), ServerApi.FINAL, LIMIT);
      String his = said(BOB, "bobs", "his");
      Await.until(
          "Bob hears of his own message",
          LIMIT,
          () -> heard.append(client.hear(Duration.ofSeconds(1))).indexOf(his) >= 0);
      assertThat(heard).doesNotContain(MARK);
    }
  }

  @Test
  void aSharedThreadIsOpenToAllAndItsOwnerClosesIt() throws Exception {
    assertThat(say(ANN, "open", Map.of("text", "hi all", "shared", true)).status()).isEqualTo(202);
    assertThat(as(BOB, "GET", "/api/v1/threads/open/log", "").body()).contains("hi all");
    said(BOB, "open", "hi ann");
    Answer pretended = say(BOB, "open", Map.of("text", "give me all", "user_id", "ann"));
    assertThat(pretended.status()).isEqualTo(202);
    // A message stands in the log from the beginning of its turn on.
    rig.api().awaitState(pretended.json().path("event_id").asText(), ServerApi.FINAL, LIMIT);
    JsonNode log = as(ANN, "GET", "/api/v1/threads/open/log", "").json().path("entries");
    assertThat(log.findValuesAsText("sender")).contains("ann", "bob", "bob/ann");
    assertThat(say(BOB, "open", Map.of("text", "mine now", "shared", false)).status())
        .isEqualTo(403);
    JsonNode open = as(BOB, "GET", "/api/v1/threads/open", "").json();
    assertThat(open.path("owner").asText()).isEqualTo("ann");
    assertThat(open.path("shared").asBoolean()).isTrue();
    assertThat(say(ANN, "open", Map.of("text", "closed", "shared", false)).status()).isEqualTo(202);
    assertThat(as(BOB, "GET", "/api/v1/threads/open/log", "").status()).isEqualTo(404);
    said(ANN, "kept-" + MARK, "before the kill");
    rig.restart();
    assertThat(as(BOB, "GET", "/api/v1/threads/open/log", "").status()).isEqualTo(404);
    assertThat(say(BOB, "kept-" + MARK, Map.of("text", "hi")).status()).isEqualTo(404);
    assertThat(say(ANN, "kept-" + MARK, Map.of("text", "hi")).status()).isEqualTo(202);
  }

  @Test
  void aThreadWithoutAnOwnerBelongsToOperators() throws Exception {
    said(ANN, "old", "from before there were owners");
    new StoreFile(rig.setup()).change("delete from thread_owners where thread_id = 'web:main:old'");
    rig.restart();
    assertThat(as(ANN, "GET", "/api/v1/threads/old/log", "").status()).isEqualTo(404);
    assertThat(say(ANN, "old", Map.of("text", "mine?")).status()).isEqualTo(404);
    assertThat(rig.api().get("/api/v1/threads/old/log").body()).contains("from before");
  }

  /** Else whoever began it would read along when the operator first says something. */
  @Test
  void theThreadOfTheCommandLineIsBegunByOperatorsAlone() throws Exception {
    Answer early = say(ANN, "cli", Map.of("text", "mine", "shared", true));
    assertThat(early.status()).isEqualTo(403);
    assertThat(early.body()).contains("kept for operators");
    Map<String, Object> chat =
        Map.of("message", "mine", "context", Map.of("thread_id", "web:main:cli"));
    assertThat(as(ANN, "POST", "/api/v1/chat", chat).status()).isEqualTo(403);
    assertThat(as(ANN, "GET", "/api/v1/threads/cli/log", "").status()).isEqualTo(404);
    HoldfastCommand.Result said =
        HoldfastCommand.run(rig.setup(), "chat", "a word of the operator");
    assertThat(said.exitCode()).as(said.err()).isZero();
    assertThat(rig.api().get("/api/v1/threads/cli/log").body()).contains("word of the operator");
    assertThat(as(ANN, "GET", "/api/v1/threads/cli/log", "").status()).isEqualTo(404);
    assertThat(as(ANN, "GET", "/api/v1/threads", "").body()).doesNotContain("web:main:cli");
    assertThat(say(ANN, "cli", Map.of("text", "let me in")).status()).isEqualTo(403);
    assertThat(
            as(
                    rig.api().token(),
                    "POST",
                    "/api/v1/threads/cli/messages",
                    Map.of("text", "come in", "shared", true))
                .status())
        .isEqualTo(202);
    assertThat(say(ANN, "cli", Map.of("text", "thank you")).status()).isEqualTo(202);
  }

  @Test
  void aKeyCountsForOneTokenAndOneThread() throws Exception {
    Map<String, Object> hers = Map.of("text", "hers", "dedupe_key", "order-7");
    Answer first = say(ANN, "orders", hers);
    assertThat(say(ANN, "orders", hers).json().path("duplicate").asBoolean()).isTrue();
    Answer elsewhere = say(ANN, "orders-2", hers);
    assertThat(elsewhere.json().path("duplicate").asBoolean()).isFalse();
    Answer his = say(BOB, "his-orders", Map.of("text", "his", "dedupe_key", "order-7"));
    assertThat(his.json().path("duplicate").asBoolean()).isFalse();
    assertThat(say(ANN, "orders", Map.of("text", "else", "dedupe_key", "order-7")).status())
        .isEqualTo(409);
    JsonNode found = as(BOB, "GET", "/api/v1/events/order-7", "").json();
    assertThat(found.path("event_id")).isEqualTo(his.json().path("event_id"));
    assertThat(found.path("dedupe_key").asText()).isEqualTo("order-7");
    Answer both = as(ANN, "GET", "/api/v1/events/order-7", "");
    assertThat(both.status()).isEqualTo(409);
    assertThat(both.body())
        .contains(first.json().path("event_id").asText())
        .doesNotContain(his.json().path("event_id").asText());
  }

  @Test
  void anIdempotencyKeyNeverSwallowsAnotherRequest() throws Exception {
    Answer first = keyed("k1", "messages", "{\"text\":\"one\"}");
    assertThat(first.status()).isEqualTo(202);
    assertThat(keyed("k1", "messages", "{\"text\":\"two\"}").status()).isEqualTo(409);
    rig.restart();
    assertThat(keyed("k1", "messages", "{\"text\":\"two\"}").status()).isEqualTo(409);
    assertThat(keyed("k1", "messages", "{\"text\":\"one\"}").body()).isEqualTo(first.body());
    assertThat(keyed("k2", "messages?a=1", "{\"text\":\"three\"}").status()).isEqualTo(202);
    assertThat(keyed("k2", "messages?a=2", "{\"text\":\"three\"}").status()).isEqualTo(409);
  }

  private Answer keyed(String key, String route, String body) throws IOException {
    return http.post(
        rig.setup().url("/api/v1/threads/keyed/" + route),
        Map.of(
            "authorization",
            "Bearer " + ANN,
            "content-type",
            "application/json",
            "idempotency-key",
            key),
        body);
  }
}
