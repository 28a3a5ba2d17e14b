package dev.holdfast.github;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.StateFile;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Asks each repository for what was written since the last time, by the time of the newest change
 * and not by pages, which move while they are read. How far it has read is saved after the messages
 * are on disk. The first time, nothing older counts. For one call of {@code listen}.
 */
final class CommentPoller {
  private static final Duration ASK_MAX = Duration.ofSeconds(20);

  /** What is written may become visible a little later than it is dated. */
  private static final Duration OVERLAP = Duration.ofSeconds(10);

  /** So many of the greatest length fit into one answer. */
  private static final int PAGE = 30;

  private static final int PAGES_MAX = 50;

  /** Beyond it the server still knows what it has. */
  private static final int IDS_MAX = 5000;

  /** This part of the calls that GitHub allows is kept for answers. */
  private static final int RESERVE_PART = 20;

  /** The server takes a call that ends sooner for one that has failed altogether. */
  private static final Duration LIFE_LEAST = Duration.ofSeconds(10);

  private final GithubBot bot;
  private final MessageSink sink;
  private final ReadPositions positions;
  private final PollMemory memory;
  private int answered;
  private Duration asked = Duration.ZERO;

  private CommentPoller(GithubBot bot, MessageSink sink, KeptPosition kept) {
    this.bot = bot;
    this.sink = sink;
    this.memory = bot.polled();
    this.positions = new ReadPositions(sink, kept);
  }

  /**
   * Runs until it is interrupted.
   *
   * @param kept of all accounts
   */
  static void run(GithubBot bot, MessageSink sink, StateFile kept)
      throws CallFailedException, InterruptedException {
    GithubIdentity me = bot.identity(ASK_MAX);
    new CommentPoller(bot, sink, new KeptPosition(bot, kept, me)).run(me);
  }

  private void run(GithubIdentity me) throws CallFailedException, InterruptedException {
    while (true) {
      Duration pause = bot.account().pollEvery();
      answered = 0;
      asked = Duration.ZERO;
      try {
        poll(me);
      } catch (CallFailedException e) {
        if (answered == 0) {
          throw e;
        }
        FailureCode code = e.failure().code();
        if (code != FailureCode.AUTH && code != FailureCode.RATE_LIMITED) {
          bot.context().sleep(longer(pause, LIFE_LEAST)); // the others are read: it goes on well
          throw e;
        }
        // Some of it works, so that the server would begin anew at once.
        throw new CallFailedException(atLeast(e.failure(), pause), e);
      }
      pause = longer(pause, asked);
      if (pause.compareTo(bot.account().pauseMax()) > 0) {
        throw new CallFailedException(
            atLeast(
                Failure.of(
                    FailureCode.RATE_LIMITED,
                    "GitHub asks for a pause of %d s between polls".formatted(pause.toSeconds())),
                pause));
      }
      bot.context().sleep(pause);
    }
  }

