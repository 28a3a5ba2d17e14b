package dev.holdfast.api.channels;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides which verified messages of one account become events. What it drops belongs into {@link
 * dev.holdfast.api.WebhookVerdict.Messages#dropped} or {@link
 * dev.holdfast.api.MessageSink#dropped}, where it is counted. Thread-safe.
 */
public final class InboundFilter {
  private static final String EVERYBODY = "*";
  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int THREADS_MAX = 10_000;

  private final Set<String> allow;
  private final Set<String> own;
  private final int botMessagesMax;
  private final LongSupplier nanos;

  /** When bots wrote within the last minute, by thread; of the most recent threads. */
  private final LinkedHashMap<String, ArrayDeque<Long>> botMessages =
      new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param allow the platform's stable ids of those who are answered; {@code *} stands for
   *     everybody, and an empty set for nobody
   * @param own the platform's ids of the account itself, so that it never answers its own posts
   * @param botMessagesMax how many messages of bots are let through per minute and thread
   * @param nanos a clock that only goes forward, as {@link dev.holdfast.api.PluginContext#nanos}
   */
  public InboundFilter(Set<String> allow, Set<String> own, int botMessagesMax, LongSupplier nanos) {
    if (botMessagesMax < 0) {
      throw new IllegalArgumentException("botMessagesMax is negative: " + botMessagesMax);
    }
    this.allow = Set.copyOf(allow);
    this.own = Set.copyOf(own);
    this.botMessagesMax = botMessagesMax;
    this.nanos = nanos;
  }

  /**
   * Why the message is dropped; empty when it is not.
   *
   * @param fromBot whether the platform says that its sender is a program
   */
  public Optional<DropReason> judge(InboundMessage message, boolean fromBot) {
    if (own.contains(message.sender())) {
      return Optional.of(DropReason.OWN_ECHO);
    }
    if (!allow.contains(EVERYBODY) && !allow.contains(message.sender())) {
      return Optional.of(DropReason.NOT_ALLOWED);
    }
    if (message.text().isBlank() && message.attachments().isEmpty()) {
      return Optional.of(DropReason.EMPTY);
    }
    return fromBot && isLoop(message.thread()) ? Optional.of(DropReason.LOOP) : Optional.empty();
  }

  private synchronized boolean isLoop(String thread) {
    long now = nanos.getAsLong();
    ArrayDeque<Long> times = botMessages.computeIfAbsent(thread, _ -> new ArrayDeque<>());
    while (!times.isEmpty() && now - times.getFirst() >= MINUTE_NANOS) {
      times.removeFirst();
    }
    if (botMessages.size() > THREADS_MAX) {
      botMessages.pollFirstEntry();
    }
    if (times.size() >= botMessagesMax) {
      return true;
    }
    times.addLast(now);
    return false;
  }
}
