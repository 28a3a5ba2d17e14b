package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.Channels;
import dev.holdfast.registry.Use;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyChoices;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.store.messages.ReplyState;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes one reply one step further. Thread-safe; blocks the calling virtual thread. */
final class ReplyPoster {
  private static final Logger LOG = LoggerFactory.getLogger(ReplyPoster.class);

  /** One post: longer than any adapter's own limits. */
  private static final Duration POST_MAX = Duration.ofSeconds(60);

  /** One look into a platform's history. */
  private static final Duration FIND_MAX = Duration.ofSeconds(20);

  private static final Duration CHANNEL_RETRY = Duration.ofSeconds(15);
  private static final Duration PAUSE_MIN = Duration.ofMillis(250);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(60);
  private static final Duration STORE_RETRY_MAX = Duration.ofSeconds(5);
  private static final Backoff STORE_RETRY = new Backoff(Duration.ofMillis(50), STORE_RETRY_MAX);
  private static final int PARTS_MAX = 200;

  /** Why a reply that was begun waits again. */
  static final String NOT_POSTED = "not posted yet";

  private final PostingOutbox outbox;
  private final Channels channels;
  private final Function<String, PostGuard> guards;
  private final Function<String, AttachmentFolder> files;
  private final Map<String, AccountVerdicts> accounts = new ConcurrentHashMap<>();
  private final ReplyRules rules;
  private final ReplyEvents events;
  private final Time time;

  /**
   * {@code guards}: by {@code channel:account}; {@code files}: where those of a chat thread are, by
   * its id.
   */
  record Connections(
      PostingOutbox outbox,
      Channels channels,
      Function<String, PostGuard> guards,
      Function<String, AttachmentFolder> files) {}

  ReplyPoster(Connections connections, RepliesConfig config, ReplyEvents events, Time time) {
    this.outbox = connections.outbox();
    this.channels = connections.channels();
    this.guards = connections.guards();
    this.files = connections.files();
    this.rules = new ReplyRules(config);
    this.events = events;
    this.time = time;
  }

  /**
   * @param reply the first open one of its thread
   * @param due whether its wait was waited for in this process
   * @param takeBegun right before the post: whether the store has its mark already
   */
  PostStep advance(Reply reply, boolean due, BooleanSupplier takeBegun, StopInterrupt stopInterrupt)
      throws InterruptedException {
    String channel = channel(reply.reply());
    Optional<Use<Channel>> begun = channels.begin(channel);
    if (begun.isPresent()) {
      try (Use<Channel> use = begun.get()) {
        return advance(reply, due, Optional.of(use.value()), takeBegun, stopInterrupt);
      }
    }
    return channels.mayBeAdded(channel)
        ? absent(reply.reply()) // however long it takes: it does not grow too old meanwhile
        : advance(reply, due, Optional.empty(), takeBegun, stopInterrupt);
  }

  private PostStep advance(
      Reply reply,
      boolean due,
      Optional<Channel> channel,
      BooleanSupplier takeBegun,
      StopInterrupt stopInterrupt)
      throws InterruptedException {
    ReplyRules its = rules(channel, reply);
    return step(its.before(reply, time.now(), due), reply, its, channel, takeBegun, stopInterrupt);
  }

  private PostStep step(
      ReplyMove move,
      Reply reply,
      ReplyRules its,
      Optional<Channel> channel,
      BooleanSupplier takeBegun,
      StopInterrupt stopInterrupt)
      throws InterruptedException {
    return switch (move) {
      case ReplyMove.Wait(Duration wait) -> new PostStep.Wait(wait);
      case ReplyMove.Lost _ ->
          lose(
              reply,
              "the server stopped while it was sending",
              its.waitAfterLoss(reply, Duration.ZERO, time.now()),
              stopInterrupt);
      case ReplyMove.Hold(String why) -> hold(reply, why, stopInterrupt);
      case ReplyMove.Find _ ->
          channel.filter(found -> hasAccountOf(found, reply)).isPresent()
              ? find(reply, its, channel.get(), takeBegun, stopInterrupt)
              : absent(reply.reply());
      case ReplyMove.Post(boolean resend) ->
          channel.filter(found -> hasAccountOf(found, reply)).isPresent()
              ? post(reply, resend, channel.get(), takeBegun, stopInterrupt)
              : absent(reply.reply());
    };
  }

  private ReplyRules rules(Optional<Channel> channel, Reply reply) {
    return channel
        .map(
            found ->
                rules.with(
                    found.facts(),
                    guards.apply(reply.reply().source()).pacedSince(reply.plannedAt())))
        .orElse(rules);
  }