  private static Failure atLeast(Failure failure, Duration wait) {
    return failure.withRetryAfter(longer(failure.retryAfter(), wait));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  /** One repository that cannot be read holds up no other. */
  private void poll(GithubIdentity me) throws CallFailedException, InterruptedException {
    @Nullable CallFailedException failed = null;
    for (String name : bot.account().repositories().names()) {
      try {
        read(name, me);
      } catch (CallFailedException e) {
        FailureCode code = e.failure().code();
        if (code == FailureCode.AUTH || code == FailureCode.RATE_LIMITED) {
          throw e; // the others would fare no better
        }
        failed = failed == null || !failed.isPassing() ? e : failed;
      }
    }
    if (failed != null && (failed.isPassing() || answered == 0)) {
      throw failed;
    }
  }

  private void read(String name, GithubIdentity me)
      throws CallFailedException, InterruptedException {
    GithubRepository repository = repository(name);
    @Nullable CallFailedException failed = null;
    for (GithubSource source : GithubSource.values()) {
      String what = name + " " + source.list();
      try {
        read(name, repository, source, me);
        bot.allowed(what);
      } catch (CallFailedException e) {
        // Without the right to read pull requests, or with issues turned off, the rest is read.
        CallFailedException now = noted(what, e);
        failed = failed == null || !failed.isPassing() ? now : failed;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  private GithubRepository repository(String name)
      throws CallFailedException, InterruptedException {
    long now = bot.context().nanos();
    Optional<GithubRepository> known = memory.repository(name, now);
    GithubRepository repository = known.isPresent() ? known.get() : ask(name);
    if (known.isEmpty()) {
      memory.keepRepository(name, repository, now);
    }
    return repository;
  }

  private GithubRepository ask(String name) throws CallFailedException, InterruptedException {
    try {
      Map<String, Object> answer = bot.api().get("/repos/" + name, ASK_MAX).orThrow();
      bot.allowed(name);
      return GithubRepository.of(answer).orElseThrow(GithubBot::notTheApi);
    } catch (CallFailedException e) {
      throw noted(name, e);
    }
  }

  /** Logs what is refused for good, once; throws what all others would be told, too. */
  private CallFailedException noted(String what, CallFailedException e) throws CallFailedException {
    FailureCode code = e.failure().code();
    if (code == FailureCode.AUTH || code == FailureCode.RATE_LIMITED) {
      throw e;
    }
    if (code != FailureCode.INVALID_REQUEST) {
      return e;
    }
    bot.refused(what, e.failure().message());
    return new CallFailedException(named(e.failure(), what), e);
  }

  private static Failure named(Failure failure, String what) {
    return new Failure(
        failure.kind(),
        failure.code(),
        what + ": " + failure.message(),
        failure.retryAfter(),
        failure.context());
  }

  private void read(
      String name, GithubRepository repository, GithubSource source, GithubIdentity me)
      throws CallFailedException, InterruptedException {
    String list = "/repos/" + repository.fullName() + "/" + source.list();
    Optional<ReadUntil> known = positions.find(repository.id(), name, source);
    if (known.isEmpty()) {
      GithubAnswer answer = bot.api().get(list + "?per_page=1" + source.filter(), ASK_MAX);
      List<Map<String, Object>> _ = answer.listOrThrow();
      note(answer);
      positions.save(repository.id(), source, ReadUntil.from(time(answer)));
      keepReserve(answer);
      return;
    }
    String key = name + " " + source.key();
    Sweep sweep = new Sweep(known.get(), repository, source, me);
    int page = memory.page(key, sweep.query());
    for (int read = 0; read < PAGES_MAX; read++) {
      String path = list + sweep.query() + (page == 1 ? "" : "&page=" + page);
      GithubAnswer answer = bot.api().get(path, memory.tag(key, path), ASK_MAX);
      boolean isNew = !answer.isUnchanged();
      List<Map<String, Object>> items = isNew ? answer.listOrThrow() : List.of();
      note(answer);
      boolean moved = sweep.take(items);
      boolean isWhole = !answer.hasNextPage();
      if (isNew) {
        positions.save(repository.id(), source, isWhole ? sweep.done() : sweep.underway());
        memory.keepTag(key, path, isWhole && page == 1 ? answer.header("etag") : "");
      }
      page = isWhole || moved ? 1 : page + 1;
      memory.keepPage(key, sweep.query(), page);
      keepReserve(answer);
      if (isWhole) {
        return;
      }
    }
  }

  private void note(GithubAnswer answer) {
    answered++;
    sink.received();
    long seconds = number(answer.header("x-poll-interval"));
    asked = longer(asked, Duration.ofSeconds(Math.max(0, seconds)));
  }

  private static long number(String text) {
    return text.matches("[0-9]{1,6}") ? Long.parseLong(text) : -1;
  }

  /** By GitHub's clock. */
  private Instant time(GithubAnswer answer) {
    try {
      return ZonedDateTime.parse(answer.header("date"), DateTimeFormatter.RFC_1123_DATE_TIME)
          .toInstant();
    } catch (DateTimeException _) {
      return bot.context().now();
    }
  }

  private static void keepReserve(GithubAnswer answer) throws CallFailedException {
    long limit = number(answer.header("x-ratelimit-limit"));
    long remaining = number(answer.header("x-ratelimit-remaining"));
    if (limit > 0 && remaining >= 0 && remaining <= limit / RESERVE_PART) {
      throw new CallFailedException(
          Failure.of(
                  FailureCode.RATE_LIMITED,
                  "%d of %d calls are left to the token, which are kept for answers: set a longer"
                          .formatted(remaining, limit)
                      + " poll_secs, or see what else uses it")
              .withRetryAfter(answer.untilReset()));
    }
  }

  /** Empty when the review is not submitted, or deleted. */
  private Optional<Instant> submitted(GithubRepository repository, long number, String review)
      throws CallFailedException, InterruptedException {
    Optional<Instant> known = memory.submitted(review);
    if (known.isPresent()) {
      return known;
    }
    String path = "/repos/%s/pulls/%d/reviews/%s".formatted(repository.fullName(), number, review);
    GithubAnswer answer = bot.api().get(path, ASK_MAX);
    Optional<Instant> submitted =
        answer.isGone()
            ? Optional.empty()
            : instant(JsonText.text(answer.orThrow(), "submitted_at"));
    submitted.ifPresent(at -> memory.keepSubmitted(review, at));
    note(answer);
    keepReserve(answer);
    return submitted;
  }

  /** What was written and changed since a position, in the order of the changes. */
  private final class Sweep {
    private final ReadUntil begin;
    private final GithubRepository repository;
    private final GithubSource source;
    private final GithubIdentity me;
    private final Map<String, Instant> written = new LinkedHashMap<>();
    private Instant changedUntil;

    Sweep(ReadUntil begin, GithubRepository repository, GithubSource source, GithubIdentity me) {
      this.begin = begin;
      this.repository = repository;
      this.source = source;
      this.me = me;
      this.changedUntil = begin.changedUntil();
    }

    String query() {
      return "?sort=updated&direction=asc&per_page=%d&since=%s%s"
          .formatted(PAGE, changedUntil.minus(OVERLAP), source.filter());
    }

    /** Returns when the new ones are on disk; whether the next page has to be asked for anew. */
    boolean take(List<Map<String, Object>> items) throws CallFailedException, InterruptedException {
      Instant before = changedUntil;
      List<InboundMessage> messages = new ArrayList<>();
      List<DropReason> dropped = new ArrayList<>();
      for (Map<String, Object> item : items) {
        if (isNew(item)) {
          switch (event(item)) {
            case GithubEvent.Said(InboundMessage message) -> messages.add(message);
            case GithubEvent.Dropped(DropReason reason) -> dropped.add(reason);
            case GithubEvent.Ignored _ -> {}
          }
        }
      }
      accept(messages);
      if (!dropped.isEmpty()) {
        sink.dropped(dropped);
      }
      return changedUntil.isAfter(before);
    }

    /** Whether it has become visible since the position and is not known. Notes its times. */
    private boolean isNew(Map<String, Object> item)
        throws CallFailedException, InterruptedException {
      String id = JsonText.id(item, "id");
      Optional<Instant> created = instant(JsonText.text(item, "created_at"));
      if (id.isEmpty() || created.isEmpty()) {
        return false;
      }
      Instant changed = instant(JsonText.text(item, "updated_at")).orElse(created.get());
      changedUntil = changed.isAfter(changedUntil) ? changed : changedUntil;
      boolean isKnown = begin.ids().contains(id);
      boolean isLate = created.get().isBefore(begin.createdFrom());
      if (isLate && !isKnown && !isOfNewReview(item, changed)) {
        return false;
      }
      // When one of a review became visible is not known without a call, but not later than that.
      Instant visible = source == GithubSource.REVIEW_COMMENTS ? changed : created.get();
      return written.put(id, visible) == null && !isKnown;
    }

    /**
     * Whether an old comment belongs to a review that was submitted since the position: nobody saw
     * it before. An old one that was edited looks alike, so that GitHub is asked.
     */
    private boolean isOfNewReview(Map<String, Object> item, Instant changed)
        throws CallFailedException, InterruptedException {
      long review = JsonText.whole(item, "pull_request_review_id", 0);
      OptionalLong number = source.number(item);
      return source == GithubSource.REVIEW_COMMENTS
          && !changed.isBefore(begin.createdFrom())
          && review > 0
          && number.isPresent()
          && submitted(repository, number.getAsLong(), Long.toString(review))
              .filter(at -> !at.isBefore(begin.createdFrom()))
              .isPresent();
    }

    private GithubEvent event(Map<String, Object> item) {
      OptionalLong number = source.number(item);
      return number.isEmpty()
          ? new GithubEvent.Ignored()
          : bot.reader().read(source, repository, number.getAsLong(), item, me);
    }

    /** The position while more follows. */
    ReadUntil underway() {
      List<String> ids = new ArrayList<>(begin.ids());
      written.keySet().stream().filter(id -> !begin.ids().contains(id)).forEach(ids::add);
      int from = Math.max(0, ids.size() - IDS_MAX);
      return new ReadUntil(begin.createdFrom(), changedUntil, ids.subList(from, ids.size()));
    }

    /** The position when nothing follows: what was written before is known. */
    ReadUntil done() {
      Instant settled = changedUntil.minus(OVERLAP);
      Instant createdFrom = settled.isAfter(begin.createdFrom()) ? settled : begin.createdFrom();
      List<String> ids =
          written.entrySet().stream()
              .filter(entry -> !entry.getValue().isBefore(createdFrom))
              .map(Map.Entry::getKey)
              .toList();
      return new ReadUntil(createdFrom, changedUntil, ids);
    }
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  private void accept(List<InboundMessage> messages) throws InterruptedException {
    if (messages.isEmpty()) {
      return;
    }
    try {
      sink.accept(messages);
    } catch (CallFailedException e) {
      bot.warn("a message is dropped: " + e.getMessage()); // it would come again and again
    }
  }
}
