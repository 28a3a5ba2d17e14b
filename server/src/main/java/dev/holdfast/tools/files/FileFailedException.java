package dev.holdfast.tools.files;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;

/** Why something could not be done with a file; the message is one sentence for the model. */
public final class FileFailedException extends CallFailedException {
  private static final long serialVersionUID = 1L;

  /** What the caller can do about it. */
  enum Why {
    /** There is no such name. */
    MISSING,
    /** There is something of that name already. */
    EXISTS,
    /** Not within what tools may use, or not of a kind that they may use. */
    REFUSED,
    /** The two places are on different disks. */
    OTHER_DISK,
    /** Somebody else changed it meanwhile. */
    CHANGED,
    /** What was kept is not what it was. */
    DAMAGED,
    /** The system has no room or no handles now: another try may succeed. */
    PASSING
  }

  private final Why why;

  FileFailedException(Why why, String message) {
    super(failure(why, message));
    this.why = why;
  }

  public static FileFailedException refused(String message) {
    return new FileFailedException(Why.REFUSED, message);
  }

  private static Failure failure(Why why, String message) {
    return switch (why) {
      case PASSING -> Failure.of(FailureCode.IO, message);
      case DAMAGED, CHANGED, OTHER_DISK ->
          Failure.of(FailureCode.IO, message).as(FailureKind.INVALID);
      case MISSING, EXISTS, REFUSED -> Failure.of(FailureCode.INVALID_REQUEST, message);
    };
  }

  Why why() {
    return why;
  }
}
