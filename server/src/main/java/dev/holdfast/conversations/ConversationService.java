package dev.holdfast.conversations;

import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.bus.News;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.models.Models;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.ThreadLabels;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whole conversations, whatever is said in them. Thread-safe; what changes something blocks. */
public final class ConversationService {
  private static final Logger LOG = LoggerFactory.getLogger(ConversationService.class);

  /** A turn that has just ended leaves its agent busy for a moment. */
  private static final Duration BUSY_MAX = Duration.ofSeconds(2);

  private static final Duration BUSY_LOOK = Duration.ofMillis(50);

  private final Store store;
  private final Orchestrator orchestrator;
  private final News news;
  private final Time time;
  private final MessageIndex index;
  private final ConversationReader reader;
  private final TitleWriter titles;

  private ConversationService(
      Store store,
      Orchestrator orchestrator,
      Models models,
      Supplier<RemoteUse> remote,
      Supplier<ConversationsConfig> config,
      News news,
      Time time) {
    this.store = store;
    this.orchestrator = orchestrator;
    this.news = news;
    this.time = time;
    index = new MessageIndex(store.engine());
    titles = new TitleWriter(store, models, remote, this::changed);
    reader = new ConversationReader(store, index, config, this::changed, titles::wanted, time);
    store.threads().onLogged(reader::grew);
  }

  /** Brings its tables up to date, and ends the deletions that the last run began. */
  public static ConversationService open(
      Store store,
      Orchestrator orchestrator,
      Models models,
      Supplier<RemoteUse> remote,
      Supplier<ConversationsConfig> config,
      News news,
      Time time)
      throws StartRefusedException, StoreException {
    store.engine().bring(MessageIndex.TABLES);
    ConversationService conversations =
        new ConversationService(store, orchestrator, models, remote, config, news, time);
    for (String threadId : store.threadErasure().unfinished()) {
      conversations.finish(threadId);
    }
    return conversations;
  }

  /** Keeps the index up to date until it is interrupted. */
  public void index() throws InterruptedException {
    reader.run();
  }

  /** Asks models for titles until it is interrupted. */
  public void writeTitles() throws InterruptedException {
    titles.run();
  }

  /** As {@link ConversationExport#read}. */
  public ConversationExport export(String threadId) throws IOException {
    return ConversationExport.read(store, threadId, time.now());
  }

  public MessageIndex messages() {
    return index;
  }

  /** How many of some conversations have something that cannot be found yet. */
  public int unread(Predicate<String> ofThread) {
    return reader.waiting(ofThread);
  }

  /** Makes the index anew from the logs, in the background. */
  public void rebuildIndex() throws StoreException {
    reader.rebuild();
  }

  /**
   * Gives a conversation a title that stays. Durable on return.
   *
   * @param title on one line, not empty, as {@link ThreadLabels#titleOf} makes it
   */
  public void rename(String threadId, String title) throws StoreException {
    boolean _ = store.threadLabels().title(threadId, title, ThreadLabels.TitledBy.PERSON);
    changed(threadId);
  }

  /** Puts a conversation away until its next message, or brings it back. Durable on return. */
  public void archive(String threadId, boolean archived) throws StoreException {
    store.threadLabels().archive(threadId, archived, time.now());
    changed(threadId);
  }

  /** How a deletion went. */
  public sealed interface Deletion {
    record Done() implements Deletion {}

    /** Nothing was changed. */
    record Refused(String why) implements Deletion {}
  }

  /**
   * Deletes what was said in a conversation: its log, its context, its files, its replies and
   * stories, its wake-ups and approvals. From the moment of its first commit nobody finds it, and
   * what a crash cuts off is done at the next start. The bare events stay as long as their keys are
   * remembered; usage and the audit stay. A new message begins it anew.
   */
  public Deletion delete(String threadId) throws StoreException, InterruptedException {
    Box box = new Box();
    long end = time.nanos() + BUSY_MAX.toNanos();
    while (!orchestrator.whileInactive(threadId, () -> box.run(threadId))) {
      if (time.nanos() - end > 0) {
        return new Deletion.Refused("something of it is running: stop it first");
      }
      time.sleep(BUSY_LOOK);
    }
    if (box.failure.isPresent()) {
      throw box.failure.get();
    }
    if (box.refusal.isPresent()) {
      return new Deletion.Refused(box.refusal.get());
    }
    news.publish("thread.deleted", threadId, "", "{}");
    return new Deletion.Done();
  }

  /** What one deletion came to. */
  private final class Box {
    private Optional<String> refusal = Optional.empty();
    private Optional<StoreException> failure = Optional.empty();

    void run(String threadId) {
      try {
        refusal = store.threadErasure().begin(threadId);
        if (refusal.isEmpty()) {
          finish(threadId);
        }
      } catch (StoreException e) {
        failure = Optional.of(e);
      }
    }
  }

  /** What the disk refuses is done at the next start. */
  private void finish(String threadId) throws StoreException {
    store.threadOwners().share(threadId, false); // whoever begins it anew has not shared it
    news.erase(threadId);
    store.threadErasure().erase(threadId, InboundPayload::withoutWords);
    try {
      store.threads().erase(threadId);
    } catch (IOException e) {
      LOG.error(
          "conversations: files of {} are left, tried again at the next start: {}",
          threadId,
          e.getMessage());
      return;
    }
    reader.forget(threadId);
    store.threadErasure().end(threadId);
  }

  private void changed(String threadId) {
    news.publish("thread.changed", threadId, "", "{}");
  }
}
