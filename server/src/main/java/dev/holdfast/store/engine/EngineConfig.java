package dev.holdfast.store.engine;

import java.time.Duration;

/**
 * How changes are gathered, and when the disk counts as full.
 *
 * @param commitEventsMax the most changes that share one fsync
 * @param commitWaitMax how long a commit waits for more, when many are likely to come
 * @param freeBytesMin below this much free disk nothing new should be begun
 */
public record EngineConfig(int commitEventsMax, Duration commitWaitMax, long freeBytesMin) {}
