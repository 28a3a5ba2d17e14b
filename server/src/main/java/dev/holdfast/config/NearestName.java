package dev.holdfast.config;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that somebody meant. */
public final class NearestName {
  private static final int LENGTH_MAX = 100;

  private NearestName() {}

  /** The name that is nearest to {@code wrong}, if one is near enough to be a slip of the hand. */
  public static Optional<String> nearest(String wrong, Collection<String> names) {
    if (wrong.length() > LENGTH_MAX) {
      return Optional.empty();
    }
    int allowed = Math.max(2, wrong.length() / 3);
    String best = null;
    int bestDistance = allowed + 1;
    for (String name : names) {
      int distance = distance(bare(wrong), bare(name));
      if (distance < bestDistance && distance < name.length()) {
        best = name;
        bestDistance = distance;
      }
    }
    return Optional.ofNullable(best);
  }

  /** {@code maxRounds}, {@code max-rounds} and {@code max_rounds} are the same name to a person. */
  private static String bare(String name) {
    return name.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
  }

  /** Source: V. Levenshtein, "Binary codes capable of correcting deletions ...", 1966. */
  static int distance(String one, String other) {
    int[] previous = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] current = new int[other.length() + 1];
      current[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int change = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        current[j] = Math.min(Math.min(current[j - 1], previous[j]) + 1, previous[j - 1] + change);
      }
      previous = current;
    }
    return previous[other.length()];
  }
}
