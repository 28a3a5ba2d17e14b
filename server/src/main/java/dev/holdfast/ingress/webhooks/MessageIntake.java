package dev.holdfast.ingress.webhooks;

import dev.holdfast.agents.context.Attachments;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.bus.News;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.channels.MessageAcceptance;
import dev.holdfast.channels.MessageOptions;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.media.FileNames;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.ClickVerdict;
import dev.holdfast.store.messages.Appended;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes verified messages in: commits them, then tells whoever watches. Whoever runs them hears of
 * them from the inbox, in the order of the commits. Thread-safe.
 */
public final class MessageIntake implements MessageAcceptance {
  private static final Logger LOG = LoggerFactory.getLogger(MessageIntake.class);

  /** By channel and {@code outcome}. */
  public static final String CLICKS = "holdfast.clicks";

  /** Of an inbound message, from wherever it comes. */
  private static final int TEXT_UNITS_MAX = 1_048_576;

  private static final int ID_UNITS_MAX = 2000;
  private static final int ATTACHMENTS_MAX = 100;
  private static final int FACT_UNITS_MAX = 8192;

  /** A pattern takes whole pairs for one character each. */
  private static final Pattern HALF_PAIR = Pattern.compile("\\p{Cs}");

  private static final Pattern NOT_SHOWN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+");
  private static final Pattern NOT_READ = Pattern.compile("[^\\p{L}\\p{N}:]");
  private static final Duration RETRY_LATER = Duration.ofSeconds(5);

  /** Platforms give up after 3 s and send again; a clear 503 before that tells them more. */
  static final Duration COMMIT_WAIT_MAX = Duration.ofMillis(2500);

