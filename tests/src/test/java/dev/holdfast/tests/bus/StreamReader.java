package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.ServerRig;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Reads what was published by a client of others. */
final class StreamReader implements AutoCloseable {
  private static final long SECONDS_MAX = 90;

  private final Path folder = Npm.folderWith("nats@2.29.3");
  private final NatsServer nats;
  private final Validator schema;
  private String credentials = "";

  /**
   * What the stream holds of one event.
   *
   * @param id the {@code Nats-Msg-Id}
   */
  record Published(long seq, String subject, String id, JsonNode event) {}

  StreamReader(NatsServer nats) throws Exception {
    this.nats = nats;
    schema =
        Validator.create(
            JsonSchema.of(new JsonObject(Files.readString(Path.of("../docs/bus.schema.json")))),
            new JsonSchemaOptions()
                .setDraft(Draft.DRAFT202012)
                .setBaseUri("urn:holdfast")
                .setOutputFormat(OutputFormat.Basic));
    assertThat(schema.validate(new JsonObject()).getValid()).isFalse();
    try (InputStream in = StreamReader.class.getResourceAsStream("/bus/events.mjs")) {
      Files.write(folder.resolve("events.mjs"), in.readAllBytes());
    }
  }

  /** Reads with this credentials file from now on. */
  void readWith(Path file) {
    credentials = file.toString();
  }

  List<Published> all() throws Exception {
    return all(nats.url());
  }

  /** The same of another server, or as another user. */
  List<Published> all(String url) throws Exception {
    Path out = folder.resolve("out.log");
    Path errors = folder.resolve("errors.log");
    Process process =
        new ProcessBuilder("node", "events.mjs", url, credentials)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile())
            .start();
    boolean hasEnded = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(hasEnded).as(Files.readString(errors)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    return Files.readAllLines(out).stream().map(this::published).toList();
  }

  /** Each is as its schema says. */
  private Published published(String line) {
    JsonNode one = Json.read(line);
    OutputUnit verdict = schema.validate(new JsonObject(one.path("event").toString()));
    assertThat(verdict.getValid()).as("%s: %s", line, verdict.getErrors()).isTrue();
    return new Published(
        one.path("seq").asLong(),
        one.path("subject").asText(),
        one.path("id").asText(),
        one.path("event"));
  }

  /**
   * The events of a type, the first arrival of each, in their order; that a later one is of the
   * same id is allowed.
   */
  static Map<String, List<JsonNode>> firsts(List<Published> all, String type) {
    Map<String, List<JsonNode>> bySubject = new HashMap<>();
    Set<String> ids = new HashSet<>();
    for (Published one : all) {
      assertThat(one.id()).isEqualTo(one.event().path("id").asText());
      if (one.event().path("type").asText().equals(type) && ids.add(one.id())) {
        bySubject.computeIfAbsent(one.subject(), _ -> new ArrayList<>()).add(one.event());
      }
    }
    return bySubject;
  }

  @Override
  public void close() {
    ServerRig.delete(folder);
  }
}
