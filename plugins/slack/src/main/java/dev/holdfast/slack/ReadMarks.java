package dev.holdfast.slack;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.kit.JsonText;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Up to where the conversations of one account were read: channels that something was said in, and
 * threads that the app has posted in. With it, what was said while nobody listened can be asked
 * for. At most 200, those that were written in last. Thread-safe.
 */
final class ReadMarks {
  static final int MARKS_MAX = 200;

  /** A saved position has at most 16,384. */
  private static final int UNITS_MAX = 16_000;

  private static final String MARKS = "marks";
  private static final String HEARD = "heard";

  private final LinkedHashMap<String, String> marks = new LinkedHashMap<>(16, 0.75f, true);
  private Instant heardAt = Instant.EPOCH;

  /** What is to be asked for still. */
  private final List<Mark> missing = new ArrayList<>();

  private int absences;

  /**
   * Up to which message a channel or a thread was read.
   *
   * @param absence which one it is asked for: what was read before a later one is not all there is
   */
  record Mark(SlackPlace place, String ts, int absence) {}

  private static String later(String ts, String other) {
    return isAfter(ts, other) ? ts : other;
  }

  static boolean isAfter(String ts, String other) {
    return new BigDecimal(ts).compareTo(new BigDecimal(other)) > 0;
  }

  /**
   * Takes what an earlier run has saved, unless this one knows more.
   *
   * @param position as {@link #position} has given it; anything else is as nothing
   */
  synchronized void load(String position) {
    if (!heardAt.equals(Instant.EPOCH)) {
      return;
    }
    try {
      Map<String, Object> saved = JsonText.object(position);
      Map<String, Object> places = JsonText.map(saved, MARKS);
      for (String place : places.keySet()) {
        String ts = JsonText.text(places, place);
        if (SlackEventReader.isTs(ts)) {
          put(place, ts);
        }
      }
      heardAt = Instant.ofEpochMilli(JsonText.whole(saved, HEARD, 0));
    } catch (IllegalArgumentException _) {
      heardAt = Instant.EPOCH;
    }
  }

  /** What is to be saved; empty while what was missed is being asked for, and without anything. */
  synchronized Optional<String> position() {
    if (!missing.isEmpty() || heardAt.equals(Instant.EPOCH)) {
      return Optional.empty();
    }
    while (true) {
      String position = JsonText.write(Map.of(HEARD, heardAt.toEpochMilli(), MARKS, marks));
      if (position.length() <= UNITS_MAX) {
        return Optional.of(position);
      }
      marks.pollFirstEntry();
    }
  }

  /** A message is on disk. */
  synchronized void committed(InboundMessage message) {
    SlackPlace place = SlackPlace.ofThread(message.thread());
    Optional<String> ts = SlackEventReader.writtenAt(message.dedupeKey(), place.channel());
    if (ts.isPresent()) {
      put(place.channel(), ts.get());
      marks.computeIfPresent(place.thread(), (_, before) -> later(before, ts.get()));
    }
  }

  /** The app has posted: what is said there from now on may be for it. */
  synchronized void posted(SlackPlace place, String ts) {
    // What was said before the post may not have come yet: it moves no mark.
    put(place.thread(), marks.getOrDefault(place.thread(), ts));
  }

  private void put(String place, String ts) {
    marks.merge(place, ts, ReadMarks::later);
    if (marks.size() > MARKS_MAX) {
      marks.pollFirstEntry();
    }
  }

  /**
   * Something came from Slack. After a long absence, what was said meanwhile is to be asked for: to
   * be called before a message that came is {@link #committed}.
   */
  synchronized void heard(Instant at) {
    missIfAway(at);
    heardAt = at;
  }

  /** When something came last, in an earlier run too; the epoch when nothing ever did. */
  synchronized Instant heardAt() {
    return heardAt;
  }

  /** What was said up to now is to be asked for, unless something was heard a short while ago. */
  synchronized void missIfAway(Instant now) {
    if (Duration.between(heardAt, now).compareTo(MissedMessages.GAP_LEAST) < 0) {
      return;
    }
    absences++;
    Map<String, String> from = new LinkedHashMap<>(marks);
    missing.forEach(mark -> from.put(mark.place().thread(), mark.ts())); // not read up to later yet
    missing.clear();
    from.forEach((place, ts) -> missing.add(new Mark(SlackPlace.ofThread(place), ts, absences)));
    missing.sort(Comparator.comparing((Mark mark) -> new BigDecimal(mark.ts())).reversed());
    if (missing.size() > MARKS_MAX) {
      missing.subList(MARKS_MAX, missing.size()).clear();
    }
  }

  /**
   * From where on it is to be asked for, where something was said last first. There is no position
   * to save until all of it is there: a crash before that begins again.
   */
  synchronized List<Mark> missing() {
    return List.copyOf(missing);
  }

  /** What was said since the mark is on disk, or cannot be asked for. */
  synchronized void filled(Mark mark) {
    missing.remove(mark);
  }
}
