package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Metrics;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a timer of the server with buckets has counted, since its start or between two looks.
 *
 * @param below by upper bound in seconds: how many took no longer
 * @param secs all of them together
 */
record ServerTimer(NavigableMap<Double, Double> below, double count, double secs) {
  /** {@code name}: without {@code _bucket}. */
  static ServerTimer read(Metrics metrics, String name) throws IOException {
    Pattern line =
        Pattern.compile(
            "^" + name + "_bucket\\{[^}]*le=\"([^\"]+)\"[^}]*} (\\S+)", Pattern.MULTILINE);
    Matcher matcher = line.matcher(metrics.text());
    NavigableMap<Double, Double> below = new TreeMap<>();
    while (matcher.find()) {
      double bound =
          matcher.group(1).equals("+Inf")
              ? Double.POSITIVE_INFINITY
              : Double.parseDouble(matcher.group(1));
      below.merge(bound, Double.parseDouble(matcher.group(2)), Double::sum);
    }
    return new ServerTimer(below, metrics.sum(name + "_count"), metrics.sum(name + "_sum"));
  }

  ServerTimer since(ServerTimer before) {
    NavigableMap<Double, Double> fresh = new TreeMap<>();
    below.forEach((bound, many) -> fresh.put(bound, many - before.below.getOrDefault(bound, 0.0)));
    return new ServerTimer(fresh, count - before.count, secs - before.secs);
  }

  double meanMillis() {
    return count == 0 ? 0 : 1000 * secs / count;
  }

  /** Where the value lies within its bucket is guessed, as Prometheus does. */
  double millisAt(double percentile) {
    double rank = count * percentile / 100;
    double lowerBound = 0;
    double lowerCount = 0;
    for (Map.Entry<Double, Double> bucket : below.entrySet()) {
      double many = bucket.getValue();
      if (many >= rank && many > lowerCount) {
        double width = Double.isInfinite(bucket.getKey()) ? 0 : bucket.getKey() - lowerBound;
        return 1000 * (lowerBound + width * (rank - lowerCount) / (many - lowerCount));
      }
      lowerBound = bucket.getKey();
      lowerCount = many;
    }
    return 1000 * lowerBound;
  }

  String figures() {
    return String.format(
        Locale.ROOT, "mean %.2f p50 %.2f p99 %.2f ms", meanMillis(), millisAt(50), millisAt(99));
  }
}
