package dev.holdfast.resilience;

import java.time.Instant;

/** A wait that a dependency has asked for and that holds back every call to it. */
public record HoldView(String name, Instant until) {}
