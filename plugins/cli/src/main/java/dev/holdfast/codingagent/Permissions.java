package dev.holdfast.codingagent;

import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a person has said to requests of one task, by their hashes. It holds for the same request of
 * the same task alone.
 */
record Permissions(List<String> allowed, List<String> rejected) {
  static final Permissions NONE = new Permissions(List.of(), List.of());

  /** What becomes of a request. */
  enum Verdict {
    ALLOWED,
    REJECTED,
    UNKNOWN
  }

  Permissions {
    allowed = List.copyOf(allowed);
    rejected = List.copyOf(rejected);
  }

  static Permissions read(Map<String, Object> object) {
    return new Permissions(texts(object.get("allowed")), texts(object.get("rejected")));
  }

  private static List<String> texts(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }

  Map<String, Object> written() {
    return Map.of("allowed", allowed, "rejected", rejected);
  }

  Permissions with(String hash, boolean isAllowed) {
    return isAllowed
        ? new Permissions(plus(allowed, hash), rejected)
        : new Permissions(allowed, plus(rejected, hash));
  }

  private static List<String> plus(List<String> hashes, String hash) {
    List<String> all = new ArrayList<>(hashes);
    all.add(hash);
    return all;
  }

  Verdict verdict(PermissionRequest request) {
    if (rejected.contains(request.hash())) {
      return Verdict.REJECTED;
    }
    return allowed.contains(request.hash()) ? Verdict.ALLOWED : Verdict.UNKNOWN;
  }

  /** Whether a person has said something to it. */
  boolean isAnswered(String hash) {
    return allowed.contains(hash) || rejected.contains(hash);
  }

  /** Of a member of an object. */
  static Permissions read(Map<String, Object> object, String key) {
    return read(JsonText.map(object, key));
  }
}
