package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.ServerRig;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** What one append of 1 KiB and its fsync cost: every other figure stands on this one. */
final class FsyncRow implements Row {
  @Override
  public void run(Scale scale, Report report) throws Exception {
    Histogram nanos = measure(scale.span(8));
    report.figure(
        "append 1 KiB + fsync, one writer", Report.percentiles(nanos), "is the bare limit");
    report.figure(
        "one fsync for each message would allow",
        Report.perSecond(1e9 / nanos.getMean()),
        "is the bare limit");
  }

  /** Latencies in nanoseconds, in the folder where servers under test keep their data. */
  static Histogram measure(Duration span) throws IOException {
    Path folder = ServerRig.newFolder("holdfast-fsync");
    Histogram nanos = new Histogram(3);
    byte[] block = new byte[1024];
    try (FileOutputStream file = new FileOutputStream(folder.resolve("file").toFile())) {
      long end = System.nanoTime() + span.toNanos();
      while (System.nanoTime() < end) {
        long start = System.nanoTime();
        file.write(block);
        file.getFD().sync();
        nanos.recordValue(System.nanoTime() - start);
      }
    } finally {
      ServerRig.delete(folder);
    }
    return nanos;
  }
}
