package dev.holdfast.store.messages;

import dev.holdfast.store.engine.Statements;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What has become of the events that were accepted between two moments, counted in the tables.
 *
 * @param states how many of them are in which state
 * @param threads how many chat threads they are from
 * @param answeredTwice how many of them have more than one reply that ended them
 * @param openReplies how many of their replies are not finished
 * @param resent how many of their replies were sent again after one that may have arrived
 * @param told what was told while the events stayed open
 */
public record EventFates(
    Map<EventState, Long> states,
    long threads,
    long answeredTwice,
    long openReplies,
    long resent,
    List<Told> told) {
  private static final int SENTENCES_MAX = 20;

  private static final String RANGE = "e.seq > ? and e.seq <= ?";

  public EventFates {
    states = Map.copyOf(states);
    told = List.copyOf(told);
  }

  /**
   * A sentence that was told while its event stayed open.
   *
   * @param times in all
   * @param threads in how many chat threads
   */
  public record Told(String sentence, long times, long threads) {}

  public long accepted() {
    return states.values().stream().mapToLong(count -> count).sum();
  }

  public long in(EventState state) {
    return states.getOrDefault(state, 0L);
  }

  public long open() {
    return states.entrySet().stream()
        .filter(entry -> entry.getKey().isOpen())
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  static EventFates read(Statements sql, MessageMark after, MessageMark upTo) throws SQLException {
    long first = after.event();
    long last = upTo.event();
    Map<EventState, Long> states = new EnumMap<>(EventState.class);
    sql.list(
            row -> Map.entry(EventState.of(row.getInt(1)), row.getLong(2)),
            "select e.state, count(*) from events e where " + RANGE + " group by e.state",
            first,
            last)
        .forEach(entry -> entry.getKey().ifPresent(state -> states.put(state, entry.getValue())));
    return new EventFates(
        states,
        count(sql, "select count(distinct e.thread) from events e where " + RANGE, first, last),
        count(
            sql,
            "select count(*) from (select r.event_id from events e join replies r on r.event_id ="
                + " e.id where "
                + RANGE
                + " and r.ends = 1 and r.part = 1 group by r.event_id having count(*) > 1)",
            first,
            last),
        count(sql, repliesWhere("r." + ReplyState.OPEN), first, last),
        count(sql, repliesWhere("(r.resent = 1 or r.state = 6)"), first, last),
        told(sql, after, upTo));
  }

  private static String repliesWhere(String condition) {
    return "select count(*) from events e join replies r on r.event_id = e.id where "
        + RANGE
        + " and "
        + condition;
  }

  /** Of all events, also older ones that wait: what was planned between the two. */
  private static List<Told> told(Statements sql, MessageMark after, MessageMark upTo)
      throws SQLException {
    return sql.list(
        row -> new Told(String.valueOf(row.getString(1)), row.getLong(2), row.getLong(3)),
        "select r.text, count(*), count(distinct r.thread) from replies r where r.seq > ? and"
            + " r.seq <= ? and r.ends = 0 and r.id like r.event_id || '.n%' group by r.text order"
            + " by 2 desc limit ?",
        after.reply(),
        upTo.reply(),
        SENTENCES_MAX);
  }

  private static long count(Statements sql, String query, long first, long last)
      throws SQLException {
    return sql.first(row -> row.getLong(1), query, first, last).orElse(0L);
  }
}
