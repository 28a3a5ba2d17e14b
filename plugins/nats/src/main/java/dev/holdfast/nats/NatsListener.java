package dev.holdfast.nats;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.MessageSink;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages of one account in, one by one: NATS has no more than one of them outside, so that
 * none overtakes another, whatever is killed. {@link #keep} may be called by any thread.
 */
final class NatsListener {
  /** By then whoever has stopped may be back. */
  static final Duration NAK_DELAY = Duration.ofSeconds(1);

  private final NatsAccount account;
  private final MessageReader reader;
  private final ReplySubjects replies;
  private final System.Logger logger;
  private volatile @Nullable StreamDelivery waiting;

  NatsListener(NatsAccount account, ReplySubjects replies, System.Logger logger) {
    this.account = account;
    this.reader = new MessageReader(account);
    this.replies = replies;
    this.logger = logger;
  }

  /** Goes on until something fails; then it is to be called again with another source. */
  void run(DeliverySource source, MessageSink sink)
      throws CallFailedException, InterruptedException {
    while (true) {
      Optional<StreamDelivery> delivery = source.next();
      sink.received();
      if (delivery.isPresent()) {
        take(delivery.get(), sink);
      }
    }
  }

  /** Tells NATS that the message which the server has not taken yet is not forgotten. */
  void keep() {
    @Nullable StreamDelivery now = waiting;
    if (now != null) {
      now.inProgress();
    }
  }

  private void take(StreamDelivery delivery, MessageSink sink)
      throws CallFailedException, InterruptedException {
    switch (reader.read(delivery.message())) {
      case MessageReading.Unreadable(DropReason reason, String why) ->
          drop(delivery, sink, reason, why);
      case MessageReading.Question question -> offer(question, delivery, sink);
    }
  }

  private void drop(StreamDelivery delivery, MessageSink sink, DropReason reason, String why) {
    logger.log(
        Level.WARNING,
        "account {0}: message {1} of stream {2} is dropped: {3}",
        account.name(),
        Long.toString(delivery.message().sequence()),
        account.stream(),
        why);
    sink.dropped(List.of(reason));
    delivery.term();
  }

  private void offer(MessageReading.Question question, StreamDelivery delivery, MessageSink sink)
      throws CallFailedException, InterruptedException {
    boolean isTaken = false;
    waiting = delivery;
    try {
      replies.put(question.message().dedupeKey(), question.replySubject());
      sink.accept(question.message());
      isTaken = true;
      delivery.ack();
    } catch (CallFailedException e) {
      isTaken = true; // it would come again and again
      drop(delivery, sink, DropReason.UNREADABLE, e.failure().message());
    } catch (IOException e) {
      throw new CallFailedException(
          Failure.of(FailureCode.IO, "the file of reply subjects cannot be written"), e);
    } finally {
      waiting = null;
      if (!isTaken) {
        delivery.nak(NAK_DELAY);
      }
    }
  }
}
