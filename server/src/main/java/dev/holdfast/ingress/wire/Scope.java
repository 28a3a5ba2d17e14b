package dev.holdfast.ingress.wire;

/** What a token may do; each includes the ones before it. */
public enum Scope {
  READ,
  CHAT,
  ADMIN;

  /** Whether whoever has this scope may do what {@code needed} asks for. */
  public boolean covers(Scope needed) {
    return compareTo(needed) >= 0;
  }
}
