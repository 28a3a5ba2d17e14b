package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.docs.PageCommands;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.Subscription;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What operators ask over a real nats-server with the permissions of docs/bus.md, by the client
 * that stands there.
 */
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/bus",
      "server/src/main/java/dev/holdfast/ingress/control",
      "nats-kit/src/main",
      "docs/bus.md"
    },
    needs = "nats-server:nats-server")
@Timeout(300)
@SuppressWarnings("try") // an interrupt while a client closes fails the test, as it should
class NatsControlTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String HOLDFAST_PASSWORD = "holdfast-password-1";
  private static final String OPERATOR_PASSWORD = "operator-password-1";
  private static final String TALKER = "talker-token-0123456789";
  private static final String ROTATED = "rotated-token-0123456789";
  private static final long SECONDS_MAX = 60;

  private static Path client;
  private static NatsServer nats;
  private static ServerRig rig;

  @BeforeAll
  static void open() throws Exception {
    client = Npm.folderWith("nats@2.29.3");
    Files.writeString(
        client.resolve("control.mjs"), PageCommands.of("bus.md", "js").blocks().getFirst());
    nats =
        new NatsServer()
            .configured(
                "max_payload: 64KB\n" + PageCommands.of("bus.md", "conf").blocks().getFirst(),
                Map.of(
                    "HOLDFAST_NATS_PASSWORD", HOLDFAST_PASSWORD,
                    "OPERATOR_NATS_PASSWORD", OPERATOR_PASSWORD))
            .start();
    rig = new ServerRig();
    rig.setup()
        .set("broker.kind", "nats")
        .set("broker.nats.servers", List.of(nats.url("holdfast", HOLDFAST_PASSWORD)))
        .set("broker.nats.control", true)
        .set("broker.disk_queue.max_attempts", 1);
    tokens(ROTATED);
    rig.start();
    awaitHeard();
  }

  @AfterAll
  static void close() {
    if (rig != null) {
      rig.close();
    }
    if (nats != null) {
      nats.close();
    }
    ServerRig.delete(client);
  }

  /** Besides the server's own: one that may talk, and one of an operator. */
  private static void tokens(String operator) {
    rig.setup()
        .set(
            "api.tokens",
            List.of(
                Map.of("name", "talker", "token", TALKER, "scopes", List.of("chat")),
                Map.of("name", "second", "token", operator, "scopes", List.of("admin"))));
  }

  private static JsonNode askAs(String token, String verb, String... body) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("node", "control.mjs", verb);
    builder.command().addAll(List.of(body));
    builder
        .environment()
        .putAll(
            Map.of(
                "NATS_URL", nats.url(),
                "OPERATOR_NATS_PASSWORD", OPERATOR_PASSWORD,
                "HOLDFAST_TOKEN", token));
    Process process =
        builder
            .directory(client.toFile())
            .redirectError(client.resolve("errors.log").toFile())
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
    if (process.exitValue() != 0) {
      throw new IOException(Files.readString(client.resolve("errors.log")));
    }
    assertThat(said).doesNotContain(token);
    return Json.read(said);
  }

  private static JsonNode ask(String verb, String... body) throws Exception {
    return askAs(rig.api().token(), verb, body);
  }

  private static void awaitHeard() {
    Await.until(
        "a request is answered",
        LIMIT,
        () -> {
          try {
            return ask("mode").path("status").asInt() == 200;
          } catch (IOException _) {
            return false;
          }
        });
  }

  private static Connection operator(ErrorListener errors) throws Exception {
    return Nats.connect(
        new Options.Builder()
            .server(nats.url("operator", OPERATOR_PASSWORD))
            .errorListener(errors)
            .noReconnect()
            .build());
  }

  private static JsonNode answer(Message message) {
    assertThat(message).as("an answer").isNotNull();
    return Json.read(new String(message.getData(), StandardCharsets.UTF_8));
  }

  private static Headers bearer(String token) {
    return new Headers().put("authorization", "bearer " + token);
  }

  private static List<JsonNode> audit(String what) throws Exception {
    return rig.api()
        .get("/api/v1/audit")
        .json()
        .path("entries")
        .valueStream()
        .filter(entry -> entry.path("what").asText().equals(what))
        .toList();
  }

  @Test
  void anOperatorStopsResetsReplaysAndChangesTheMode() throws Exception {
    JsonNode safe = ask("mode", "{\"mode\": \"safe\", \"reason\": \"a test\"}");
    assertThat(safe.path("status").asInt()).as(safe.toString()).isEqualTo(200);
    assertThat(safe.path("body").path("mode").asText()).isEqualTo("safe");
    assertThat(safe.path("body").path("changes").get(0).path("reason").asText()).contains("a test");
    assertThat(rig.api().get("/api/v1/mode").json().path("mode").asText()).isEqualTo("safe");

    rig.accept("s1", "stopped", "one");
    rig.accept("s2", "stopped", "two");
    rig.accept("r1", "reset", "one");
    String thread = rig.api().event("s1").path("thread_id").asText();
    JsonNode stopped = ask("stop", Json.write(Map.of("thread_id", thread, "all", true)));
    assertThat(stopped.path("body").path("stopped").asInt()).as(stopped.toString()).isEqualTo(2);
    assertThat(rig.api().state("s2")).isEqualTo("cancelled");
    String other = rig.api().event("r1").path("thread_id").asText();
    JsonNode reset = ask("reset", Json.write(Map.of("thread_id", other)));
    assertThat(reset.path("body").path("reset").asBoolean()).as(reset.toString()).isTrue();
    assertThat(audit("operator.thread_stop"))
        .anyMatch(entry -> entry.path("thread_id").asText().equals(thread));
    assertThat(audit("operator.thread_reset"))
        .anyMatch(entry -> entry.path("actor").asText().equals("token:operator"));

    assertThat(ask("mode", "{\"mode\": \"auto\"}").path("body").path("mode").asText())
        .isEqualTo("full");
    rig.accept("big", "large", "x".repeat(70_000)); // NATS refuses its event
    Await.until("it is a dead letter", LIMIT, () -> !letters().isEmpty());
    String letter = letters().getFirst();
    JsonNode replayed = ask("replay", Json.write(Map.of("id", letter)));
    assertThat(replayed.path("body").path("replayed").asBoolean()).as("" + replayed).isTrue();
    assertThat(audit("operator.dead_letter_replayed")).isNotEmpty();
    JsonNode unknown = ask("replay", "{\"id\": \"none\"}");
    assertThat(unknown.path("status").asInt()).isEqualTo(404);
    assertThat(unknown.path("body").path("error").path("message").asText())
        .isEqualTo("no such dead letter");
  }

  private static List<String> letters() throws Exception {
    return rig.api()
        .get("/api/v1/dead-letters?kind=bus")
        .json()
        .path("dead_letters")
        .valueStream()
        .map(letter -> letter.path("id").asText())
        .toList();
  }

  @Test
  void whoIsNoOperatorIsRefusedAndReadsNoRequests() throws Exception {
    assertThat(askAs(TALKER, "stop", "{\"thread_id\": \"a\"}").path("status").asInt())
        .isEqualTo(403);
    assertThat(askAs("wrong-token-0123456789", "mode").path("status").asInt()).isEqualTo(401);
    CompletableFuture<String> error = new CompletableFuture<>();
    ErrorListener errors =
        new ErrorListener() {
          @Override
          public void errorOccurred(Connection connection, String said) {
            boolean _ = error.complete(said);
          }
        };
    try (Connection stranger = operator(errors)) {
      Message none = stranger.request("holdfast.control.mode", new byte[0], LIMIT);
      assertThat(answer(none).path("status").asInt()).isEqualTo(401);
      Message unknown =
          stranger.request("holdfast.control.all", bearer(rig.api().token()), new byte[0], LIMIT);
      assertThat(answer(unknown).path("status").asInt()).isEqualTo(404);
      Message broken =
          stranger.request(
              "holdfast.control.mode",
              bearer(rig.api().token()),
              "{".getBytes(StandardCharsets.UTF_8),
              LIMIT);
      assertThat(answer(broken).path("status").asInt()).isEqualTo(400);
      Subscription _ = stranger.subscribe("holdfast.control.>");
      assertThat(error.get(SECONDS_MAX, TimeUnit.SECONDS))
          .contains("Permissions Violation for Subscription");
    }
    assertThat(rig.metrics().sum("holdfast_bus_control_total", "status", "403")).isPositive();
  }

  @Test
  void aRotatedTokenIsNoTokenAnyMore() throws Exception {
    assertThat(askAs(ROTATED, "mode").path("status").asInt()).isEqualTo(200);
    tokens("another-token-0123456789");
    rig.setup().write();
    Await.until("it is refused", LIMIT, () -> askAs(ROTATED, "mode").path("status").asInt() == 401);
    assertThat(askAs("another-token-0123456789", "mode").path("status").asInt()).isEqualTo(200);
  }

  @Test
  void noAnswerGoesWhereOnlyTheServerMayWrite() throws Exception {
    rig.converse("p1", "purge", "one");
    Await.until("it is published", LIMIT, () -> rig.metrics().sum("holdfast_bus_queue_depth") == 0);
    try (Connection stranger = operator(new ErrorListener() {});
        Connection holdfast = holdfast()) {
      JetStreamManagement management = holdfast.jetStreamManagement();
      long before = management.getStreamInfo("HOLDFAST").getStreamState().getMsgCount();
      for (String token : List.of("wrong-token-0123456789", rig.api().token())) {
        stranger.publish(
            NatsMessage.builder()
                .subject("holdfast.control.mode")
                .replyTo("$JS.API.STREAM.PURGE.HOLDFAST")
                .headers(bearer(token))
                .build());
      }
      Message after =
          stranger.request("holdfast.control.mode", bearer(rig.api().token()), new byte[0], LIMIT);
      assertThat(answer(after).path("status").asInt()).isEqualTo(200);
      assertThat(management.getStreamInfo("HOLDFAST").getStreamState().getMsgCount())
          .isPositive()
          .isGreaterThanOrEqualTo(before);
    }
  }

  private static Connection holdfast() throws Exception {
    return Nats.connect(
        new Options.Builder()
            .server(nats.url("holdfast", HOLDFAST_PASSWORD))
            .inboxPrefix("_INBOX.holdfast.")
            .noReconnect()
            .build());
  }

  @Test
  void itIsHeardAgainWhenNatsIsBackAndNowhereIsTheTokenKept() throws Exception {
    nats.kill9();
    nats.start();
    awaitHeard();
    String token = rig.api().token();
    assertThat(holding(nats.folder(), token)).isEmpty();
    assertThat(holding(rig.folder(), token))
        .containsExactly(rig.setup().dataDir().resolve("token"));
  }

  /** The files below a folder that hold the text. */
  private static List<Path> holding(Path folder, String text) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(
              file -> {
                try {
                  return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
                } catch (IOException _) {
                  return false; // it is gone already
                }
              })
          .toList();
    }
  }

  @Test
  void aStreamThatStoresRequestsEndsThemAndIsNamed() throws Exception {
    try (Connection holdfast = holdfast()) {
      JetStreamManagement management = holdfast.jetStreamManagement();
      StreamInfo _ =
          management.addStream(
              StreamConfiguration.builder()
                  .name("EVERYTHING")
                  .subjects("holdfast.control.*")
                  .build());
      try {
        nats.kill9();
        nats.start();
        Await.until(
            "the condition names it",
            LIMIT,
            () -> rig.api().get("/api/v1/conditions").body().contains("stream EVERYTHING"));
        HoldfastCommand.Result doctor = HoldfastCommand.run(rig.setup(), "doctor");
        assertThat(doctor.out())
            .contains("NATS control")
            .contains("stream EVERYTHING of NATS stores holdfast.control.>");
      } finally {
        try (Connection again = holdfast()) {
          assertThat(again.jetStreamManagement().deleteStream("EVERYTHING")).isTrue();
        }
      }
    }
    awaitHeard();
    assertThat(HoldfastCommand.run(rig.setup(), "doctor").out()).contains("requests can be taken");
  }
}
