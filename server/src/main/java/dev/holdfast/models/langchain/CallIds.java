package dev.holdfast.models.langchain;

import java.util.UUID;

/** Ids for tool calls of providers that give none. */
final class CallIds {
  private static final String MADE = "hf_";

  private CallIds() {}

  static String make() {
    return MADE + UUID.randomUUID().toString().replace("-", "");
  }

  static boolean isMade(String id) {
    return id.startsWith(MADE);
  }
}
