package dev.holdfast.access;

import java.time.Duration;

/** What became of a code that an operator has entered. */
public sealed interface PairingVerdict {
  /** The person is answered from now on. */
  record Paired(PairedPerson paired, PendingPairing asked) implements PairingVerdict {}

  /** Nobody waits under this code, or no longer. */
  record WrongCode() implements PairingVerdict {}

  /** The code was not looked at, because too many before were wrong. */
  record TooManyGuesses(Duration retryAfter) implements PairingVerdict {}

  /** So many people are paired that one has to be revoked first. */
  record TooManyPeople(int most) implements PairingVerdict {}
}
