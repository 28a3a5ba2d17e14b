package dev.holdfast.config;

/** A value that is never shown. Empty when it was not given. */
public record Secret(String reveal) {
  public boolean isEmpty() {
    return reveal.isEmpty();
  }

  @Override
  public String toString() {
    return reveal.isEmpty() ? "" : "***";
  }
}
