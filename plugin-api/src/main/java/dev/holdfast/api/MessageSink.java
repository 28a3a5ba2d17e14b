package dev.holdfast.api;

import java.util.List;
import java.util.Optional;

/**
 * Where {@link ChannelAdapter#listen} brings what it received. Good for that one call of it, and
 * for every thread until the call has ended; later each method throws an IllegalStateException.
 */
public interface MessageSink {
  /** One message; as {@link #accept(List)}. */
  default void accept(InboundMessage message) throws CallFailedException, InterruptedException {
    accept(List.of(message));
  }

  /**
   * Takes messages in as a webhook does: a known {@code dedupeKey} is counted and ignored. Returns
   * when all are on disk: only then may the platform be told that they have arrived. While the
   * server takes no messages it blocks and tries again, however long that lasts; many at once cost
   * as much as one.
   *
   * @param messages at most 1,000
   * @throws CallFailedException when one of them can never be taken, because it exceeds the limits
   *     of {@link InboundMessage} or its account is another one; all others are on disk. To offer
   *     it again would not help: the channel catches this, goes on as if it had been taken, and
   *     tells the sender if it can. One that lets it end {@link ChannelAdapter#listen} gets the
   *     same message from its platform again and again
   * @throws IllegalArgumentException when there are more than 1,000; none of them is taken
   * @throws InterruptedException when the thread is interrupted; whether they are on disk is then
   *     unknown, so they are to be offered again
   */
  void accept(List<InboundMessage> messages) throws CallFailedException, InterruptedException;

  /**
   * Hands over a click on a {@link Choice}. Returns when what it decides is on disk, or when it
   * decides nothing; to offer it again does no harm. While the server takes none, it blocks and
   * tries again.
   *
   * @return what to tell the person who clicked, and nobody else
   */
  String clicked(Click click) throws InterruptedException;

  /** Counts messages that the filter of the channel has dropped, at most 1,000 at once. */
  void dropped(List<DropReason> reasons);

  /**
   * Says that a receive has completed: a poll that was answered, also with nothing, or a frame of
   * the platform that proves that messages would come. Nothing else keeps the server from taking
   * the connection for dead after {@link ListenSpec#silenceMax}; time spent in this object does not
   * count.
   */
  void received();

  /**
   * Says who listens: what the platform calls the bot, which stays when its token is renewed. To be
   * called before {@link #position}. Without it, a position belongs to the token it was saved with.
   *
   * @param bot not blank, at most 1,000 UTF-16 units; no secret
   */
  default void listensAs(String bot) {}

  /**
   * Says in how many of the places that the configuration of the account names the bot is not, so
   * that it hears nothing there: while it is any, a condition tells so by the account's name, and
   * {@link ChannelAdapter#check} is to name them. It holds until the next call, also when that is
   * made in a later call of {@link ChannelAdapter#listen}.
   *
   * @param places zero or more
   */
  default void missingFrom(int places) {}

  /**
   * What was saved last, in this run of the server or an earlier one, by the same bot with whatever
   * token, or with the same token where nobody said whose it is; empty when nothing was.
   */
  Optional<String> position();

  /**
   * Keeps an offset or a resume token for the next start. Blocks until it is on disk, also while
   * the server takes no messages. To be called after {@link #accept} has returned for all that
   * comes before the position: a crash between the two brings messages again, which are then known,
   * and loses none.
   *
   * @param position at most 16,384 UTF-16 units
   */
  void savePosition(String position) throws InterruptedException;
}