  private static boolean hasAccountOf(Channel channel, Reply reply) {
    return channel.facts().accounts().contains(account(reply.reply()));
  }

  /** Whether there is this account of a channel now. */
  boolean isThere(String source) {
    return channels.all().stream()
        .anyMatch(
            facts ->
                facts.accounts().stream()
                    .anyMatch(account -> source.equals(facts.name() + ":" + account)));
  }

  private static PostStep absent(NewReply to) {
    LOG.warn("channel {}: not available; its replies wait", to.source());
    return new PostStep.Absent(CHANNEL_RETRY);
  }

  private PostStep find(
      Reply reply,
      ReplyRules its,
      Channel channel,
      BooleanSupplier takeBegun,
      StopInterrupt stopInterrupt)
      throws InterruptedException {
    PostGuard guard = guards.apply(reply.reply().source());
    Duration opensIn = guard.opensIn();
    if (opensIn.isPositive()) {
      return pause(opensIn, guard);
    }
    FindAttempt attempt = new FindAttempt(channel, outbound(channel, reply.reply(), true));
    FindOutcome outcome;
    stopInterrupt.leaveStore();
    try {
      outcome = guard.probe(Deadline.in(time, FIND_MAX), attempt, FindAttempt::judge);
    } catch (CallFailedException e) {
      if (!attempt.wasBegun()) {
        return pause(e.failure().retryAfter(), guard);
      }
      outcome = new FindOutcome.Failed(e.failure());
    } finally {
      stopInterrupt.enterStore();
    }
    return switch (outcome) {
      case FindOutcome.Found(String platformId) -> {
        verdicts(reply.reply().source()).found(reply.seq());
        write(reply, () -> outbox.sent(reply.seq(), platformId), stopInterrupt);
        LOG.info("reply {}: found at its platform", reply.reply().id());
        events.publish(reply, "found", "sent", "found at the platform");
        yield new PostStep.Arrived(guard.isTrying());
      }
      case FindOutcome.Absent _ ->
          step(
              its.afterAbsence(reply, time.now()),
              reply,
              its,
              Optional.of(channel),
              takeBegun,
              stopInterrupt);
      case FindOutcome.Failed(Failure failure) -> {
        LOG.warn("reply {}: could not be looked for: {}", reply.reply().id(), failure.summary());
        yield step(
            its.afterFailedFind(reply, failure, time.now()),
            reply,
            its,
            Optional.of(channel),
            takeBegun,
            stopInterrupt);
      }
    };
  }

  private PostStep post(
      Reply reply,
      boolean resend,
      Channel channel,
      BooleanSupplier takeBegun,
      StopInterrupt stopInterrupt)
      throws InterruptedException {
    NewReply to = reply.reply();
    PostGuard guard = guards.apply(to.source());
    Duration opensIn = guard.opensIn();
    if (opensIn.isPositive()) {
      return pause(opensIn, guard);
    }
    AccountVerdicts verdicts = verdicts(to.source());
    int refusalsBefore = verdicts.refusals();
    PostAttempt attempt =
        new PostAttempt(
            channel,
            outbound(channel, to, resend),
            () -> {
              if (!takeBegun.getAsBoolean()) {
                outbox.sending(reply.seq(), resend);
              }
            },
            stopInterrupt);
    Duration rejectedFor = PAUSE_MIN;
    boolean interrupted = false;
    try {
      stopInterrupt.leaveStore();
      guard.probe(
          Deadline.in(time, POST_MAX),
          attempt,
          failure -> verdicts.of(to.threadId(), attempt.outcome(), failure));
    } catch (CallFailedException e) {
      rejectedFor = e.failure().retryAfter();
    } catch (InterruptedException _) {
      interrupted = true;
    } finally {
      stopInterrupt.enterStore();
    }
    if (attempt.outcome() instanceof PostOutcome.Sent) {
      verdicts.succeeded();
    } else if (attempt.outcome() instanceof PostOutcome.NotDelivered(Failure failure)
        && failure.code() == FailureCode.AUTH) {
      verdicts.refused();
    } else if (attempt.outcome() instanceof PostOutcome.Unknown) {
      verdicts.lost(reply.seq(), refusalsBefore);
    }
    Optional<PostStep> settled = settle(reply, resend, attempt, guard, stopInterrupt);
    if (interrupted) {
      throw new InterruptedException("stopped while posting " + to.id());
    }
    return settled.orElse(pause(rejectedFor, guard));
  }

