package dev.holdfast.tools.schema;

/** A schema that cannot be used; the message is the rest of a sentence about it. */
public final class SchemaRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  SchemaRefusedException(String problem) {
    super(problem, null, false, false);
  }
}
