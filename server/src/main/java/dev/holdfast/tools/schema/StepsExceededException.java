package dev.holdfast.tools.schema;

/** A check was given up: it would have taken more steps than one may. */
public final class StepsExceededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StepsExceededException() {
    super("too many steps", null, false, false);
  }
}
