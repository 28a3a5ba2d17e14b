package dev.holdfast.health;

import java.util.List;

/**
 * A part of the server that knows whether it is well. Asked twice a second by one thread at a time:
 * it answers from memory and never blocks, for all others wait behind it.
 */
@FunctionalInterface
public interface ConditionSource {
  /** What is not well now; empty when all is. One that throws is a condition itself. */
  List<ConditionReport> report();
}
