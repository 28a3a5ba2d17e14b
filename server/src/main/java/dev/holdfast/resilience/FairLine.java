package dev.holdfast.resilience;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A line in which those who wait are served in turns: the accounts take turns, the senders of an
 * account take turns when it is its turn, and so on; within one sender the first comes first. So
 * whoever sends thousands delays another one by one place, not by thousands. Not thread-safe.
 */
public final class FairLine<T> {
  /** What stands at the very end of a path has a place of its own among the longer paths. */
  private static final String ITSELF = "";

  private final Branch<T> root = new Branch<>();
  private int size;

  /** Either has branches, or is the end of a path and has waiting ones. */
  private static final class Branch<T> {
    private final SequencedMap<String, Branch<T>> branches = new LinkedHashMap<>();
    private final Deque<T> waiting = new ArrayDeque<>();

    private Branch<T> at(String name) {
      return branches.computeIfAbsent(name, _ -> new Branch<>());
    }

    private boolean isEmpty() {
      return branches.isEmpty() && waiting.isEmpty();
    }

    /** There is one. */
    private T first() {
      return waiting.isEmpty() ? branches.firstEntry().getValue().first() : waiting.getFirst();
    }

    /** There is one. What it was taken from goes to the end. */
    private T take() {
      if (!waiting.isEmpty()) {
        return waiting.removeFirst();
      }
      Map.Entry<String, Branch<T>> next = branches.pollFirstEntry();
      T taken = next.getValue().take();
      if (!next.getValue().isEmpty()) {
        branches.putLast(next.getKey(), next.getValue());
      }
      return taken;
    }
  }

  public void add(FlowKey flow, T one) {
    Branch<T> end = root;
    for (String name : flow.path()) {
      end = end.at(name);
    }
    end.at(ITSELF).waiting.addLast(one);
    size++;
  }

  /** Who is served next; empty when nobody waits. */
  public Optional<T> first() {
    return root.isEmpty() ? Optional.empty() : Optional.of(root.first());
  }

  /** Takes {@link #first} out. */
  public Optional<T> poll() {
    if (root.isEmpty()) {
      return Optional.empty();
    }
    size--;
    return Optional.of(root.take());
  }

  /** Takes one out that gives up. False when it is not in the line any more. */
  public boolean remove(FlowKey flow, T one) {
    boolean removed = remove(root, flow, 0, one);
    size -= removed ? 1 : 0;
    return removed;
  }

  private static <T> boolean remove(Branch<T> from, FlowKey flow, int depth, T one) {
    if (depth > flow.path().size()) {
      return from.waiting.remove(one);
    }
    String name = depth < flow.path().size() ? flow.path().get(depth) : ITSELF;
    Branch<T> next = from.branches.get(name);
    if (next == null || !remove(next, flow, depth + 1, one)) {
      return false;
    }
    if (next.isEmpty()) {
      from.branches.remove(name);
    }
    return true;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** How many wait. */
  public int size() {
    return size;
  }
}
