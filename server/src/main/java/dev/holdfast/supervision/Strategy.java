package dev.holdfast.supervision;

import java.util.Locale;

/** Who is started again when one child of a group has to be. */
public enum Strategy {
  /** That one alone. */
  ONE_FOR_ONE,

  /** All of them: they share what one of them may have left in disorder. */
  ONE_FOR_ALL,

  /** That one and those that were started after it, which build on it. */
  REST_FOR_ONE,

  /** That one alone; all are of one kind, and come and go. */
  SIMPLE_ONE_FOR_ONE;

  /** As it is written in JSON. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
