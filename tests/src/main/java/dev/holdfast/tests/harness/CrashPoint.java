package dev.holdfast.tests.harness;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Where a server is killed: at the {@code when}th such call that one of its threads makes. */
public record CrashPoint(String call, int when) {

  /**
   * Points of each kind of call, in turns: of each kind one, then of each kind another, because
   * most calls are of one kind. Within a kind they come in random order.
   *
   * @param busiest how often a thread makes each call
   * @param kindMax more calls of one kind are thinned out to so many, evenly
   */
  public static List<CrashPoint> of(Map<String, Integer> busiest, int kindMax, Random random) {
    List<List<CrashPoint>> kinds = new ArrayList<>();
    busiest.forEach(
        (call, count) -> {
          List<CrashPoint> kind = new ArrayList<>();
          int kept = Math.min(count, kindMax);
          for (int i = 0; i < kept; i++) {
            kind.add(new CrashPoint(call, 1 + (int) ((long) i * count / kept)));
          }
          Collections.shuffle(kind, random);
          kinds.add(kind);
        });
    List<CrashPoint> points = new ArrayList<>();
    for (int i = 0; kinds.stream().mapToInt(List::size).sum() > points.size(); i++) {
      for (List<CrashPoint> kind : kinds) {
        points.addAll(kind.subList(Math.min(i, kind.size()), Math.min(i + 1, kind.size())));
      }
    }
    return points;
  }
}
