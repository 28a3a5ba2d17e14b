package dev.holdfast.agentkit;

import java.util.Map;

/**
 * What came of an action.
 *
 * @param data what whoever asked for it is told
 * @param metadata about how it was done
 */
public record ActionResult(Map<String, Object> data, Map<String, Object> metadata) {
  public static ActionResult of(Map<String, Object> data) {
    return new ActionResult(data, Map.of());
  }
}
