package dev.holdfast.resilience;

import java.util.List;
import java.util.function.Consumer;

/** The guards by name, each made when it is first asked for. Thread-safe. */
public final class Guards {
  Guards() {}

  public Guard guard(String name) {
    throw new UnsupportedOperationException(name);
  }

  /** Sorted by name. */
  public List<BreakerView> breakers() {
    throw new UnsupportedOperationException();
  }

  /** Opens by hand; false when there is no such breaker. */
  public boolean trip(String name) {
    throw new UnsupportedOperationException(name);
  }

  /** Closes by hand; false when there is no such breaker. */
  public boolean reset(String name) {
    throw new UnsupportedOperationException(name);
  }

  /** Hears each change of a breaker's state, outside of any lock. */
  public void onChange(Consumer<BreakerView> listener) {
    throw new UnsupportedOperationException();
  }
}
