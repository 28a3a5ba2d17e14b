package dev.holdfast.tests.bench;

import org.HdrHistogram.Histogram;

/**
 * What came of a load.
 *
 * @param latency of the accepted ones, in nanoseconds
 */
record LoadResult(long accepted, long refused, long failed, double perSecond, Histogram latency) {
  /** A short word on what was not accepted; empty when all was. */
  String trouble() {
    return refused + failed == 0 ? "" : " (" + refused + " refused, " + failed + " failed)";
  }
}
