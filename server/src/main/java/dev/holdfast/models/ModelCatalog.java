package dev.holdfast.models;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.holdfast.api.TokenUsage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * What is known of models by the beginning of their name: sizes and prices. The longest match
 * counts.
 */
final class ModelCatalog {
  private static final double MILLION = 1_000_000;

  /** Prices in USD for a million tokens. */
  private record Entry(
      String prefix,
      int windowTokens,
      int outputTokens,
      double input,
      double output,
      double cacheRead,
      double cacheWrite) {}

  private final List<Entry> entries;

  private ModelCatalog(List<Entry> entries) {
    this.entries = entries;
  }

  /** The list that comes with the server. */
  static ModelCatalog load() {
    try (InputStream in =
        Objects.requireNonNull(
            ModelCatalog.class.getResourceAsStream("prices.yaml"), "prices.yaml")) {
      return read(new ObjectMapper(new YAMLFactory()).readTree(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ModelCatalog read(JsonNode list) {
    List<Entry> entries = new ArrayList<>();
    for (JsonNode entry : list.path("models")) {
      JsonNode usd = entry.path("usd");
      entries.add(
          new Entry(
              entry.path("prefix").asText(),
              entry.path("window_tokens").asInt(),
              entry.path("output_tokens").asInt(),
              usd.path("input").asDouble(0),
              usd.path("output").asDouble(0),
              usd.path("cache_read").asDouble(0),
              usd.path("cache_write").asDouble(0)));
    }
    entries.sort(Comparator.comparingInt((Entry entry) -> entry.prefix().length()).reversed());
    return new ModelCatalog(List.copyOf(entries));
  }

  /** {@code model}: {@code provider/name}. */
  int windowTokens(String model) {
    return entry(model).windowTokens();
  }

  /** How many tokens an answer may have. */
  int outputTokens(String model) {
    return entry(model).outputTokens();
  }

  /** An estimate; 0 when no price is known. */
  double costUsd(String model, TokenUsage usage) {
    Entry entry = entry(model);
    return ((double) usage.input() * entry.input()
            + (double) usage.output() * entry.output()
            + (double) usage.cacheRead() * entry.cacheRead()
            + (double) usage.cacheWrite() * entry.cacheWrite())
        / MILLION;
  }

  /** The last entry has an empty prefix. */
  private Entry entry(String model) {
    return entries.stream()
        .filter(entry -> model.startsWith(entry.prefix()))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("prices.yaml has no entry for all the rest"));
  }
}