  /** As {@link dev.holdfast.api.Choice#token} says; no other is looked for. */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_-]{22}");

  private final InboxIntake intake;
  private final SenderCheck senders;
  private final ClickIntake clicks;
  private final Consumer<InboundMessage> accepted;
  private final News news;
  private final Time time;
  private final MeterRegistry meters;
  private final Map<String, Counter> counters = new ConcurrentHashMap<>();

  /**
   * @param accepted hears of each message after its commit, on the writer's thread; may not block
   */
  public MessageIntake(
      InboxIntake intake,
      SenderCheck senders,
      ClickIntake clicks,
      Consumer<InboundMessage> accepted,
      News news,
      Time time,
      MeterRegistry meters) {
    this.intake = intake;
    this.senders = senders;
    this.clicks = clicks;
    this.accepted = accepted;
    this.news = news;
    this.time = time;
    this.meters = meters;
  }

  @Override
  public CompletableFuture<?> take(String channel, InboundMessage message) {
    if (isNothing(message)) {
      count(channel, "filtered");
      return CompletableFuture.completedFuture(message);
    }
    Optional<String> problem = problem(message);
    if (problem.isPresent()) {
      return invalid(problem.get());
    }
    InboundMessage wellFormed = wellFormed(message);
    Optional<DropReason> dropped = senders.judge(channel, wellFormed);
    if (dropped.isPresent()) {
      dropped(channel, List.of(dropped.get()));
      return CompletableFuture.completedFuture(message);
    }
    return append(channel, wellFormed, MessageOptions.NONE);
  }

  /** Nothing to read and nothing to look at: there is nothing to answer. */
  private static boolean isNothing(InboundMessage message) {
    return message.text().isBlank() && message.attachments().isEmpty();
  }

  @Override
  public String clicked(String channel, Click click) throws StoreException {
    ClickVerdict.Meaning meaning =
        TOKEN.matcher(click.token()).matches()
            ? clicks.clicked(
                channel + ":" + click.account() + ":" + click.thread(),
                click.sender(),
                click.token())
            : ClickVerdict.Meaning.CLOSED;
    meters.counter(CLICKS, "channel", channel, "outcome", name(meaning)).increment();
    return switch (meaning) {
      case APPROVED -> "Approved.";
      case DENIED -> "Denied.";
      case ALREADY_APPROVED -> "This was already approved.";
      case ALREADY_DENIED -> "This was already denied.";
      case CLOSED -> "This question is no longer open.";
      case NOT_THEIRS -> "Only the person who was asked may decide this.";
      case NOT_ALLOWED -> "You may not decide this any more.";
    };
  }

  /** The label of {@link #CLICKS}. */
  public static String name(ClickVerdict.Meaning meaning) {
    return meaning.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void dropped(String channel, List<DropReason> reasons) {
    for (DropReason reason : reasons) {
      String name = reason.name().toLowerCase(Locale.ROOT);
      meters.counter("holdfast.messages.filtered", "channel", channel, "reason", name).increment();
    }
  }

  @Override
  public void refused(String channel) {
    count(channel, "refused");
  }

  /**
   * Completes after the commit, on the writer's thread; fails with a StoreException and then
   * nothing was accepted.
   */
  CompletableFuture<Appended> accept(String channel, InboundMessage given, MessageOptions options) {
    Optional<String> problem = problem(given);
    return problem.isPresent()
        ? invalid(problem.get())
        : append(channel, wellFormed(given), options);
  }

  /** Why no message may be as this one is. */
  private static Optional<String> problem(InboundMessage message) {
    Optional<String> tooLarge = tooLarge(message);
    if (tooLarge.isPresent()) { // asked first: the rest looks at every character
      return tooLarge;
    }
    if (hasControlCharacter(message)) {
      return Optional.of("an id has a control character");
    }
    if (ids(message).anyMatch(id -> HALF_PAIR.matcher(id).find())) {
      return Optional.of("an id has half a surrogate pair");
    }
    if (message.thread().getBytes(StandardCharsets.UTF_8).length
        > InboundPayload.THREAD_BYTES_MAX) {
      return Optional.of(
          "the thread is longer than " + InboundPayload.THREAD_BYTES_MAX + " bytes of UTF-8");
    }
    if (isDotSegment(message.dedupeKey())) {
      return Optional.of("an id may not be . or ..: no path can name it");
    }
    return looksLikeWakeup(message.sender())
        ? Optional.of("senders that begin with " + Incoming.WAKEUP_SENDER + " are wake-ups")
        : Optional.empty();
  }

  private CompletableFuture<Appended> append(
      String channel, InboundMessage message, MessageOptions options) {
    String source = channel + ":" + message.account();
    NewEvent event =
        new NewEvent(
            source,
            source + ":" + message.thread(),
            message.dedupeKey(),
            InboundPayload.write(message, options),
            time.now());
    // Made here and not after the commit: the writer's thread is the one that all others wait for.
    String shown = shown(message, options).encode();
    return intake.append(event).thenApply(appended -> committed(channel, message, shown, appended));
  }

  private static CompletableFuture<Appended> invalid(String why) {
    return CompletableFuture.failedFuture(
        new StoreException(Failure.of(FailureCode.INVALID_REQUEST, why)));
  }

  public static boolean isDotSegment(String id) {
    return id.equals(".") || id.equals("..");
  }

  /**
   * Whether a reader could take it for one, whatever signs stand before and between its letters.
   */
  private static boolean looksLikeWakeup(String sender) {
    String plain = Normalizer.normalize(sender, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
    return NOT_READ.matcher(plain).replaceAll("").startsWith(Incoming.WAKEUP_SENDER);
  }

  /** Ids stand in lists, logs and terminals, where such a one would write lines of its own. */
  private static boolean hasControlCharacter(InboundMessage message) {
    return ids(message).anyMatch(id -> id.chars().anyMatch(Character::isISOControl));
  }

  private static Stream<String> ids(InboundMessage message) {
    return Stream.of(
        message.account(),
        message.thread(),
        message.sender(),
        message.dedupeKey(),
        message.origin().chat(),
        message.origin().team());
  }

  private static Optional<String> tooLarge(InboundMessage message) {
    if (message.text().length() > TEXT_UNITS_MAX) {
      return Optional.of("the text is longer than " + TEXT_UNITS_MAX + " UTF-16 units");
    }
    if (ids(message).anyMatch(id -> id.length() > ID_UNITS_MAX)) {
      return Optional.of("an id is longer than " + ID_UNITS_MAX + " UTF-16 units");
    }
    if (message.attachments().size() > ATTACHMENTS_MAX) {
      return Optional.of("there are more than " + ATTACHMENTS_MAX + " attachments");
    }
    boolean isLong =
        message.attachments().stream()
            .flatMap(file -> Stream.of(file.name(), file.mediaType(), file.url()))
            .anyMatch(fact -> fact.length() > FACT_UNITS_MAX);
    return isLong
        ? Optional.of("a fact of an attachment is longer than " + FACT_UNITS_MAX + " UTF-16 units")
        : Optional.empty();
  }

  /** Halves of surrogate pairs cannot be stored: in what is only read they are replaced. */
  private static InboundMessage wellFormed(InboundMessage message) {
    return new InboundMessage(
        message.account(),
        message.thread(),
        message.sender(),
        wellFormed(message.text()),
        message.attachments().stream()
            .map(
                file ->
                    new Attachment(
                        wellFormed(file.name()),
                        wellFormed(file.mediaType()),
                        wellFormed(file.url()),
                        file.bytes()))
            .toList(),
        message.dedupeKey(),
        wellFormed(message.origin()));
  }

  private static Origin wellFormed(Origin origin) {
    return new Origin(
        origin.place(),
        origin.chat(),
        origin.team(),
        shownName(origin.senderName()),
        origin.fromBot(),
        origin.addressed(),
        origin.writtenAtMillis());
  }

  /** It is shown in lists and told to models: no line of its own, and nothing unseen. */
  private static String shownName(String name) {
    return NOT_SHOWN.matcher(wellFormed(name)).replaceAll(" ").strip();
  }

  private static String wellFormed(String text) {
    return HALF_PAIR.matcher(text).replaceAll("\uFFFD");
  }

  private Appended committed(
      String channel, InboundMessage message, String shown, Appended appended) {
    count(channel, appended.duplicate() ? "duplicate" : "accepted");
    if (!appended.duplicate()) {
      // The event is safe: its sender gets 200 whatever goes wrong from here on.
      try {
        accepted.accept(message);
        news.publish("event.accepted", appended.event().threadId(), appended.event().id(), shown);
      } catch (RuntimeException e) {
        LOG.error("event {}: committed, but could not be announced", appended.event().id(), e);
      }
    }
    return appended;
  }

  /** The event may still be accepted. */
  static RefusedRequestException slow() {
    return new RefusedRequestException(
        503, FailureCode.OVERLOADED, "the store is slow; try again", RETRY_LATER);
  }

  /**
   * As {@link #accept}, and blocks until the commit. Of a disk that hangs the client is told before
   * it gives up; the message may still be accepted, and its key tells when it is sent again.
   *
   * @throws RefusedRequestException when the store refused or is slow
   */
  public Appended commit(String channel, InboundMessage message)
      throws RefusedRequestException, InterruptedException {
    return commit(channel, message, MessageOptions.NONE);
  }

  /** As {@link #commit(String, InboundMessage)}, with what it says besides its words. */
  public Appended commit(String channel, InboundMessage message, MessageOptions options)
      throws RefusedRequestException, InterruptedException {
    try {
      return accept(channel, message, options)
          .get(COMMIT_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      throw slow();
    } catch (ExecutionException e) {
      throw Refusals.ofStore(e.getCause() == null ? e : e.getCause());
    }
  }

  /** As {@link #shown(InboundMessage)}, with what it replaces. */
  public static JsonObject shown(InboundMessage message, MessageOptions options) {
    JsonObject shown = shown(message);
    return options.replaces() ? shown.put("supersedes", options.supersedes()) : shown;
  }

  /** A message as watchers and readers are shown it: sender, text and what files it has. */
  public static JsonObject shown(InboundMessage message) {
    JsonObject shown = new JsonObject().put("text", message.text()).put("sender", message.sender());
    JsonArray files = new JsonArray();
    for (Attachment attachment : message.attachments()) {
      JsonObject file =
          new JsonObject()
              .put("name", FileNames.shown(attachment.name()))
              .put("media_type", attachment.mediaType())
              .put("bytes", attachment.bytes());
      if (attachment.url().startsWith(Attachments.UPLOADED)) {
        file.put("file", attachment.url().substring(Attachments.UPLOADED.length()));
      }
      files.add(file);
    }
    return files.isEmpty() ? shown : shown.put("attachments", files);
  }

  void count(String channel, String outcome) {
    String key = channel + ' ' + outcome;
    Counter counter = counters.get(key);
    if (counter == null) {
      counter =
          counters.computeIfAbsent(
              key, _ -> meters.counter("holdfast.events", "channel", channel, "outcome", outcome));
    }
    counter.increment();
  }
}
