package dev.holdfast.health;

import com.sun.management.OperatingSystemMXBean;
import dev.holdfast.time.Time;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back the memory that a load took: the serial collector returns pages in a full collection
 * only, and an idle server would wait for one for hours.
 */
public final class IdleHeap {
  static final Duration QUIET = Duration.ofSeconds(20);

  /** The part of a processor that a quiet server may use. */
  private static final int BUSY_SHARE = 20;

  private static final Logger LOG = LoggerFactory.getLogger(IdleHeap.class);

  private final Time time;
  private final Jvm jvm;
  private long givenBackAt;

  /**
   * What this reads and does.
   *
   * @param cpuNanos used by the process since its start
   * @param committedBytes that the heap holds
   * @param collect gives back what is free
   */
  record Jvm(LongSupplier cpuNanos, LongSupplier committedBytes, Runnable collect) {}

  IdleHeap(Time time, Jvm jvm) {
    this.time = time;
    this.jvm = jvm;
  }

  /**
   * That of this process.
   *
   * @param more gives back what is not on the heap
   */
  public static IdleHeap ofThisProcess(Time time, Runnable more) {
    OperatingSystemMXBean machine =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new IdleHeap(
        time,
        new Jvm(
            machine::getProcessCpuTime,
            () -> Runtime.getRuntime().totalMemory(),
            () -> {
              System.gc();
              more.run();
            }));
  }

  /** Returns when its thread is interrupted. */
  public void run() throws InterruptedException {
    long cpuBefore = jvm.cpuNanos().getAsLong();
    while (true) {
      time.sleep(QUIET);
      long cpu = jvm.cpuNanos().getAsLong();
      long committed = jvm.committedBytes().getAsLong();
      if (cpu - cpuBefore < QUIET.toNanos() / BUSY_SHARE && committed > givenBackAt) {
        jvm.collect().run();
        givenBackAt = jvm.committedBytes().getAsLong();
        LOG.debug("memory: the heap holds {} bytes after a quiet time", givenBackAt);
      }
      cpuBefore = cpu;
    }
  }
}
