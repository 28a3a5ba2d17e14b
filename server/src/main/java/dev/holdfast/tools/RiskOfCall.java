package dev.holdfast.tools;

import dev.holdfast.api.Risk;

/** A tool of our own whose calls differ in what they can do. */
public interface RiskOfCall {
  /**
   * At most {@link dev.holdfast.api.Tool#risk}. Answers from memory.
   *
   * @param argumentsJson a JSON object, which may not fit the schema
   */
  Risk risk(String argumentsJson);
}
