package dev.holdfast.memory;

import java.util.Set;
import java.util.function.Supplier;

/** Those whom the server knows now; prepared anew only when they change. Thread-safe. */
final class KnownPeople implements Supplier<NamedPeople> {
  private final Supplier<Set<String>> names;
  private Set<String> known = Set.of();
  private NamedPeople people = NamedPeople.of(known);

  KnownPeople(Supplier<Set<String>> names) {
    this.names = names;
  }

  @Override
  public synchronized NamedPeople get() {
    Set<String> now = names.get();
    if (!now.equals(known)) {
      known = now;
      people = NamedPeople.of(now);
    }
    return people;
  }
}
