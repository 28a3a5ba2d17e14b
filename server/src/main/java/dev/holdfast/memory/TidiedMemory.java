package dev.holdfast.memory;

import dev.holdfast.tools.memory.MemoryPage;
import dev.holdfast.tools.memory.MemoryPage.Fact;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What comes of changes that {@link TidyRules} has nothing against.
 *
 * @param before the whole file
 * @param after the same with the changes
 * @param merged lines whose place one of them took
 * @param dropped lines that are gone
 * @param updated lines whose place a message took
 */
@SuppressWarnings("ArrayRecordComponent") // files, not to be changed
record TidiedMemory(
    byte[] before,
    byte[] after,
    int kept,
    int merged,
    int dropped,
    int updated,
    List<Proposed> proposed,
    JsonArray story) {
  TidiedMemory {
    proposed = List.copyOf(proposed);
  }

  /** A line that all chat threads should know. */
  record Proposed(Fact fact, String why, List<String> people) {}

  static TidiedMemory of(byte[] before, List<TidyChange> changes, NewTalk talk) {
    MemoryPage page = MemoryPage.of(before);
    List<Fact> facts = page.facts();
    Map<Integer, Optional<Fact>> changed = new HashMap<>();
    JsonArray story = new JsonArray();
    int merged = 0;
    int dropped = 0;
    int updated = 0;
    for (TidyChange change : changes) {
      List<Integer> lines = change.lines().stream().distinct().sorted().toList();
      List<Fact> old = lines.stream().map(line -> facts.get(line - 1)).toList();
      Optional<Fact> placed =
          switch (change.kind()) {
            case MERGE -> Optional.of(fact(newest(old), change.text(), old));
            case UPDATE -> Optional.of(update(change, talk, old));
            case DROP, PROPOSE -> Optional.empty();
          };
      switch (change.kind()) {
        case MERGE -> merged += lines.size();
        case DROP -> dropped += lines.size();
        case UPDATE -> updated += lines.size();
        case PROPOSE -> {}
      }
      if (change.kind() != TidyChange.Kind.PROPOSE) {
        lines.forEach(line -> changed.put(line - 1, Optional.empty()));
        placed.ifPresent(fact -> changed.put(lines.getLast() - 1, Optional.of(fact)));
      }
      story.add(told(change, old, placed, facts, talk));
    }
    List<Proposed> proposed =
        changes.stream()
            .filter(change -> change.kind() == TidyChange.Kind.PROPOSE)
            .filter(change -> !changed.containsKey(change.lines().getFirst() - 1))
            .map(
                change ->
                    new Proposed(
                        facts.get(change.lines().getFirst() - 1), change.why(), change.people()))
            .toList();
    return new TidiedMemory(
        before,
        page.with(changed),
        facts.size() - changed.size(),
        merged,
        dropped,
        updated,
        proposed,
        story);
  }

  private static LocalDate newest(List<Fact> facts) {
    return facts.stream().map(Fact::day).max(Comparator.naturalOrder()).orElseThrow();
  }

  private static Fact update(TidyChange change, NewTalk talk, List<Fact> old) {
    NewTalk.Said message = talk.find(change.message()).orElseThrow();
    return fact(message.day(), message.line(change.text()), old);
  }

  /** With every mark: a call that runs again must find its line. */
  private static Fact fact(LocalDate day, String text, List<Fact> old) {
    String marks =
        old.stream()
            .flatMap(fact -> Arrays.stream(fact.marks().strip().split("(?<=-->) ", -1)))
            .distinct()
            .map(mark -> " " + mark)
            .collect(Collectors.joining());
    return new Fact(day, text.strip(), marks);
  }

  private static JsonObject told(
      TidyChange change, List<Fact> old, Optional<Fact> placed, List<Fact> facts, NewTalk talk) {
    JsonArray lines = new JsonArray();
    old.forEach(fact -> lines.add(shown(fact)));
    JsonObject told =
        new JsonObject()
            .put("do", change.kind().label())
            .put("lines", lines)
            .put("text", placed.map(TidiedMemory::shown).orElse(""))
            .put("why", change.why())
            .put("because", "");
    if (change.line() > 0) {
      told.put("because", shown(facts.get(change.line() - 1)));
    } else {
      talk.find(change.message())
          .ifPresent(
              said ->
                  told.put("because", said.day() + " " + said.sender() + ": " + said.text())
                      .put("event_id", said.eventId()));
    }
    return told;
  }

  private static String shown(Fact fact) {
    return fact.day() + ": " + fact.text();
  }

  boolean isChanged() {
    return !Arrays.equals(before, after);
  }
}
