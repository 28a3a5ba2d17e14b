package dev.holdfast;

import dev.holdfast.bus.Bus;
import dev.holdfast.bus.BusEvent;
import dev.holdfast.bus.News;
import dev.holdfast.bus.NewsItem;
import dev.holdfast.bus.Subjects;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.Transaction;
import dev.holdfast.store.messages.Companion;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.Ids;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyState;
import dev.holdfast.tasks.ledger.MoveJournal;
import dev.holdfast.tasks.ledger.PlanMoved;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What the bus publishes of what happens here. Types and fields are listed in docs/bus.md, with a
 * schema each.
 */
final class PublishedEvents implements Companion, MoveJournal {
  /** News that programs outside hear of; the others are for pages that are open. */
  private static final Set<String> TOLD =
      Set.of(
          "condition.changed",
          "mode.changed",
          "incident.opened",
          "incident.resolved",
          "approval.asked",
          "approval.decided",
          "execution.rolled_back",
          "thread.deleted");

  private final Bus bus;
  private final Engine engine;
  private final Time time;
  private final Ids ids;

  PublishedEvents(Bus bus, Engine engine, Time time) {
    this.bus = bus;
    this.engine = engine;
    this.time = time;
    ids = new Ids(time);
  }

  @Override
  public Optional<StoreException> refusal(Transaction tx) {
    return bus.refusal(tx);
  }

  @Override
  public void accepted(Transaction tx, Event event) throws SQLException {
    String channel = channel(event.source());
    bus.record(
        tx,
        new BusEvent(
            event.id(),
            Subjects.inbound(channel, event.threadId()),
            "holdfast.message.accepted",
            event.threadId(),
            event.receivedAt(),
            with(
                new JsonObject()
                    .put("event_id", event.id())
                    .put("channel", channel)
                    .put("account", event.source().substring(channel.length() + 1))
                    .put("thread_id", event.threadId())
                    .put("dedupe_key", event.dedupeKey()),
                event.payload())));
  }

  /** A message may be a megabyte: it is not read, nor written anew. */
  private static String with(JsonObject facts, String message) {
    String head = facts.encode();
    return head.substring(0, head.length() - 1) + ",\"message\":" + message + "}";
  }

  @Override
  public void sent(Transaction tx, Reply sent) throws SQLException {
    NewReply reply = sent.reply();
    String channel = channel(reply.source());
    bus.record(
        tx,
        new BusEvent(
            reply.id() + ".sent", // not the id of a post, which may be in the same stream
            Subjects.outbound(channel),
            "holdfast.reply.sent",
            reply.threadId(),
            time.now(),
            new JsonObject()
                .put("reply_id", reply.id())
                .put("event_id", reply.eventId())
                .put("channel", channel)
                .put("account", reply.source().substring(channel.length() + 1))
                .put("thread_id", reply.threadId())
                .put("in_reply_to", reply.inReplyTo())
                .put("text", reply.text())
                .put("part", reply.part())
                .put("parts", reply.parts())
                .put("may_be_double", sent.state() == ReplyState.RESENT)
                .encode()));
  }

  @Override
  public void write(Transaction tx, PlanMoved move) throws SQLException {
    boolean isTask = !move.taskId().isEmpty();
    JsonObject data =
        new JsonObject()
            .put("plan_id", move.planId())
            .put("state", move.to().toLowerCase(Locale.ROOT));
    if (isTask) {
      data.put("task_id", move.taskId()).put("step", move.step()).put("agent", move.agent());
    }
    bus.record(
        tx,
        new BusEvent(
            ids.next(),
            isTask ? Subjects.tasks(move.agent()) : Subjects.events("plan.moved"),
            isTask ? "holdfast.task.moved" : "holdfast.plan.moved",
            move.threadId(),
            time.now(),
            data.encode()));
  }

  /** What else happens is written as soon as it is told. */
  void follow(News news) {
    News.Watch _ = news.watch(this::tell, () -> {});
  }

  private void tell(NewsItem item) {
    if (!TOLD.contains(item.kind())) {
      return;
    }
    BusEvent event =
        new BusEvent(
            ids.next(),
            Subjects.events(item.kind()),
            "holdfast." + item.kind(),
            item.threadId(),
            time.now(),
            item.json());
    engine.later(
        tx -> {
          bus.record(tx, event);
          return event;
        });
  }

  private static String channel(String source) {
    int colon = source.indexOf(':');
    return colon < 0 ? source : source.substring(0, colon);
  }
}
