package dev.holdfast.supervision;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureKind;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Why a child has crashed, as far as that says what helps. */
public enum CrashKind {
  /** What it was asked is at fault. */
  INVALID,

  /** It may pass: the disk, a connection. */
  TRANSIENT,

  /** Its state is in disorder, or its program is wrong. */
  FATAL,

  /** It will not pass without a person. */
  PERMANENT,

  /** It has crashed before it did anything. */
  FAILED_START,

  /** It was told to stop. */
  KILLED,

  UNKNOWN;

  static CrashKind of(Throwable crash) {
    return switch (crash) {
      case CallFailedException failed -> of(failed.failure());
      case IOException _, UncheckedIOException _ -> TRANSIENT;
      case LinkageError _ -> UNKNOWN;
      case RuntimeException _, InterruptedException _, AssertionError _, StackOverflowError _ ->
          FATAL;
      default -> UNKNOWN;
    };
  }

  private static CrashKind of(Failure failure) {
    return of(failure.kind());
  }

  static CrashKind of(FailureKind kind) {
    return switch (kind) {
      case TRANSIENT -> TRANSIENT;
      case INVALID -> INVALID;
      case PERMANENT -> PERMANENT;
      case FATAL -> FATAL;
    };
  }
}
