package dev.holdfast.github;

import dev.holdfast.api.MessageSink;
import dev.holdfast.kit.JsonText;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How far each list of each repository was read, over restarts. For one thread. */
final class ReadPositions {
  private static final int UNITS_MAX = 16_384;

  /** Of each list, when there is room; what is left out, the server knows by its keys. */
  private static final int IDS_SAVED_MAX = 128;

  private static final int REPOSITORIES_MAX = 2 * GithubAccount.REPOSITORIES_MAX;

  private final MessageSink sink;
  private final KeptPosition kept;

  /** By the id of the repository, which stays when it is renamed; the one used last is the last. */
  private final LinkedHashMap<String, Map<GithubSource, ReadUntil>> positions =
      new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Reads what was saved.
   *
   * @param kept used when the sink has none, as with a token that was renewed
   */
  ReadPositions(MessageSink sink, KeptPosition kept) {
    this.sink = sink;
    this.kept = kept;
    Map<String, Object> saved = saved(sink.position().or(kept::find).orElse("{}"));
    for (String repository : saved.keySet()) {
      Map<String, Object> lists = JsonText.map(saved, repository);
      for (GithubSource source : GithubSource.values()) {
        read(lists.get(source.key())).ifPresent(until -> keep(repository, source, until));
      }
    }
  }

  private static Map<String, Object> saved(String text) {
    try {
      return JsonText.object(text);
    } catch (IllegalArgumentException _) {
      return Map.of(); // it begins anew
    }
  }

  private static Optional<ReadUntil> read(@Nullable Object saved) {
    return saved instanceof List<?> parts
            && parts.size() == 3
            && parts.get(0) instanceof Long createdFrom
            && parts.get(1) instanceof Long changedUntil
            && parts.get(2) instanceof String ids
        ? Optional.of(
            new ReadUntil(
                Instant.ofEpochMilli(createdFrom),
                Instant.ofEpochMilli(changedUntil),
                ids.isEmpty() ? List.of() : Arrays.asList(ids.split(",", -1))))
        : Optional.empty();
  }

  private void keep(String repository, GithubSource source, ReadUntil until) {
    positions.computeIfAbsent(repository, _ -> new LinkedHashMap<>()).put(source, until);
    if (positions.size() > REPOSITORIES_MAX) {
      positions.pollFirstEntry(); // it is not configured any more
    }
  }

  /**
   * Empty when the list was never read.
   *
   * @param name by which earlier releases have kept it
   */
  Optional<ReadUntil> find(long repository, String name, GithubSource source) {
    @Nullable Map<GithubSource, ReadUntil> former = positions.remove(name);
    if (former != null) {
      positions.putIfAbsent(Long.toString(repository), former);
    }
    return find(repository, source);
  }

  private Optional<ReadUntil> find(long repository, GithubSource source) {
    @Nullable Map<GithubSource, ReadUntil> lists = positions.get(Long.toString(repository));
    return lists == null ? Optional.empty() : Optional.ofNullable(lists.get(source));
  }

  /** To be called when all before it is on disk; returns when this is, too. */
  void save(long repository, GithubSource source, ReadUntil until) throws InterruptedException {
    if (find(repository, source).filter(until::equals).isPresent()) {
      return;
    }
    keep(Long.toString(repository), source, until);
    int idsMax = IDS_SAVED_MAX;
    String text = text(idsMax);
    while (text.length() > UNITS_MAX && idsMax > 0) {
      idsMax /= 2;
      text = text(idsMax);
    }
    sink.savePosition(text);
    kept.save(text);
  }

  private String text(int idsMax) {
    Map<String, Object> all = new LinkedHashMap<>();
    positions.forEach(
        (repository, lists) -> {
          Map<String, Object> saved = new LinkedHashMap<>();
          lists.forEach((source, until) -> saved.put(source.key(), parts(until, idsMax)));
          all.put(repository, saved);
        });
    return JsonText.write(all);
  }

  private static List<Object> parts(ReadUntil until, int idsMax) {
    List<String> ids = until.ids();
    return List.of(
        until.createdFrom().toEpochMilli(),
        until.changedUntil().toEpochMilli(),
        String.join(",", ids.subList(Math.max(0, ids.size() - idsMax), ids.size())));
  }
}
