package dev.holdfast.tools.schema;

import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * A schema that was judged and can be used. Formats and contents of texts are not checked, nor are
 * patterns that are too large or go beyond RE2 (lookaround, backreferences). Immutable.
 */
public final class JsonSchema {
  /** How deep the objects and arrays of a schema may be nested. */
  public static final int NESTING_MAX = 200;

  private final SchemaNode root;
  private final boolean tracksEvaluated;

  JsonSchema(SchemaNode root, boolean tracksEvaluated) {
    this.root = root;
    this.tracksEvaluated = tracksEvaluated;
  }

  /**
   * @throws SchemaRefusedException when it is malformed, refers to another document or to nothing,
   *     is nested too deep, comes back to itself at the same value, or takes too many steps
   */
  public static JsonSchema read(JsonObject schema) throws SchemaRefusedException {
    return new SchemaReader(schema.getMap()).read();
  }

  /**
   * What is wrong with a value, as sentences with places; the first of them only. Takes steps in
   * proportion to the length, and a constant number that is enough for common schemas.
   *
   * @param length of the value as text
   * @throws StepsExceededException when that is not enough
   */
  public List<String> problems(JsonObject value, int length) {
    Evaluation evaluation = new Evaluation(length, tracksEvaluated);
    evaluation.check(root, value.getMap());
    return evaluation.problems();
  }
}
