package dev.holdfast.extensions;

import dev.holdfast.api.ReplayClass;
import io.vertx.core.json.JsonObject;

/** What a server says about the effects of one of its tools; it may say anything. */
record ToolHints(Hint readOnly, Hint destructive, Hint idempotent) {
  static final ToolHints NONE = new ToolHints(Hint.UNSAID, Hint.UNSAID, Hint.UNSAID);

  private static final String READ_ONLY = "readOnlyHint";
  private static final String DESTRUCTIVE = "destructiveHint";
  private static final String IDEMPOTENT = "idempotentHint";

  /** One thing that it may say. */
  enum Hint {
    YES,
    NO,
    UNSAID;

    private static Hint of(Object value) {
      return value instanceof Boolean said ? said ? YES : NO : UNSAID;
    }

    private void put(JsonObject annotations, String name) {
      if (this != UNSAID) {
        annotations.put(name, this == YES);
      }
    }
  }

  static ToolHints of(Object annotations) {
    return annotations instanceof JsonObject said
        ? new ToolHints(
            Hint.of(said.getValue(READ_ONLY)),
            Hint.of(said.getValue(DESTRUCTIVE)),
            Hint.of(said.getValue(IDEMPOTENT)))
        : NONE;
  }

  JsonObject toJson() {
    JsonObject annotations = new JsonObject();
    readOnly.put(annotations, READ_ONLY);
    destructive.put(annotations, DESTRUCTIVE);
    idempotent.put(annotations, IDEMPOTENT);
    return annotations;
  }

  /** What may happen to a call that was cut off, if all of this is true. */
  ReplayClass believed() {
    if (readOnly == Hint.YES) {
      return ReplayClass.READ;
    }
    return idempotent == Hint.YES ? ReplayClass.IDEMPOTENT : ReplayClass.UNSAFE;
  }

  /** What an operator declared, or less where the server itself says that this is too much. */
  ReplayClass narrowed(ReplayClass declared) {
    return switch (declared) {
      case READ -> isWrite() ? believed() : declared;
      case IDEMPOTENT ->
          idempotent == Hint.NO && readOnly != Hint.YES ? ReplayClass.UNSAFE : declared;
      case KEYED, UNSAFE -> declared;
    };
  }

  private boolean isWrite() {
    return readOnly == Hint.NO || (destructive == Hint.YES && readOnly != Hint.YES);
  }
}
