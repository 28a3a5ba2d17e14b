package dev.holdfast.health;

/** How a named part of the server is. Texts are for operators and hold no secret. */
public sealed interface CheckState {
  record Ok() implements CheckState {}

  /** It does less than it should, and the server is ready all the same. */
  record Degraded(String reason) implements CheckState {}

  /** The server is not ready because of it. */
  record Down(String reason) implements CheckState {}

  static CheckState ok() {
    return new Ok();
  }

  static CheckState degraded(String reason) {
    return new Degraded(reason);
  }

  static CheckState down(String reason) {
    return new Down(reason);
  }
}
