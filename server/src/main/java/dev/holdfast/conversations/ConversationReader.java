package dev.holdfast.conversations;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.conversations.ConversationsConfig.Titles;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.ChatThreads;
import dev.holdfast.store.messages.ThreadLabels;
import dev.holdfast.store.messages.ThreadLabels.TitledBy;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.store.threads.LogPage;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what was said from the conversations' logs into the index, and gives each conversation a
 * title from its first message. A log that has grown is read soon; at a start all that differ from
 * when they were read last. Thread-safe.
 */
final class ConversationReader {
  private static final Logger LOG = LoggerFactory.getLogger(ConversationReader.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Beyond so many, all conversations are looked through instead. */
  private static final int GROWN_MAX = 20_000;

  private static final int THREADS_PER_PAGE = 500;
  private static final int LINES_PER_PAGE = 200;
  private static final long UNITS_PER_PAGE = 1024 * 1024;

  /** So much is written in one commit: others wait for it. */
  private static final int UNITS_PER_COMMIT = 64 * 1024;

  /** Of one message; what comes behind is not found. */
  private static final int UNITS_PER_MESSAGE = 32 * 1024;

  /** Before logs that have grown are read, each once: an answer often follows its message. */
  private static final Duration GATHERING = Duration.ofMillis(200);

  /** Turns come first: after each log, so many times as long as reading it took. */
  private static final int REST_FACTOR = 2;

  private static final Duration REST_AFTER_FAILURE = Duration.ofSeconds(30);

  private final Store store;
  private final MessageIndex index;
  private final Supplier<ConversationsConfig> config;
  private final Consumer<String> titled;
  private final Consumer<String> answered;
  private final Time time;
  private final Object lock = new Object();
  private final Set<String> grown = new LinkedHashSet<>();

  /** Those that had grown when this round began and are not read yet. */
  private final SequencedSet<String> round = new LinkedHashSet<>();

  private boolean all = true;

  /** Held while a log is read into the index. */
  private final ReentrantLock reading = new ReentrantLock();

  /**
   * @param titled hears of threads that got a title
   * @param answered hears of threads that may get a better title from a model
   */
  ConversationReader(
      Store store,
      MessageIndex index,
      Supplier<ConversationsConfig> config,
      Consumer<String> titled,
      Consumer<String> answered,
      Time time) {
    this.store = store;
    this.index = index;
    this.config = config;
    this.titled = titled;
    this.answered = answered;
    this.time = time;
  }

  /** There is more in the log of this thread. Returns at once. */
  void grew(String threadId) {
    synchronized (lock) {
      if (round.contains(threadId)) {
        return;
      }
      if (grown.size() < GROWN_MAX) {
        boolean _ = grown.add(threadId);
      } else {
        all = true;
      }
      lock.notifyAll();
    }
  }

  /** Forgets everything, then reads it again. Not while a log is read: its length would be kept. */
  void rebuild() throws StoreException {
    reading.lock();
    try {
      index.clear();
    } finally {
      reading.unlock();
    }
    readAll();
  }

  /** Reads everything again. Returns at once. */
  private void readAll() {
    synchronized (lock) {
      all = true;
      lock.notifyAll();
    }
  }

  /** How many of some conversations have something that is not in the index yet. */
  int waiting(Predicate<String> ofThread) {
    synchronized (lock) {
      return (int) Stream.concat(round.stream(), grown.stream()).filter(ofThread).count()
          + (all ? 1 : 0);
    }
  }

  /** Until it is interrupted. */
  void run() throws InterruptedException {
    while (true) {
      String next = next();
      long before = time.nanos();
      boolean done = read(next);
      long took = time.nanos() - before;
      time.sleep(done ? Duration.ofNanos(took * REST_FACTOR) : REST_AFTER_FAILURE);
      if (!done) {
        grew(next);
      }
    }
  }

  private String next() throws InterruptedException {
    while (true) {
      boolean look;
      synchronized (lock) {
        if (!round.isEmpty()) {
          return round.removeFirst();
        }
        while (grown.isEmpty() && !all) {
          lock.wait();
        }
        look = all;
        all = false;
      }
      if (look) {
        lookThrough();
      }
      time.sleep(GATHERING);
      synchronized (lock) {
        boolean _ = round.addAll(grown);
        grown.clear();
      }
    }
  }

  private void lookThrough() throws InterruptedException {
    String place = "";
    do {
      List<ChatThreads.ThreadRow> page =
          store.chatThreads().list(ThreadReader.OPERATOR, place, THREADS_PER_PAGE);
      for (ChatThreads.ThreadRow row : page) {
        while (!read(row.threadId())) {
          time.sleep(REST_AFTER_FAILURE);
        }
      }
      place = page.size() < THREADS_PER_PAGE ? "" : page.getLast().place();
    } while (!place.isEmpty());
  }

  /**
   * Reads what is new in the log of a thread. False when the disk refuses; then it is tried again.
   */
  private boolean read(String threadId) {
    reading.lock();
    try {
      long bytes = store.threads().of(threadId).logBytes();
      if (bytes != index.bytesRead(threadId)) {
        readNew(threadId);
        index.setBytesRead(threadId, bytes);
      }
      return true;
    } catch (IOException | StoreException e) {
      LOG.warn("conversations: {} cannot be indexed now: {}", threadId, e.getMessage());
      return false;
    } finally {
      reading.unlock();
    }
  }

  private void readNew(String threadId) throws IOException, StoreException {
    String before = "";
    Optional<MessageIndex.Said> first = Optional.empty();
    boolean isAnswered = false;
    boolean more = true;
    while (more) {
      LogPage page = new LogPage(LINES_PER_PAGE, UNITS_PER_PAGE, before);
      List<String> lines = store.threads().of(threadId).readLog(page);
      List<MessageIndex.Said> said = new ArrayList<>();
      lines.forEach(line -> said(line).ifPresent(said::add));
      boolean anyNew = add(threadId, said);
      isAnswered |= said.stream().anyMatch(entry -> entry.role().equals("assistant"));
      // The pages go back in time: the last one has the first message.
      Optional<MessageIndex.Said> firstHere =
          said.stream().filter(entry -> entry.role().equals("user")).findFirst();
      first = firstHere.isPresent() ? firstHere : first;
      more = anyNew && page.isFull(lines) && !said.isEmpty();
      before = more ? said.getFirst().entry() : "";
    }
    if (first.isPresent() && store.threadLabels().find(threadId).isEmpty()) {
      String title = ThreadLabels.titleOf(first.get().text());
      if (!title.isEmpty() && store.threadLabels().title(threadId, title, TitledBy.MESSAGE)) {
        titled.accept(threadId);
      }
    }
    if (isAnswered && config.get().titles() == Titles.MODEL) {
      answered.accept(threadId);
    }
  }

  /** Returns whether anything was new. */
  private boolean add(String threadId, List<MessageIndex.Said> said) throws StoreException {
    int added = 0;
    int units = 0;
    List<MessageIndex.Said> batch = new ArrayList<>();
    for (MessageIndex.Said entry : said) {
      if (units + entry.text().length() > UNITS_PER_COMMIT && !batch.isEmpty()) {
        added += index.add(threadId, batch);
        batch.clear();
        units = 0;
      }
      batch.add(entry);
      units += entry.text().length();
    }
    return added + index.add(threadId, batch) > 0;
  }

  /** What people and models said; notices are not searched for. */
  private static Optional<MessageIndex.Said> said(String line) {
    try {
      JsonNode entry = JSON.readTree(line);
      String role = entry.path("role").asText();
      String text = entry.path("text").asText();
      if (entry.path("id").asText().isEmpty()
          || !(role.equals("user") || role.equals("assistant"))) {
        return Optional.empty();
      }
      return Optional.of(
          new MessageIndex.Said(
              entry.path("id").asText(),
              entry.path("event").asText(),
              role,
              Instant.parse(entry.path("at").asText()),
              text.substring(0, Math.min(text.length(), UNITS_PER_MESSAGE))));
    } catch (JsonProcessingException | DateTimeException _) {
      return Optional.empty(); // a damaged line
    }
  }

  /** Takes a thread's words out of the index; what is read of it from now on is found again. */
  void forget(String threadId) throws StoreException {
    reading.lock();
    try {
      index.forget(threadId);
    } finally {
      reading.unlock();
    }
  }
}
