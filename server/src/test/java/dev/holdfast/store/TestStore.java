package dev.holdfast.store;

import dev.holdfast.store.engine.Connections;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Finish;
import dev.holdfast.store.messages.InboxConfig;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.store.threads.ThreadFilesConfig;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.Time;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A store on a folder, with the means to look at it and to hurt it. */
public final class TestStore implements AutoCloseable {
  public static final InboxConfig INBOX =
      new InboxConfig(1_000_000, 512, Duration.ofMillis(2), Duration.ofDays(7), 3);

  public static final ThreadFilesConfig FILES = new ThreadFilesConfig(65_536, 3);

  /** What its clock says until a test moves it. */
  public static final Instant NOW = new ManualTime().now();

  public final List<String> fatals = Collections.synchronizedList(new ArrayList<>());
  public final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  public final Path folder;
  public final Store store;

  public TestStore(Path folder) throws StartRefusedException {
    this(folder, INBOX, new ManualTime());
  }

  public TestStore(Path folder, InboxConfig inbox, Time time) throws StartRefusedException {
    this.folder = folder;
    this.store =
        Store.open(
            new StoreConfig(inbox, 0, FILES),
            folder,
            time,
            registry,
            new StoreHooks(() -> {}, (code, text) -> fatals.add(code + " " + text)));
  }

  /** A store alone, with room for long conversations. */
  public static Store open(Path folder, Time time, MeterRegistry registry)
      throws StartRefusedException {
    return Store.open(
        new StoreConfig(INBOX, 0, new ThreadFilesConfig(4_194_304, 50)),
        folder,
        time,
        registry,
        new StoreHooks(
            () -> {},
            (_, text) -> {
              throw new AssertionError(text);
            }));
  }

  public static NewEvent event(String thread, String key) {
    return event(thread, key, "{\"text\":\"hello\"}");
  }

  public static NewEvent event(String thread, String key, String payload) {
    return new NewEvent("webhook:ci", "webhook:ci:" + thread, key, payload, NOW);
  }

  public static NewReply reply(Event event, String label, boolean delivered) {
    return new NewReply(
        event.id() + "." + label,
        event.id(),
        event.source(),
        event.threadId(),
        "{}",
        event.dedupeKey(),
        "the answer",
        1,
        1,
        delivered);
  }

  public static Finish finish(Event event, EventState outcome, NewReply... replies) {
    return new Finish(
        List.of(event.seq()),
        outcome,
        outcome == EventState.ANSWERED ? "" : "because",
        List.of(replies),
        List.of(new StoryLine(event.id(), NOW, "event.finished", "{}")));
  }

  public Event append(String thread, String key) {
    return store.inbox().append(event(thread, key)).join().event();
  }

  public Event find(Event event) {
    return store.inbox().find(event.id()).orElseThrow();
  }

  public boolean equationHolds() {
    Map<String, Long> counts = store.inbox().counts();
    long accepted = counts.getOrDefault("accepted", -1L);
    return counts.values().stream().mapToLong(Long::longValue).sum() - accepted == accepted;
  }

  /** Changes the file behind the store's back. */
  public static int sql(Path folder, String sql) {
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + folder.resolve(Connections.FILE));
        Statement statement = connection.createStatement()) {
      statement.execute("pragma busy_timeout = 5000");
      return statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void await(BooleanSupplier condition) {
    TimedWait.until("the store is as the test wants it", condition);
  }

  /** Forgets what is old enough, as the watch does now and then. */
  public long purge() throws StoreException {
    return store.purge();
  }

  @Override
  public void close() {
    store.close();
  }

  /** Closes as a server does that stops cleanly. */
  public void closeCleanly() {
    store.close();
    try {
      store.markClean();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
