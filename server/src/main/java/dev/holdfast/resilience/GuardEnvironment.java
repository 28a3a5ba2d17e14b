package dev.holdfast.resilience;

import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.util.function.DoubleSupplier;

/** What every guard is given from outside. {@code random}: from 0 (inclusive) to 1 (exclusive). */
record GuardEnvironment(
    GuardMemory memory, Time time, DoubleSupplier random, MeterRegistry registry, Vertx vertx) {}
