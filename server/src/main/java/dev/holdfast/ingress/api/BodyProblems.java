package dev.holdfast.ingress.api;

import dev.holdfast.tools.schema.JsonSchema;
import dev.holdfast.tools.schema.SchemaRefusedException;
import dev.holdfast.tools.schema.StepsExceededException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * What is wrong with a body that the contract does not allow, in sentences with places: the
 * validator of requests names only the outermost part. Thread-safe.
 */
final class BodyProblems {
  private static final String COMPONENTS = "components";

  private final JsonObject contract;
  private final Map<String, Optional<JsonSchema>> schemas = new ConcurrentHashMap<>();

  /** {@code contract}: the document; nobody changes it. */
  BodyProblems(JsonObject contract) {
    this.contract = contract;
  }

  /** The first of them; empty when nothing more is known than that the validator refused it. */
  List<String> of(String operationId, Buffer body) {
    Optional<JsonSchema> schema = schemas.computeIfAbsent(operationId, this::schema);
    if (schema.isEmpty() || body.length() == 0) {
      return List.of();
    }
    try {
      return Json.decodeValue(body) instanceof JsonObject object
          ? schema.get().problems(object, body.length()).stream().map(BodyProblems::placed).toList()
          : List.of("the body must be a JSON object");
    } catch (DecodeException | StepsExceededException _) {
      return List.of();
    }
  }

  /** Without the pointer's prefix: what is wrong with the whole body has no place. */
  private static String placed(String problem) {
    return problem.startsWith("#/") ? problem.substring(2) : problem.replaceFirst("^#: ", "");
  }

  private Optional<JsonSchema> schema(String operationId) {
    return bodies(operationId)
        .findFirst()
        .map(
            body -> {
              Map<String, Object> document = new LinkedHashMap<>(body.getMap());
              document.put(COMPONENTS, contract.getJsonObject(COMPONENTS).getMap());
              return read(new JsonObject(document));
            });
  }

  private Stream<JsonObject> bodies(String operationId) {
    JsonObject paths = contract.getJsonObject("paths");
    return paths.fieldNames().stream()
        .map(paths::getJsonObject)
        .flatMap(path -> path.stream().map(Map.Entry::getValue))
        .filter(
            operation ->
                operation instanceof JsonObject one
                    && operationId.equals(one.getString("operationId")))
        .map(operation -> ((JsonObject) operation).getJsonObject("requestBody"))
        .filter(body -> body != null)
        .map(body -> body.getJsonObject("content").getJsonObject("application/json"))
        .filter(json -> json != null)
        .map(json -> json.getJsonObject("schema"));
  }

  private static JsonSchema read(JsonObject schema) {
    try {
      return JsonSchema.read(schema);
    } catch (SchemaRefusedException e) {
      throw new IllegalStateException("openapi.yaml has a schema that is none", e);
    }
  }
}
