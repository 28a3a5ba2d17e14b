package dev.holdfast.models.langchain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import org.jspecify.annotations.Nullable;

/** The parts of an answer that a provider wants back unchanged: an array of its own blocks. */
final class Opaque {
  private Opaque() {}

  /** Null when there are none, or when they cannot be read. */
  static @Nullable ArrayNode blocks(String opaque) {
    if (opaque.isEmpty()) {
      return null;
    }
    try {
      return Messages.JSON.readTree(opaque) instanceof ArrayNode blocks && !blocks.isEmpty() ? blocks : null;
    } catch (JsonProcessingException _) {
      return null;
    }
  }
}
