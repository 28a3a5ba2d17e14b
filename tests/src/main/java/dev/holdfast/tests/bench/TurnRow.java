package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.PlatformMode;
import dev.holdfast.tests.harness.ServerRig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * What a turn costs besides the model: the embedded model answers at once, so the whole time from
 * the moment at which an event is due until its reply has come to the platform is Holdfast's own.
 */
final class TurnRow implements Row {
  private static final int WINDOW = 2_000;
  private static final String OVERHEAD = "holdfast_turn_overhead_seconds";

  @Override
  public void run(Scale scale, Report report) throws Exception {
    String fsync = "fsync " + Report.percentiles(FsyncRow.measure(Duration.ofSeconds(2)));
    try (ServerRig rig = new ServerRig(false)) {
      rig.start();
      WarmUp.until(scale, window -> flatOut(rig, window).perSecond());
      ServerTimer before = ServerTimer.read(rig.metrics(), OVERHEAD);
      Histogram nanos = atRate(rig, 200, scale.span(30));
      ServerTimer overhead = ServerTimer.read(rig.metrics(), OVERHEAD).since(before);
      report.figure("event due to reply posted, 200 turns/s", Report.percentiles(nanos), fsync);
      report.figure("the server's own overhead of these turns", overhead.figures(), fsync);
      Duration cpuBefore = Probe.cpuTime(rig.server().pid());
      Answered flatOut = flatOut(rig, scale.span(20));
      Duration cpu = Probe.cpuTime(rig.server().pid()).minus(cpuBefore);
      report.figure("turns flat out, replies posted", Report.perSecond(flatOut.perSecond()), fsync);
      report.figure(
          "the server's CPU time per turn", Report.microsEach(cpu, flatOut.count()), fsync);
    }
  }

  private static Histogram atRate(ServerRig rig, int perSecond, Duration span) {
    return atRate(rig, perSecond, List.of(span)).getFirst();
  }

  /** From the moment at which each was due until its reply had come, for each stretch of time. */
  static List<Histogram> atRate(ServerRig rig, int perSecond, List<Duration> spans) {
    Map<String, Long> postedAt = new ConcurrentHashMap<>();
    rig.platform()
        .plan(
            post -> {
              postedAt.putIfAbsent(post.inReplyTo(), System.nanoTime());
              return PlatformMode.ACCEPT;
            });
    List<Histogram> stretches = new ArrayList<>();
    try (LoadClient client = new LoadClient(rig.setup().httpPort(), 64)) {
      long start = System.nanoTime();
      Duration whole = spans.stream().reduce(Duration.ZERO, Duration::plus);
      LoadResult result = client.steady(perSecond, whole);
      Await.until(
          "all " + result.accepted() + " are answered, not " + postedAt.size(),
          Duration.ofMinutes(1),
          () -> postedAt.size() >= result.accepted());
      long number = 0;
      long end = start;
      for (Duration span : spans) {
        Histogram nanos = new Histogram(3);
        end += span.toNanos();
        for (;
            number < client.sent() && LoadClient.dueAt(start, number, perSecond) < end;
            number++) {
          Long posted = postedAt.get(client.id(number));
          if (posted != null) {
            nanos.recordValue(posted - LoadClient.dueAt(start, number, perSecond));
          }
        }
        stretches.add(nanos);
      }
    }
    return stretches;
  }

  /** Keeps a window of unanswered events and counts the replies. */
  private static Answered flatOut(ServerRig rig, Duration span) {
    AtomicLong answered = new AtomicLong();
    Semaphore window = new Semaphore(WINDOW);
    rig.platform()
        .plan(
            _ -> {
              answered.incrementAndGet();
              window.release();
              return PlatformMode.ACCEPT;
            });
    try (LoadClient client = new LoadClient(rig.setup().httpPort(), 64)) {
      long start = System.nanoTime();
      long end = start + span.toNanos();
      while (System.nanoTime() < end) {
        int free = window.drainPermits();
        if (free > 0) {
          client.send(free);
        } else {
          Await.pause(Duration.ofMillis(2));
        }
      }
      double secs = (System.nanoTime() - start) / 1e9;
      double rate = answered.get() / secs;
      Await.until(
          "the rest is answered", Duration.ofMinutes(1), () -> answered.get() >= client.sent());
      return new Answered(answered.get(), rate);
    }
  }

  /**
   * Turns of which the reply was posted.
   *
   * @param count all, also those that were answered after the end
   * @param perSecond until the end
   */
  private record Answered(long count, double perSecond) {}
}
