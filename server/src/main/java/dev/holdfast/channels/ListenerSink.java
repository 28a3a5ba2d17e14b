package dev.holdfast.channels;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.channels.ListenerPositions.Reader;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sink of one call of {@code listen}, and what it tells of the silence since. Thread-safe. */
final class ListenerSink implements MessageSink {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerSink.class);
  private static final Backoff STORE_RETRY =
      new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
  private static final int POSITION_UNITS_MAX = 16_384;
  private static final int BOT_UNITS_MAX = 1000;

  private final String channel;
  private final String account;
  private final MessageAcceptance acceptance;
  private final ListenerPositions positions;
  private final IntConsumer onMissingPlaces;
  private final Time time;
  private volatile Reader reader;
  private long quietSince;
  private long busySince;
  private int busy;
  private @Nullable Instant receivedAt;
  private long receivingSince;
  private boolean closed;

  ListenerSink(
      Reader reader,
      MessageAcceptance acceptance,
      ListenerPositions positions,
      IntConsumer onMissingPlaces,
      Time time) {
    int colon = reader.source().indexOf(':');
    this.channel = reader.source().substring(0, colon);
    this.account = reader.source().substring(colon + 1);
    this.reader = reader;
    this.onMissingPlaces = onMissingPlaces;
    this.acceptance = acceptance;
    this.positions = positions;
    this.time = time;
    this.quietSince = time.nanos();
  }

  private String source() {
    return reader.source();
  }

  @Override
  public void accept(List<InboundMessage> messages)
      throws CallFailedException, InterruptedException {
    begin();
    try {
      @Nullable Failure refused = null;
      List<InboundMessage> left = new WebhookVerdict.Messages(messages).messages();
      for (int failures = 1; !left.isEmpty(); failures++) {
        List<CompletableFuture<?>> commits =
            left.stream().<CompletableFuture<?>>map(this::take).toList();
        List<InboundMessage> again = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
          @Nullable Failure failure = failureOf(commits.get(i));
          if (failure != null && failure.isPassing()) {
            again.add(left.get(i));
          } else if (failure != null) {
            refused = refuse(failure);
          }
        }
        left = again;
        if (!left.isEmpty()) {
          time.sleep(STORE_RETRY.after(failures));
        }
      }
      if (refused != null) {
        throw new CallFailedException(refused);
      }
    } finally {
      end();
    }
  }

  private CompletableFuture<?> take(InboundMessage message) {
    return message.account().equals(account)
        ? acceptance.take(channel, message)
        : CompletableFuture.failedFuture(
            new CallFailedException(
                Failure.of(FailureCode.INVALID_REQUEST, "the message is of another account")));
  }

  private Failure refuse(Failure failure) {
    acceptance.refused(channel);
    LOG.warn("channel {}: a message can never be accepted: {}", source(), failure.summary());
    return failure;
  }

  /** Blocks until it has completed; null when it was accepted. */
  private static @Nullable Failure failureOf(CompletableFuture<?> commit)
      throws InterruptedException {
    try {
      commit.get();
      return null;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallFailedException failed) {
        return failed.failure();
      }
      throw new IllegalStateException("the acceptance failed unexpectedly", e);
    }
  }

  @Override
  public String clicked(Click click) throws InterruptedException {
    begin();
    try {
      if (!click.account().equals(account)) {
        throw new IllegalArgumentException("the click is of another account");
      }
      for (int failures = 1; ; failures++) {
        try {
          return acceptance.clicked(channel, click);
        } catch (CallFailedException e) {
          LOG.warn("channel {}: a click is not stored yet: {}", source(), e.getMessage());
        }
        time.sleep(STORE_RETRY.after(failures));
      }
    } finally {
      end();
    }
  }

  @Override
  public void dropped(List<DropReason> reasons) {
    begin();
    try {
      acceptance.dropped(channel, new WebhookVerdict.Messages(List.of(), reasons).dropped());
    } finally {
      end();
    }
  }

  @Override
  public synchronized void received() {
    checkOpen();
    quietSince = time.nanos();
    receivingSince = receivedAt == null ? quietSince : receivingSince;
    receivedAt = time.now();
  }

  @Override
  public void listensAs(String bot) {
    if (bot.isBlank() || bot.length() > BOT_UNITS_MAX) {
      throw new IllegalArgumentException(
          "what a bot is called has from 1 to " + BOT_UNITS_MAX + " units, got " + bot.length());
    }
    begin();
    reader = new Reader(reader.source(), reader.lease(), bot);
    end();
  }

  @Override
  public void missingFrom(int places) {
    if (places < 0) {
      throw new IllegalArgumentException("it cannot be missing from " + places + " places");
    }
    begin();
    onMissingPlaces.accept(places);
    end();
  }

  @Override
  public Optional<String> position() {
    begin();
    try {
      return positions.find(reader);
    } finally {
      end();
    }
  }

  @Override
  public void savePosition(String position) throws InterruptedException {
    if (position.length() > POSITION_UNITS_MAX) {
      throw new IllegalArgumentException(
          "a position has at most " + POSITION_UNITS_MAX + " units, got " + position.length());
    }
    begin();
    try {
      for (int failures = 1; !isSaved(position); failures++) {
        time.sleep(STORE_RETRY.after(failures));
      }
    } finally {
      end();
    }
  }

  private boolean isSaved(String position) {
    try {
      positions.save(reader, position);
      return true;
    } catch (StoreException e) {
      LOG.warn("channel {}: its position is not stored yet: {}", source(), e.getMessage());
      return false;
    }
  }

  private synchronized void begin() {
    checkOpen();
    if (busy++ == 0) {
      busySince = time.nanos();
    }
  }

  /** The time in here is none in which the platform was silent. */
  private synchronized void end() {
    if (--busy == 0) {
      long now = time.nanos();
      quietSince = Math.min(now, quietSince + (now - busySince));
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the call of listen that this sink belongs to has ended");
    }
  }

  /** How long nothing was received while the channel could have received. */
  synchronized Duration silence() {
    return busy > 0 ? Duration.ZERO : Duration.ofNanos(time.nanos() - quietSince);
  }

  synchronized boolean hasReceived() {
    return receivedAt != null;
  }

  /** Whether that much time has passed since it was told of a receive for the first time. */
  synchronized boolean hasReceivedFor(Duration least) {
    return receivedAt != null && time.nanos() - receivingSince >= least.toNanos();
  }

  synchronized @Nullable Instant receivedAt() {
    return receivedAt;
  }

  synchronized void close() {
    closed = true;
  }
}
