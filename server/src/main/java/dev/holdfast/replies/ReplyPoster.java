package dev.holdfast.replies;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.Channels;
import dev.holdfast.registry.Use;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Reply;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.store.messages.ReplyState;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes one reply one step further. Thread-safe; blocks the calling virtual thread. */
final class ReplyPoster {
  private static final Logger LOG = LoggerFactory.getLogger(ReplyPoster.class);

  /** One post: longer than any adapter's own limits. */
  private static final Duration POST_MAX = Duration.ofSeconds(60);

  private static final Duration CHANNEL_AWAY = Duration.ofSeconds(15);
  private static final Duration PAUSE_MIN = Duration.ofMillis(250);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(60);
  private static final Duration STORE_AWAY = Duration.ofSeconds(5);
  private static final Duration STORE_RETRY_MIN = Duration.ofMillis(50);
  private static final int SIBLINGS_MAX = 200;

  private final PostingOutbox book;
  private final Channels channels;
  private final Function<String, PostGuard> gates;
  private final Function<String, AttachmentFolder> files;
  private final ReplyRules rules;
  private final ReplyEvents events;
  private final Time time;

  /**
   * {@code gates}: by {@code channel:account}; {@code files}: where those of a chat thread are, by
   * its id.
   */
  record Connections(
      PostingOutbox book,
      Channels channels,
      Function<String, PostGuard> gates,
      Function<String, AttachmentFolder> files) {}

  ReplyPoster(Connections connections, RepliesConfig config, ReplyEvents events, Time time) {
    this.book = connections.book();
    this.channels = connections.channels();
    this.gates = connections.gates();
    this.files = connections.files();
    this.rules = new ReplyRules(config);
    this.events = events;
    this.time = time;
  }

  /**
   * @param reply the first open one of its thread
   * @param due whether its wait was waited for in this process
   */
  PostStep advance(Reply reply, boolean due, StopInterrupt halt) throws InterruptedException {
    String channel = channel(reply.reply());
    Optional<Use<Channel>> begun = channels.begin(channel);
    if (begun.isPresent()) {
      try (Use<Channel> use = begun.get()) {
        return advance(reply, due, Optional.of(use.value()), halt);
      }
    }
    return channels.mayCome(channel)
        ? absent(reply.reply()) // however long it takes: it does not grow too old meanwhile
        : advance(reply, due, Optional.empty(), halt);
  }

  private PostStep advance(Reply reply, boolean due, Optional<Channel> channel, StopInterrupt halt)
      throws InterruptedException {
    return switch (rules(channel).before(reply, time.now(), due)) {
      case ReplyMove.Wait(Duration wait) -> new PostStep.Wait(wait);
      case ReplyMove.Lost _ -> lose(reply, "the server stopped while it was sending", halt);
      case ReplyMove.Hold(String why) -> hold(reply, why, halt);
      case ReplyMove.Post(boolean resend) ->
          channel.filter(found -> hasAccountOf(found, reply)).isPresent()
              ? post(reply, resend, channel.get(), halt)
              : absent(reply.reply());
    };
  }

  private ReplyRules rules(Optional<Channel> channel) {
    return channel.map(found -> rules.since(found.facts().since())).orElse(rules);
  }

  private static boolean hasAccountOf(Channel channel, Reply reply) {
    return channel.facts().accounts().contains(account(reply.reply()));
  }

  private static PostStep absent(NewReply to) {
    LOG.warn("channel {}: is not there; replies to it wait", to.source());
    return new PostStep.Pause(CHANNEL_AWAY);
  }

  private PostStep post(Reply reply, boolean resend, Channel channel, StopInterrupt halt)
      throws InterruptedException {
    NewReply to = reply.reply();
    PostGuard gate = gates.apply(to.source());
    Duration opensIn = gate.opensIn();
    if (opensIn.isPositive()) {
      return pause(opensIn);
    }
    PostAttempt attempt =
        new PostAttempt(
            channel, outbound(to, resend), () -> book.sending(reply.seq(), resend), halt);
    Duration rejectedFor = PAUSE_MIN;
    boolean interrupted = false;
    try {
      halt.leaveStore();
      gate.probe(Deadline.in(time, POST_MAX), attempt);
    } catch (CallFailedException e) {
      rejectedFor = e.failure().retryAfter();
    } catch (InterruptedException _) {
      interrupted = true;
    } finally {
      halt.enterStore();
    }
    PostStep step = settle(reply, resend, attempt, rejectedFor, halt);
    if (interrupted) {
      throw new InterruptedException("stopped while posting " + to.id());
    }
    return step;
  }

