package dev.holdfast.models.langchain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** The parts of an answer that a provider wants back unchanged: an array of its own blocks. */
final class OpaqueBlocks {
  private OpaqueBlocks() {}

  /** Empty when there are none, or when they cannot be read. */
  static ArrayNode blocks(String opaque) {
    try {
      if (!opaque.isEmpty()
          && LangchainMessages.JSON.readTree(opaque) instanceof ArrayNode blocks) {
        return blocks;
      }
    } catch (JsonProcessingException _) {
      // Then the answer goes back without them.
    }
    return LangchainMessages.JSON.createArrayNode();
  }
}
