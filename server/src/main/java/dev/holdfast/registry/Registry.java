package dev.holdfast.registry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Values by name that come and go while they are used. Readers see a snapshot and never wait;
 * whoever calls one of the values holds a {@link Use} of it meanwhile. Thread-safe.
 */
public final class Registry<T> {
  private final String kind;
  private final Consumer<String> onGone;
  private final Object changes = new Object();
  private volatile Map<String, Entry> entries = Map.of();

  /**
   * @param kind what is registered, for the sentences that refuse it
   * @param onGone hears a name when the last call has ended and nothing else has the name; it is
   *     called under the lock of all changes and must return at once
   */
  public Registry(String kind, Consumer<String> onGone) {
    this.kind = kind;
    this.onGone = onGone;
  }

  /**
   * @param value made when the name is known to be free, under the lock of all changes: no foreign
   *     code belongs in it
   */
  public Registration add(String name, Supplier<T> value) throws RegistrationRefusedException {
    return add(name, value, Set.of());
  }

  /**
   * As {@link #add(String, Supplier)}, but takes the place of one of {@code replaceable} if that
   * has the name: between the two nobody finds the name free. That one is removed; its calls go on.
   */
  public Registration add(String name, Supplier<T> value, Set<Registration> replaceable)
      throws RegistrationRefusedException {
    @Nullable Entry replaced;
    Entry entry;
    synchronized (changes) {
      replaced = entries.get(name);
      if (replaced != null && !replaceable.contains(replaced)) {
        throw new RegistrationRefusedException(new Refusal.NameTaken(kind, name));
      }
      entry = new Entry(name, value.get());
      Map<String, Entry> changed = new TreeMap<>(entries);
      changed.put(name, entry);
      entries = changed;
    }
    if (replaced != null) {
      replaced.replaced();
    }
    return entry;
  }

  public Optional<T> find(String name) {
    return Optional.ofNullable(entries.get(name)).map(entry -> entry.value);
  }

  /** In the order of their names. */
  public List<T> all() {
    return entries.values().stream().map(entry -> entry.value).toList();
  }

  public Set<String> names() {
    return entries.keySet();
  }

  /** Begins a call; empty when nothing has that name. To be closed when the call has ended. */
  public Optional<Use<T>> begin(String name) {
    @Nullable Entry entry = entries.get(name);
    while (entry != null && !entry.begin()) {
      synchronized (changes) {
        entry = entries.get(name); // it was being removed: another one may have its place
      }
    }
    return Optional.ofNullable(entry).map(begun -> new Use<>(begun.value, begun));
  }

  /** What a use tells its registry. */
  interface Running {
    void beginAnother();

    void end();

    boolean isRemoved();
  }

  private final class Entry implements Registration, Running {
    private final String name;
    private final T value;
    private final CountDownLatch gone = new CountDownLatch(1);
    private int running;
    private boolean removed;

    Entry(String name, T value) {
      this.name = name;
      this.value = value;
    }

    synchronized boolean begin() {
      if (removed) {
        return false;
      }
      running++;
      return true;
    }

    @Override
    public synchronized void beginAnother() {
      running++;
    }

    @Override
    public void end() {
      boolean isLast;
      synchronized (this) {
        running--;
        isLast = removed && running == 0;
      }
      if (isLast) {
        isGone();
      }
    }

    @Override
    public synchronized boolean isRemoved() {
      return removed;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void remove() {
      boolean isLast;
      synchronized (changes) {
        synchronized (this) {
          if (removed) {
            return;
          }
          removed = true;
          isLast = running == 0;
        }
        Map<String, Entry> changed = new TreeMap<>(entries);
        changed.remove(name, this);
        entries = changed;
      }
      if (isLast) {
        isGone();
      }
    }

    /** Another one has its place already. */
    private void replaced() {
      boolean isLast;
      synchronized (this) {
        isLast = !removed && running == 0;
        removed = true;
      }
      if (isLast) {
        isGone();
      }
    }

    private void isGone() {
      synchronized (changes) {
        if (!entries.containsKey(name)) {
          onGone.accept(name);
        }
      }
      gone.countDown();
    }

    @Override
    public boolean awaitEnd(Duration limit) throws InterruptedException {
      return gone.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }
  }
}
