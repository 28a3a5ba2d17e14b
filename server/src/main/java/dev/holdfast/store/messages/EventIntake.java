package dev.holdfast.store.messages;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Timestamps;
import dev.holdfast.store.engine.Transaction;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** Accepts events, each key once, and tells of the new ones. Thread-safe. */
final class EventIntake {
  private static final int DEDUPE_KEY_MAX = 1000;

  private final Engine engine;
  private final Admission admission;
  private final Ids ids;
  private final NumberedNames names;
  private final ThreadActivity activity;
  private final Quarantine quarantine;
  private volatile Consumer<Event> accepted = _ -> {};
  private volatile Companion companion = Companion.NONE;

  EventIntake(
      Engine engine,
      Admission admission,
      Ids ids,
      NumberedNames names,
      ThreadActivity activity,
      Quarantine quarantine) {
    this.engine = engine;
    this.admission = admission;
    this.ids = ids;
    this.names = names;
    this.activity = activity;
    this.quarantine = quarantine;
  }

  /** As {@link Inbox#append}. */
  CompletableFuture<Appended> append(NewEvent event) {
    String key = event.dedupeKey();
    if (key.isEmpty() || key.length() > DEDUPE_KEY_MAX) {
      return refused("must have from 1 to " + DEDUPE_KEY_MAX + " characters");
    }
    if (key.startsWith(NewEvent.OWN)) {
      return refused("must not begin with " + NewEvent.OWN);
    }
    Optional<StoreException> refusal = admission.check();
    if (refusal.isPresent()) {
      return CompletableFuture.failedFuture(refusal.get());
    }
    return engine.offer(tx -> insert(tx, event), this::announce);
  }

  private static CompletableFuture<Appended> refused(String why) {
    return CompletableFuture.failedFuture(
        new StoreException(Failure.of(FailureCode.INVALID_REQUEST, "the id of an event " + why)));
  }

  /** As {@link Inbox#appendWith}. */
  boolean appendWith(Inbox.Wanted wanted, NewEvent event, Inbox.Along along) throws StoreException {
    if (!event.dedupeKey().startsWith(NewEvent.OWN)) {
      throw new IllegalArgumentException("a key that a sender may use: " + event.dedupeKey());
    }
    Optional<StoreException> refusal = admission.check();
    if (refusal.isPresent()) {
      throw refusal.get();
    }
    Engine.Work<Optional<Appended>> work =
        tx -> {
          if (!wanted.in(tx)) {
            return Optional.empty();
          }
          Appended appended = insert(tx, event);
          along.with(tx, appended.event());
          return Optional.of(appended);
        };
    try {
      return engine.offer(work, made -> made.ifPresent(this::announce)).join().isPresent();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case StoreException failure -> throw new StoreException(failure.failure(), failure);
        case null, default -> throw new IllegalStateException("the store failed", e.getCause());
      }
    }
  }

  void onAccepted(Consumer<Event> listener) {
    accepted = listener;
  }

  void accompany(Companion with) {
    companion = with;
  }

  private void announce(Appended appended) {
    if (!appended.duplicate()) {
      accepted.accept(appended.event());
    }
  }

  private Appended insert(Transaction tx, NewEvent event) throws SQLException, StoreException {
    Event made =
        new Event(
            tx.counted(MessageCounters.ACCEPTED) + 1,
            ids.next(),
            event.source(),
            event.threadId(),
            event.dedupeKey(),
            event.payload(),
            Instant.ofEpochMilli(Timestamps.of(event.receivedAt())),
            EventState.PENDING,
            0,
            false,
            0);
    Optional<StoreException> refusal = refusal(tx);
    if (refusal.isPresent()) {
      Optional<Event> known = known(tx, made);
      if (known.isEmpty()) {
        throw refusal.get();
      }
      return new Appended(known.get(), true);
    }
    long thread = names.thread(tx, made.threadId());
    if (EventRows.insert(tx, made, names.source(tx, made.source()), thread)) {
      activity.touch(tx, thread, made.receivedAt());
      companion.accepted(tx, made);
      return new Appended(made, false);
    }
    // A damaged row still holds its key: its content is unknown, but it was accepted.
    return new Appended(known(tx, made).orElse(made), true);
  }

  private Optional<StoreException> refusal(Transaction tx) {
    return MessageCounters.open(tx) >= admission.pendingMax()
        ? Optional.of(admission.tooMany())
        : companion.refusal(tx);
  }

  private Optional<Event> known(Transaction tx, Event same) throws SQLException {
    return tx.sql()
        .first(EventRows::read, EventRows.BY_KEY, same.source(), same.dedupeKey())
        .flatMap(quarantine::whole);
  }
}