  /** A reply that was planned as being sent, and that something keeps waiting after all. */
  void takeBack(Reply reply, StopInterrupt stopInterrupt) throws InterruptedException {
    write(
        reply,
        () -> outbox.retryAt(reply.seq(), time.now(), NOT_POSTED, false, Duration.ZERO),
        stopInterrupt);
  }

  private AccountVerdicts verdicts(String source) {
    return accounts.computeIfAbsent(source, _ -> new AccountVerdicts());
  }

  /** The accounts that their platforms refuse, as of the last posts. */
  List<String> refused() {
    return accounts.entrySet().stream()
        .filter(account -> account.getValue().isRefused() && isThere(account.getKey()))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** The channel is there anew, perhaps with other tokens: nothing is known of its accounts. */
  void forgetVerdicts(String channel) {
    accounts.keySet().removeIf(source -> source.startsWith(channel + ":"));
  }

  /** Whether nothing that is known now would keep a reply to this account waiting. */
  boolean mayPost(String source) {
    if (!isThere(source)) {
      return false; // and gets no guard, which nobody would take away
    }
    PostGuard guard = guards.apply(source);
    return !guard.opensIn().isPositive() && !guard.isTrying();
  }

  /** Writes down what became of the reply; empty when the guard did not let the post through. */
  private Optional<PostStep> settle(
      Reply reply,
      boolean resend,
      PostAttempt attempt,
      PostGuard guard,
      StopInterrupt stopInterrupt)
      throws InterruptedException {
    @Nullable PostOutcome outcome = attempt.outcome();
    if (outcome != null) {
      Reply tried = reply.tried();
      PostStep step =
          switch (rules(Optional.of(attempt.channel()), reply).after(reply, outcome, time.now())) {
            case ReplyChange.Sent(String platformId) -> {
              write(reply, () -> outbox.sent(reply.seq(), platformId), stopInterrupt);
              events.publish(tried, resend ? "resent" : "sent", resend ? "resent" : "sent", "");
              yield new PostStep.Arrived(guard.isTrying());
            }
            case ReplyChange.Retry retry -> retry(tried, retry, stopInterrupt);
            case ReplyChange.Unknown(String why, Optional<Duration> repeat) ->
                lose(tried, why, repeat, stopInterrupt);
            case ReplyChange.Rejected(String why) -> reject(tried, why, stopInterrupt);
          };
      return Optional.of(step);
    }
    @Nullable StoreException storeFailure = attempt.storeFailure();
    if (storeFailure != null) {
      LOG.warn(
          "reply {}: not posted, the store refused: {}",
          reply.reply().id(),
          storeFailure.getMessage());
      return Optional.of(new PostStep.Wait(STORE_RETRY_MAX));
    }
    return Optional.empty();
  }

  private static PostStep pause(Duration wait, PostGuard guard) {
    Duration least = wait.compareTo(PAUSE_MIN) < 0 ? PAUSE_MIN : wait;
    Duration bounded = least.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : least;
    return new PostStep.Pause(bounded, guard.isTrying());
  }

  private PostStep retry(Reply reply, ReplyChange.Retry retry, StopInterrupt stopInterrupt)
      throws InterruptedException {
    // What a stop of our own cut off is due at once when we are back.
    Duration delay = stopInterrupt.isStopped() ? Duration.ZERO : retry.delay();
    write(
        reply,
        () ->
            outbox.retryAt(
                reply.seq(), time.now().plus(delay), retry.why(), retry.counts(), retry.paced()),
        stopInterrupt);
    LOG.info("reply {}: retrying in {} ms: {}", reply.reply().id(), delay.toMillis(), retry.why());
    events.publish(reply, "retried", "retry_at", retry.why());
    return new PostStep.Wait(delay);
  }

  private PostStep lose(
      Reply reply, String why, Optional<Duration> repeat, StopInterrupt stopInterrupt)
      throws InterruptedException {
    Duration wait = repeat.orElse(Duration.ZERO);
    write(reply, () -> outbox.unknown(reply.seq(), time.now().plus(wait), why), stopInterrupt);
    LOG.warn("reply {}: may or may not have arrived: {}", reply.reply().id(), why);
    events.publish(reply, "unknown", "unknown", why);
    return repeat.isPresent() ? new PostStep.Wait(wait) : new PostStep.Next();
  }

  private PostStep reject(Reply reply, String why, StopInterrupt stopInterrupt)
      throws InterruptedException {
    write(reply, () -> outbox.rejected(reply.seq(), why), stopInterrupt);
    LOG.warn("reply {}: given up: {}", reply.reply().id(), why);
    events.publish(reply, "rejected", "rejected", why);
    for (Reply later : laterParts(reply)) {
      String reason = missing(reply);
      write(later, () -> outbox.rejected(later.seq(), reason), stopInterrupt);
      events.publish(later, "rejected", "rejected", reason);
    }
    return new PostStep.Next();
  }

  private PostStep hold(Reply reply, String why, StopInterrupt stopInterrupt)
      throws InterruptedException {
    write(reply, () -> outbox.held(reply.seq(), why), stopInterrupt);
    LOG.warn("reply {}: held for the operator: {}", reply.reply().id(), why);
    events.publish(reply, "held", "held", why);
    for (Reply later : laterParts(reply)) {
      String reason = missing(reply);
      write(later, () -> outbox.held(later.seq(), reason), stopInterrupt);
      events.publish(later, "held", "held", reason);
    }
    return new PostStep.Next();
  }

  /**
   * An answer with a hole is worse than none: what comes after a part that was not delivered shares
   * its fate.
   */
  private List<Reply> laterParts(Reply reply) {
    NewReply part = reply.reply();
    if (part.part() >= part.parts()) {
      return List.of();
    }
    return outbox.openOf(part.threadId(), PARTS_MAX).stream()
        .filter(other -> other.state() == ReplyState.PLANNED)
        .filter(other -> other.reply().eventId().equals(part.eventId()))
        .filter(other -> label(other.reply()).equals(label(part)))
        .filter(other -> other.reply().part() > part.part())
        .toList();
  }

  /** The id without the number of the part. */
  private static String label(NewReply reply) {
    int dot = reply.id().lastIndexOf('.');
    return dot < 0 ? reply.id() : reply.id().substring(0, dot);
  }

  private static String missing(Reply reply) {
    return "part " + reply.reply().part() + " of " + reply.reply().parts() + " was not delivered";
  }

  /**
   * What happened outside must be written down, however long the disk is full; only a stop ends the
   * tries.
   */
  private void write(Reply reply, PostAttempt.StoreCall change, StopInterrupt stopInterrupt)
      throws InterruptedException {
    for (int failures = 1; ; failures++) {
      try {
        change.run();
        return;
      } catch (StoreException e) {
        LOG.warn(
            "reply {}: its new state is not stored yet: {}", reply.reply().id(), e.getMessage());
        if (stopInterrupt.isStopped()) {
          throw new InterruptedException("stopped while the store refused");
        }
        time.sleep(STORE_RETRY.after(failures));
      }
    }
  }

  /**
   * The platform's name of the conversation; for a channel that plans without one it is the end of
   * the thread's id.
   */
  private OutboundReply outbound(Channel channel, NewReply reply, boolean resend) {
    String prefix = reply.source() + ":";
    String thread =
        reply.address().isEmpty() && reply.threadId().startsWith(prefix)
            ? reply.threadId().substring(prefix.length())
            : reply.address();
    StringBuilder text = new StringBuilder(reply.text());
    List<StoredFile> found = files(reply, text);
    return new OutboundReply(
        reply.id(),
        reply.eventId(),
        account(reply),
        thread,
        reply.inReplyTo(),
        text.toString(),
        reply.part(),
        reply.parts(),
        resend,
        found,
        channel.facts().showsChoices() ? ReplyChoices.read(reply.choices()) : List.of(),
        ReplyVoice.kindOf(reply.id()));
  }

  /** The files that go with it; of one that is gone the text says so. */
  private List<StoredFile> files(NewReply reply, StringBuilder text) {
    List<StoredFile> found = new ArrayList<>();
    for (ReplyFile file : ReplyFile.read(reply.files())) {
      Optional<Path> place = files.apply(reply.threadId()).find(file.file());
      if (place.isPresent()) {
        found.add(new StoredFile(file.name(), file.mediaType(), place.get(), file.bytes()));
      } else {
        LOG.warn("reply {}: an attached file is gone", reply.id());
        text.append("\n[The file \"").append(file.name()).append("\" is no longer available.]");
      }
    }
    return found;
  }

  private static String channel(NewReply reply) {
    int colon = reply.source().indexOf(':');
    return colon < 0 ? reply.source() : reply.source().substring(0, colon);
  }

  private static String account(NewReply reply) {
    return reply.source().substring(reply.source().indexOf(':') + 1);
  }
}
