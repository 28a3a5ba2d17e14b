package dev.holdfast.github;

import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What polls of one account know that saves calls, as long as the process runs. There is little of
 * each configured list, and of reviews as many as a {@link RecentMap} holds. Thread-safe.
 */
final class PollMemory {
  /** After it a repository is asked for anew: names change hands. */
  private static final Duration REPOSITORY_MAX = Duration.ofHours(1);

  private final Map<String, Known> repositories = new ConcurrentHashMap<>();
  private final Map<String, Tag> tags = new ConcurrentHashMap<>();

  /** Of lists with more changes at one time than are read in one poll: where to go on. */
  private final Map<String, Page> pages = new ConcurrentHashMap<>();

  /** When reviews were submitted, which never changes. */
  private final RecentMap<Instant> reviews = new RecentMap<>();

  private record Known(GithubRepository repository, long since) {}

  /** What an answer to a path is known by. */
  private record Tag(String path, String value) {}

  private record Page(String query, int number) {}

  /** {@code now}: in nanoseconds of the context's clock. */
  Optional<GithubRepository> repository(String name, long now) {
    return Optional.ofNullable(repositories.get(name))
        .filter(known -> now - known.since() < REPOSITORY_MAX.toNanos())
        .map(Known::repository);
  }

  void keepRepository(String name, GithubRepository repository, long now) {
    repositories.put(name, new Known(repository, now));
  }

  /** Empty when the last answer to that path is not known. */
  String tag(String list, String path) {
    @Nullable Tag tag = tags.get(list);
    return tag != null && tag.path().equals(path) ? tag.value() : "";
  }

  /** {@code value}: empty for none. */
  void keepTag(String list, String path, String value) {
    if (value.isEmpty()) {
      tags.remove(list);
    } else {
      tags.put(list, new Tag(path, value));
    }
  }

  /** From 1; of another query than the one it was kept for, the first. */
  int page(String list, String query) {
    @Nullable Page page = pages.get(list);
    return page != null && page.query().equals(query) ? page.number() : 1;
  }

  void keepPage(String list, String query, int number) {
    pages.put(list, new Page(query, number));
  }

  /** When a review was submitted; empty when it was not asked for, or too long ago. */
  Optional<Instant> submitted(String review) {
    return reviews.find(review);
  }

  void keepSubmitted(String review, Instant at) {
    reviews.put(review, at);
  }
}
