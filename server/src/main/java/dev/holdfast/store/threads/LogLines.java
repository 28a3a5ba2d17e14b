package dev.holdfast.store.threads;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** Lines of {@code log.jsonl}: sealed, or written before there was a seal. */
final class LogLines {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /**
   * What a line without a seal holds, and nothing besides. A sealed line has one field more, so no
   * changed byte of its seal makes it pass for such a line.
   */
  private static final Set<String> UNSEALED_FIELDS =
      Set.of("id", "at", "role", "event", "sender", "text");

  private LogLines() {}

  /** A line's JSON without its seal. {@code sealed}: whether it had one. */
  record Line(String json, boolean sealed) {}

  /** Empty when a byte of the line was changed or is missing. */
  static Optional<Line> read(byte[] line) {
    Optional<Line> sealed = ChecksummedLine.read(line).map(json -> new Line(json, true));
    return sealed.isPresent() ? sealed : unsealed(line);
  }

  static boolean hasId(String json, String id) {
    try {
      // Most lines are told apart without being parsed.
      return json.contains(id) && id.equals(JSON.readTree(json).path("id").textValue());
    } catch (JsonProcessingException _) {
      return false;
    }
  }

  private static Optional<Line> unsealed(byte[] line) {
    try {
      JsonNode node = JSON.readTree(line);
      return node instanceof ObjectNode object
              && object.size() == UNSEALED_FIELDS.size()
              && UNSEALED_FIELDS.stream().allMatch(object::has)
          ? Optional.of(new Line(object.toString(), false))
          : Optional.empty();
    } catch (JsonProcessingException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("bytes in memory are always read", e);
    }
  }
}
