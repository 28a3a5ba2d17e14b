package dev.holdfast.matrix;

import dev.holdfast.kit.JsonText;
import java.util.List;
import java.util.Map;

/** What of the rooms a homeserver is to send. */
final class SyncFilter {
  /** How many of the newest events of a room come at once; the others are fetched page by page. */
  private static final List<Integer> LIMITS = List.of(50, 5, 1);

  private static final Map<String, Object> NOTHING = Map.of("not_types", List.of("*"));

  private SyncFilter() {}

  /** How many filters there are, each with less than the one before. */
  static int steps() {
    return LIMITS.size();
  }

  /** {@code step}: from 0. */
  static String usual(int step) {
    return filter(
        Map.of("types", List.of("m.room.member"), "lazy_load_members", true),
        Map.of(
            "types",
            MatrixEventReader.TYPES,
            "limit",
            LIMITS.get(step),
            "lazy_load_members",
            true));
  }

  /** For an account that is new here: invitations, and a place to begin. */
  static String first() {
    return filter(NOTHING, Map.of("types", List.of("m.room.create"), "limit", 1));
  }

  /** For a look at whether it works: no room at all. */
  static String none() {
    return JsonText.write(
        Map.of("presence", NOTHING, "account_data", NOTHING, "room", Map.of("rooms", List.of())));
  }

  /** For a page of the history of a room. */
  static String page() {
    return JsonText.write(Map.of("types", MatrixEventReader.TYPES, "lazy_load_members", true));
  }

  private static String filter(Map<String, Object> state, Map<String, Object> timeline) {
    return JsonText.write(
        Map.of(
            "presence",
            NOTHING,
            "account_data",
            NOTHING,
            "room",
            Map.of(
                "ephemeral",
                NOTHING,
                "account_data",
                NOTHING,
                "state",
                state,
                "timeline",
                timeline)));
  }
}
