package dev.holdfast.agents.turn;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Epoch;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.StoredAttachment;
import dev.holdfast.api.Choice;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.channels.Splitter;
import dev.holdfast.bus.News;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.incidents.AffectedEvent;
import dev.holdfast.incidents.IncidentDetails;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.incidents.IncidentReports;
import dev.holdfast.incidents.IncidentSeverity;
import dev.holdfast.incidents.NewIncident;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.QuestionButtons;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Finish;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.Outbox;
import dev.holdfast.store.messages.ReplyChoices;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes down how turns end, and what is said about it. Thread-safe. */
public final class TurnEndings {
  private static final Logger LOG = LoggerFactory.getLogger(TurnEndings.class);
  private static final Backoff RETRY = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(15));

  /** How far back what has not ended yet was logged, if at all. */
  private static final int LOG_LINES = 1000;

  private static final String LINE_BEGINS = "{\"id\":\"";

  /** In stories and news: a run of an event begins. */
  public static final String STARTED = "turn.started";

  /** Something to say. Empty text: nothing. */
  public record Say(ReplyVoice voice, String text, List<ReplyFile> files) {
    public static final Say NOTHING = new Say(ReplyVoice.ANSWER, "");

    public Say(ReplyVoice voice, String text) {
      this(voice, text, List.of());
    }
  }

  private final Store store;
  private final Channels channels;
  private final News news;
  private final IncidentReports incidents;
  private final MeterRegistry meters;
  private final Time time;
  private final Epoch epoch;

  /** Lines may be large, and so only one thread reads them at a time. */
  private final Lock readingLog;

  /** For those whose thread nobody gives up. */
  public TurnEndings(
      Store store,
      Channels channels,
      News news,
      IncidentReports incidents,
      MeterRegistry meters,
      Time time) {
    this(store, channels, news, incidents, meters, time, Epoch.endless(time), new ReentrantLock());
  }

  private TurnEndings(
      Store store,
      Channels channels,
      News news,
      IncidentReports incidents,
      MeterRegistry meters,
      Time time,
      Epoch epoch,
      Lock readingLog) {
    this.store = store;
    this.channels = channels;
    this.news = news;
    this.incidents = incidents;
    this.meters = meters;
    this.time = time;
    this.epoch = epoch;
    this.readingLog = readingLog;
  }

  /** The same for a thread that may be given up: it writes within this epoch. */
  public TurnEndings within(Epoch one) {
    return new TurnEndings(store, channels, news, incidents, meters, time, one, readingLog);
  }

  public Epoch epoch() {
    return epoch;
  }

  /** A question waits for a person. */
  void opened(Approval question) {
    ApprovalPrompts.opened(news, question);
  }

  /** It waits no longer, whoever decided that. */
  public void closed(Approval question, Approval.State state, String by) {
    ApprovalPrompts.closed(news, question, state, by);
  }

  /** Counts that an agent begins again after a bug. */
  public void countRestart() {
    meters.counter("holdfast.restarts", "child", "thread-agent").increment();
  }

  /**
   * Ends the events of a turn in one transaction; the last one gets the reply. Tries until the disk
   * takes it: the answer is paid for and held in memory meanwhile. Events that somebody else has
   * ended stay as they are, and nothing is said about them again.
   *
   * @return how many events it ended
   * @throws InterruptedException when the server stops first; the next start goes on from the last
   *     checkpoint
   */
  public int end(List<Incoming> batch, TurnEnd end, Say say) throws InterruptedException {
    Incoming last = batch.getLast();
    String id = id(last, say.voice());
    List<NewReply> replies = replies(last, say, id, List.of());
    if (!say.text().isEmpty() && (say.voice() != ReplyVoice.ERROR || isAnyOpen(batch))) {
      log(last, id, say);
    }
    List<StoryLine> story = new ArrayList<>();
    for (Incoming incoming : batch.subList(0, batch.size() - 1)) {
      story.add(line(incoming, "turn.joined", Entries.object().put("answered_with", last.id())));
    }
    for (Incoming incoming : batch) {
      story.add(line(incoming, "event.finished", details(end)));
    }
    Finish finish =
        new Finish(
            batch.stream().map(Incoming::seq).toList(),
            end.outcome(),
            end.reason(),
            replies,
            story);
    List<Approval> asked =
        end.outcome() == EventState.ANSWERED
            ? List.of()
            : batch.stream()
                .flatMap(one -> store.approvals().waitingOf(one.id()).stream())
                .toList();
    Set<Long> ended = new HashSet<>();
    persist(last, () -> ended.addAll(store.inbox().finish(finish)));
    if (ended.isEmpty()) {
      return 0;
    }
    if (end.code() == FailureCode.ACTOR_CRASHED) {
      report(batch.stream().filter(each -> ended.contains(each.seq())).toList(), end.reason());
    }
    announce(last, replies, say.voice());
    asked.forEach(question -> closed(question, Approval.State.EXPIRED, "server"));
    for (Incoming incoming : batch) {
      if (!ended.contains(incoming.seq())) {
        continue;
      }
      news("event.finished", incoming, Entries.object().put("outcome", name(end.outcome())));
      meters
          .counter("holdfast.events", "channel", channel(incoming), "outcome", name(end.outcome()))
          .increment();
    }
    return ended.size();
  }

  private void report(List<Incoming> givenUp, String reason) {
    List<AffectedEvent> affected =
        givenUp.stream()
            .map(
                each ->
                    new AffectedEvent(
                        each.id(), reason, "it is a dead letter and its sender was told"))
            .toList();
    incidents.report(
        new NewIncident(
            IncidentKind.EVENT_CRASHES,
            IncidentSeverity.CRITICAL,
            "turns",
            "Every run of an event ended in a crash, so it became a dead letter.",
            IncidentDetails.of(
                    List.of(
                        "An event becomes a dead letter after inbox.max_attempts runs that end in a"
                            + " crash."),
                    List.of("Find out from the log what crashed before you replay the event."),
                    List.of(
                        "holdfast trace " + givenUp.getFirst().id(),
                        "holdfast dlq list --kind event"))
                .withAffected(affected, affected.size())));
  }

  private static ObjectNode details(TurnEnd end) {
    ObjectNode details = Entries.object().put("outcome", name(end.outcome()));
    FailureCode code = end.code();
    if (code != null) {
      details.put("code", code.name());
    }
    return end.reason().isEmpty() ? details : details.put("reason", end.reason());
  }

  /**
   * A turn that is cut off may have come to its end just before: what is then said about it would
   * stand in the log and nowhere else.
   */
  private boolean isAnyOpen(List<Incoming> batch) {
    return batch.stream()
        .flatMap(incoming -> store.inbox().find(incoming.id()).stream())
        .anyMatch(event -> event.state().isOpen());
  }

  /**
   * Says something while the event stays open. Nothing is said twice: the id of a notice is stable.
   */
  public void tell(Incoming incoming, Say say) throws StoreException {
    plan(incoming, say, id(incoming, say.voice()));
  }

  /** {@code about}: what is said once about this, in place of once about the event. */
  public void tell(Incoming incoming, Say say, String about) throws StoreException {
    plan(incoming, say, about + "." + say.voice().label());
  }

  /**
   * The same in each try, so that nothing is said twice; another one after each replay, where what
   * was said before is old.
   */
  private static String id(Incoming incoming, ReplyVoice voice) {
    int replays = incoming.event().replays();
    return incoming.id() + "." + voice.label() + (replays == 0 ? "" : replays);
  }

  private void plan(Incoming incoming, Say say, String id) throws StoreException {
    plan(incoming, say, id, List.of(), _ -> {});
  }

  private void plan(
      Incoming incoming, Say say, String id, List<Choice> choices, Outbox.Beside beside)
      throws StoreException {
    List<NewReply> replies = replies(incoming, say, id, choices);
    log(incoming, id, say);
    epoch.change(() -> store.outbox().plan(replies, beside));
    announce(incoming, replies, say.voice());
  }

  /**
   * Asks a person, once, whether a call may run; with buttons where the channel shows them. The
   * question knows its buttons from the commit on that plans their post.
   */
  void ask(Incoming incoming, Approval question, SecureRandom random) throws StoreException {
    boolean hasButtons =
        channels.facts(channel(incoming)).map(ChannelFacts::showsChoices).orElse(false);
    String text = ChatSentences.mayI(question, hasButtons);
    if (!hasButtons) {
      tell(incoming, new Say(ReplyVoice.QUESTION, text), question.id());
      return;
    }
    QuestionButtons buttons = QuestionButtons.draw(random, ChatSentences.showsAllOf(question));
    plan(
        incoming,
        new Say(ReplyVoice.QUESTION, text),
        question.id() + "." + ReplyVoice.QUESTION.label(),
        buttons.choices(),
        store.approvals().show(question.id(), buttons));
  }

  /** Whether that was said about this. */
  public boolean isTold(ReplyVoice voice, String about) {
    return store.outbox().find(about + "." + voice.label() + ".1").isPresent();
  }

  /** {@code outside}: the time that models and tools took of a turn that began at {@code begun}. */
  public void measure(long begun, Duration outside) {
    Duration whole = Duration.ofNanos(time.nanos() - begun);
    meters.timer("holdfast.turn").record(whole);
    // Buckets, because what the slowest turns cost is asked for and no mean tells.
    Timer.builder("holdfast.turn.overhead")
        .description("Turns without the time of models and tools.")
        .publishPercentileHistogram()
        .minimumExpectedValue(Duration.ofNanos(50_000))
        .maximumExpectedValue(Duration.ofSeconds(30))
        .register(meters)
        .record(whole.compareTo(outside) > 0 ? whole.minus(outside) : Duration.ZERO);
  }

  public void news(String kind, Incoming incoming, ObjectNode details) {
    epoch.check();
    news.publish(kind, incoming.event().threadId(), incoming.id(), details.toString());
  }

  public void story(Incoming incoming, String what, ObjectNode details) {
    StoryLine line = line(incoming, what, details);
    epoch.change(() -> store.stories().add(line));
  }

  /** A write that the disk refused is tried again until it is taken. */
  void persist(Incoming incoming, Write write) throws InterruptedException {
    for (int failures = 1; ; failures++) {
      try {
        epoch.change(write::run);
        return;
      } catch (StoreException e) {
        LOG.warn(
            "event {}: the store refused its end, which is kept in memory: {}",
            incoming.id(),
            e.failure().message());
        Duration wait = RETRY.after(failures);
        epoch.waits(wait);
        time.sleep(wait);
      }
    }
  }

  /** A write to the store. */
  interface Write {
    void run() throws StoreException;
  }

  /**
   * Writes what a person said as one line of {@code log.jsonl}; readers let a later line take the
   * place of an earlier one with the same id. A failure costs the line only.
   */
  public void logMessage(Incoming incoming, List<StoredAttachment> files) {
    logMessage(incoming, incoming.message().text(), files);
  }

  /** As {@link #logMessage(Incoming, List)}, with this text in place of its own. */
  public void logMessage(Incoming incoming, String text, List<StoredAttachment> files) {
    write(incoming.event().threadId(), messageLine(incoming, text, files));
  }

  /**
   * As {@link #logMessage(Incoming, List)}, of a message whose turn begins: from here on what it
   * replaces is replaced.
   */
  void logBegun(Incoming incoming, List<StoredAttachment> files) {
    ObjectNode json = messageLine(incoming, incoming.message().text(), files);
    if (incoming.options().replaces()) {
      json.put("supersedes", incoming.options().supersedes());
    }
    write(incoming.event().threadId(), json);
  }

  private ObjectNode messageLine(Incoming incoming, String text, List<StoredAttachment> files) {
    ObjectNode json =
        logLine(incoming.id(), "user", incoming.id())
            .put("at", incoming.event().receivedAt().toString())
            .put("sender", incoming.message().sender())
            .put("text", text);
    StoredAttachment.write(json, files);
    return json;
  }

  /**
   * What stands in the newest lines of a thread's log: the ids of events whose message does, and of
   * what was said to it.
   */
  public Set<String> logged(String threadId) {
    readingLog.lock();
    try {
      return store.threads().of(threadId).readLog(LOG_LINES).stream()
          .map(TurnEndings::idOf)
          .collect(Collectors.toSet());
    } catch (IOException e) {
      LOG.warn("thread {}: its log cannot be read: {}", threadId, e.getMessage());
      return Set.of();
    } finally {
      readingLog.unlock();
    }
  }

  /** As {@link #logLine} begins; empty when it begins in another way. */
  private static String idOf(String line) {
    int end = line.indexOf('"', LINE_BEGINS.length());
    return line.startsWith(LINE_BEGINS) && end >= 0
        ? line.substring(LINE_BEGINS.length(), end)
        : "";
  }

  /** Writes down for people what was done at somebody's request, without saying it to anybody. */
  public void logDone(String threadId, String text) {
    String id = UUID.randomUUID() + "." + ReplyVoice.COMMAND.label();
    write(threadId, logLine(id, ReplyVoice.COMMAND.role(), "").put("sender", "").put("text", text));
  }

  private void log(Incoming incoming, String id, Say say) {
    ObjectNode json =
        logLine(id, say.voice().role(), incoming.id()).put("sender", "").put("text", say.text());
    putFiles(json, say.files());
    write(incoming.event().threadId(), json);
  }

  private static void putFiles(ObjectNode json, List<ReplyFile> files) {
    if (!files.isEmpty()) {
      json.set("attachments", json.arrayNode());
      for (ReplyFile file : files) {
        json.withArray("attachments")
            .addObject()
            .put("name", file.name())
            .put("media_type", file.mediaType())
            .put("file", file.file())
            .put("bytes", file.bytes());
      }
    }
  }

  private ObjectNode logLine(String id, String role, String eventId) {
    return Entries.object()
        .put("id", id)
        .put("at", time.now().toString())
        .put("role", role)
        .put("event", eventId);
  }

  private void write(String threadId, ObjectNode line) {
    try {
      epoch.change(() -> store.threads().of(threadId).log(line.toString()));
    } catch (IOException e) {
      LOG.warn("thread {}: not written to its log: {}", threadId, e.getMessage());
    }
  }

  private List<NewReply> replies(Incoming incoming, Say say, String id, List<Choice> choices) {
    if (say.text().isEmpty()) {
      return List.of();
    }
    String channel = channel(incoming);
    boolean delivered = channels.facts(channel).map(facts -> !facts.posts()).orElse(false);
    List<String> texts = Splitter.split(say.text(), channels.textUnitsMax(channel));
    List<NewReply> replies = new ArrayList<>();
    for (int part = 1; part <= texts.size(); part++) {
      replies.add(
          new NewReply(
              id + "." + part,
              incoming.id(),
              incoming.event().source(),
              incoming.event().threadId(),
              incoming.message().thread(),
              incoming.isOurs() ? "" : incoming.event().dedupeKey(),
              texts.get(part - 1),
              part,
              texts.size(),
              delivered,
              part == texts.size() ? ReplyFile.write(say.files()) : "",
              part == texts.size() ? ReplyChoices.write(choices) : ""));
    }
    return replies;
  }

  private void announce(Incoming incoming, List<NewReply> replies, ReplyVoice voice) {
    for (NewReply reply : replies) {
      ObjectNode details =
          Entries.object()
              .put("reply_id", reply.id())
              .put("role", voice.role())
              .put("part", reply.part())
              .put("parts", reply.parts())
              .put("text", reply.text());
      putFiles(details, ReplyFile.read(reply.files()));
      news("reply.planned", incoming, details);
    }
  }

  private StoryLine line(Incoming incoming, String what, ObjectNode details) {
    return new StoryLine(incoming.id(), time.now(), what, details.toString());
  }

  private static String channel(Incoming incoming) {
    String source = incoming.event().source();
    return source.substring(0, Math.max(0, source.indexOf(':')));
  }

  private static String name(EventState outcome) {
    return outcome.name().toLowerCase(java.util.Locale.ROOT);
  }
}
