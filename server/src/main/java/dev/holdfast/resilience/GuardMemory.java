package dev.holdfast.resilience;

import java.util.Optional;

/** Where guards keep what they must know after a restart. Thread-safe; no method blocks. */
public interface GuardMemory {
  /** What was kept last for the guard of that name, also by an earlier process. */
  Optional<GuardState> recall(String name);

  void keep(String name, GuardState state);

  /** Drops what was kept for the guard of that name. */
  void forget(String name);

  /** For guards that need not know anything after a restart. */
  static GuardMemory none() {
    return new GuardMemory() {
      @Override
      public Optional<GuardState> recall(String name) {
        return Optional.empty();
      }

      @Override
      public void keep(String name, GuardState state) {
        // nobody will ask
      }

      @Override
      public void forget(String name) {
        // nothing was kept
      }
    };
  }
}
