package dev.holdfast.bus;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What the architecture forbids to this package: so the rules are seen to find it. */
@SuppressWarnings({"JavaUtilDate", "UnusedMethod"})
public final class ForbiddenCalls {
  private ForbiddenCalls() {}

  static void awaitsAFuture(Supplier<? extends Future<?>> future) {
    future.get().await();
  }

  static Object aPromise() {
    return Promise.promise();
  }

  static List<Object> clocks() {
    LongSupplier byReference = System::currentTimeMillis;
    return List.of(
        byReference,
        System.nanoTime(),
        Instant.now(Clock.systemUTC()),
        ZonedDateTime.now(ZoneOffset.UTC),
        new Date(),
        new Date(0));
  }

  static void sleeps() throws InterruptedException {
    Thread.sleep(1, 1);
    TimeUnit.SECONDS.sleep(1);
    LockSupport.parkNanos(1);
  }
}
