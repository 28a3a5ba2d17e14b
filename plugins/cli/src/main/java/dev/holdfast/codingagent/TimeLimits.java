package dev.holdfast.codingagent;

import java.time.Duration;

/**
 * How long a program may take.
 *
 * @param idle without a word
 * @param total in all
 */
record TimeLimits(Duration idle, Duration total) {}
