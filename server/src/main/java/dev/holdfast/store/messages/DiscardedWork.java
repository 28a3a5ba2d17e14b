package dev.holdfast.store.messages;

import dev.holdfast.store.engine.StoreException;
import java.util.List;

/** How many messages and replies were open and are dead letters now. */
public record DiscardedWork(int messages, int replies) {
  private static final int PAGE = 500;

  /**
   * Gives up all that is open, for an operator to replay what is wanted after all. No turn may run
   * meanwhile. Cut off in between, it can be called again. Blocks.
   *
   * @param why for the dead letters
   */
  public static DiscardedWork of(Inbox inbox, Outbox outbox, String why) throws StoreException {
    return new DiscardedWork(messages(inbox, why), replies(outbox, why));
  }

  private static int messages(Inbox inbox, String why) throws StoreException {
    int discarded = 0;
    List<Event> page = inbox.open(0, PAGE);
    while (!page.isEmpty()) {
      List<Long> seqs = page.stream().map(Event::seq).toList();
      discarded +=
          inbox
              .finish(new Finish(seqs, EventState.DEAD_LETTERED, why, List.of(), List.of()))
              .size();
      page = inbox.open(seqs.getLast(), PAGE);
    }
    return discarded;
  }

  private static int replies(Outbox outbox, String why) throws StoreException {
    int discarded = 0;
    List<Reply> page = outbox.open(0, PAGE);
    while (!page.isEmpty()) {
      for (Reply reply : page) {
        outbox.held(reply.seq(), why);
        discarded++;
      }
      page = outbox.open(page.getLast().seq(), PAGE);
    }
    return discarded;
  }
}