  private PostStep settle(
      Reply reply, boolean resend, PostAttempt attempt, Duration rejectedFor, StopInterrupt halt)
      throws InterruptedException {
    @Nullable PostOutcome outcome = attempt.outcome();
    if (outcome != null) {
      return switch (rules(Optional.of(attempt.channel())).after(reply, outcome, time.now())) {
        case ReplyChange.Sent(String platformId) -> {
          write(reply, () -> book.sent(reply.seq(), platformId), halt);
          events.tell(reply, resend ? "resent" : "sent", resend ? "resent" : "sent", "");
          yield new PostStep.Next();
        }
        case ReplyChange.Retry retry -> retry(reply, retry, halt);
        case ReplyChange.Unknown(String why) -> lose(reply, why, halt);
        case ReplyChange.Rejected(String why) -> reject(reply, why, halt);
        case ReplyChange.Held(String why) -> hold(reply, why, halt);
      };
    }
    @Nullable StoreException storeFailure = attempt.storeFailure();
    if (storeFailure != null) {
      LOG.warn(
          "reply {}: not posted, the store refused: {}",
          reply.reply().id(),
          storeFailure.getMessage());
      return new PostStep.Wait(STORE_AWAY);
    }
    return pause(rejectedFor);
  }

  private static PostStep pause(Duration wait) {
    Duration least = wait.compareTo(PAUSE_MIN) < 0 ? PAUSE_MIN : wait;
    return new PostStep.Pause(least.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : least);
  }

  private PostStep retry(Reply reply, ReplyChange.Retry retry, StopInterrupt halt)
      throws InterruptedException {
    write(
        reply,
        () ->
            book.retryAt(reply.seq(), time.now().plus(retry.delay()), retry.why(), retry.counts()),
        halt);
    LOG.info(
        "reply {}: again in {} ms: {}", reply.reply().id(), retry.delay().toMillis(), retry.why());
    events.tell(reply, "retried", "retry_at", retry.why());
    return new PostStep.Wait(retry.delay());
  }

  private PostStep lose(Reply reply, String why, StopInterrupt halt) throws InterruptedException {
    write(reply, () -> book.unknown(reply.seq(), why), halt);
    LOG.warn("reply {}: may have arrived or not: {}", reply.reply().id(), why);
    events.tell(reply, "unknown", "unknown", why);
    return rules.isResentAfterLoss(reply)
        ? new PostStep.Wait(rules.config().initialBackoff())
        : new PostStep.Next();
  }

  private PostStep reject(Reply reply, String why, StopInterrupt halt) throws InterruptedException {
    write(reply, () -> book.rejected(reply.seq(), why), halt);
    LOG.warn("reply {}: given up: {}", reply.reply().id(), why);
    events.tell(reply, "rejected", "rejected", why);
    for (Reply later : laterParts(reply)) {
      String because = missing(reply);
      write(later, () -> book.rejected(later.seq(), because), halt);
      events.tell(later, "rejected", "rejected", because);
    }
    return new PostStep.Next();
  }

  private PostStep hold(Reply reply, String why, StopInterrupt halt) throws InterruptedException {
    write(reply, () -> book.held(reply.seq(), why), halt);
    LOG.warn("reply {}: held for the operator: {}", reply.reply().id(), why);
    events.tell(reply, "held", "held", why);
    for (Reply later : laterParts(reply)) {
      String because = missing(reply);
      write(later, () -> book.held(later.seq(), because), halt);
      events.tell(later, "held", "held", because);
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
    return book.openOf(part.threadId(), SIBLINGS_MAX).stream()
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
  private void write(Reply reply, PostAttempt.StoreCall change, StopInterrupt halt)
      throws InterruptedException {
    for (Duration wait = STORE_RETRY_MIN; ; wait = doubled(wait)) {
      try {
        change.run();
        return;
      } catch (StoreException e) {
        LOG.warn(
            "reply {}: its new state is not stored yet: {}", reply.reply().id(), e.getMessage());
        if (halt.isStopped()) {
          throw new InterruptedException("stopped while the store refused");
        }
        time.sleep(wait);
      }
    }
  }

  private static Duration doubled(Duration wait) {
    Duration doubled = wait.multipliedBy(2);
    return doubled.compareTo(STORE_AWAY) < 0 ? doubled : STORE_AWAY;
  }

  /**
   * The platform's name of the conversation; for a channel that plans without one it is the end of
   * the thread's id.
   */
  private OutboundReply outbound(NewReply reply, boolean resend) {
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
        found);
  }

  /** The files that go with it; of one that is gone the text says so. */
  private List<StoredFile> files(NewReply reply, StringBuilder text) {
    List<StoredFile> found = new ArrayList<>();
    for (ReplyFile file : ReplyFile.read(reply.files())) {
      Optional<Path> place = files.apply(reply.threadId()).find(file.file());
      if (place.isPresent()) {
        found.add(new StoredFile(file.name(), file.mediaType(), place.get(), file.bytes()));
      } else {
        LOG.warn("reply {}: a file that goes with it is gone", reply.id());
        text.append("\n[The file \"").append(file.name()).append("\" is not there any more.]");
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
