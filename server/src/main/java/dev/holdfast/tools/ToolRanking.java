package dev.holdfast.tools;

import dev.holdfast.api.ToolSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Orders tools by how well their names and descriptions fit a few words. Pure: the same tools and
 * words give the same order.
 *
 * <p>Source: S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
 * 2009, with a word in a name counted as several in a description.
 */
final class ToolRanking {
  private static final double SATURATION = 1.2;
  private static final double LENGTH_WEIGHT = 0.75;
  private static final double NAME_WEIGHT = 4;

  /** Of a word that begins like the one that is asked for, such as a plural. */
  private static final double BEGINNING_WEIGHT = 0.6;

  private static final int BEGINNING_UNITS_MIN = 3;
  private static final int QUERY_WORDS_MAX = 20;

  /** What is said later in a long description says little about what the tool is for. */
  private static final int DESCRIPTION_UNITS_READ = 1000;

  private ToolRanking() {}

  /** How often each word stands in a tool, weighted by where; and how many words it has. */
  private record Document(ToolSpec tool, Map<String, Double> weights, double length) {}

  private record Scored(ToolSpec tool, double score) {}

  /**
   * The best first; fewer than {@code max} when fewer have any of the words. A tool whose whole
   * name is asked for comes first.
   */
  static List<ToolSpec> best(List<ToolSpec> tools, String query, int max) {
    Set<String> asked = new LinkedHashSet<>(words(query));
    List<String> terms = asked.stream().limit(QUERY_WORDS_MAX).toList();
    List<Document> documents = tools.stream().map(ToolRanking::document).toList();
    double meanLength = documents.stream().mapToDouble(Document::length).average().orElse(1);
    double[] scores = new double[documents.size()];
    for (String term : terms) {
      addScores(term, documents, meanLength, scores);
    }
    String name = query.strip();
    List<Scored> scored = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      ToolSpec tool = documents.get(i).tool();
      double score = tool.name().equalsIgnoreCase(name) ? Double.MAX_VALUE : scores[i];
      if (score > 0) {
        scored.add(new Scored(tool, score));
      }
    }
    return scored.stream()
        .sorted(
            Comparator.comparingDouble(Scored::score)
                .reversed()
                .thenComparing(found -> found.tool().name()))
        .limit(max)
        .map(Scored::tool)
        .toList();
  }

  private static void addScores(
      String term, List<Document> documents, double meanLength, double[] scores) {
    double[] weights = new double[documents.size()];
    int having = 0;
    for (int i = 0; i < weights.length; i++) {
      weights[i] = weight(term, documents.get(i).weights());
      having += weights[i] > 0 ? 1 : 0;
    }
    double rarity = Math.log(1 + (weights.length - having + 0.5) / (having + 0.5));
    for (int i = 0; i < weights.length; i++) {
      double norm = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * documents.get(i).length() / meanLength;
      scores[i] += rarity * weights[i] * (SATURATION + 1) / (weights[i] + SATURATION * norm);
    }
  }

  /** A word as it is counts whole; one that begins alike counts less. */
  private static double weight(String term, Map<String, Double> weights) {
    double whole = weights.getOrDefault(term, 0.0);
    if (whole > 0 || term.length() < BEGINNING_UNITS_MIN) {
      return whole;
    }
    return weights.entrySet().stream()
        .filter(
            word ->
                word.getKey().startsWith(term)
                    || (word.getKey().length() >= BEGINNING_UNITS_MIN
                        && term.startsWith(word.getKey())))
        .mapToDouble(word -> BEGINNING_WEIGHT * word.getValue())
        .max()
        .orElse(0);
  }

  private static Document document(ToolSpec tool) {
    Map<String, Double> weights = new HashMap<>();
    words(tool.name()).forEach(word -> weights.merge(word, NAME_WEIGHT, Double::sum));
    String description = tool.description();
    words(description.substring(0, Math.min(description.length(), DESCRIPTION_UNITS_READ)))
        .forEach(word -> weights.merge(word, 1.0, Double::sum));
    double length = weights.values().stream().mapToDouble(Double::doubleValue).sum();
    return new Document(tool, weights, length);
  }

  /** Runs of letters and digits in lower case; {@code listFiles} is two of them. */
  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    int before = ' ';
    for (int point : text.codePoints().toArray()) {
      boolean isHump = Character.isUpperCase(point) && Character.isLowerCase(before);
      if ((isHump || !Character.isLetterOrDigit(point)) && !word.isEmpty()) {
        words.add(word.toString().toLowerCase(Locale.ROOT));
        word.setLength(0);
      }
      if (Character.isLetterOrDigit(point)) {
        word.appendCodePoint(point);
      }
      before = point;
    }
    if (!word.isEmpty()) {
      words.add(word.toString().toLowerCase(Locale.ROOT));
    }
    return words;
  }
}
