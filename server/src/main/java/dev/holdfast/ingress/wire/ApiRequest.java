package dev.holdfast.ingress.wire;

import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to the API that the contract has been found to allow.
 *
 * @param path parameters of the path by name, decoded
 * @param query parameters of the query by name, decoded; the first of each
 * @param body empty when none was sent, or no JSON
 * @param raw the body as it came; not to be changed
 * @param memory for the answer; taken already where the contract says that it is large
 */
@SuppressWarnings("ArrayRecordComponent") // as it came: copying a file per request helps nobody
public record ApiRequest(
    Caller caller,
    String correlationId,
    String idempotencyKey,
    Map<String, String> path,
    Map<String, String> query,
    JsonObject body,
    byte[] raw,
    AnswerBudget.Booking memory) {

  /** A parameter of the path; the contract promises that it is there. */
  public String id() {
    return path.getOrDefault("id", path.getOrDefault("name", ""));
  }

  /** The chat thread that the path names; a bare word is one of the web channel's. */
  public String threadId() {
    return threadId(id());
  }

  public static String threadId(String given) {
    return given.indexOf(':') < 0 ? "web:main:" + given : given;
  }

  /** The contract has checked that it is a number. */
  public int whole(String name, int fallback) {
    String value = query.get(name);
    return value == null ? fallback : Integer.parseInt(value);
  }

  public String text(String name, String fallback) {
    return query.getOrDefault(name, fallback);
  }

  public @Nullable String bodyText(String name) {
    return body.getValue(name) instanceof String text ? text : null;
  }
}
