package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Turns the news of one chat thread into what a person reads: answers as they grow, notices, other
 * people's messages. Says each thing once, although news may come twice. Thread-safe.
 */
final class ConversationView {
  private static final Set<String> FINAL =
      Set.of("answered", "silent", "held", "dead_lettered", "cancelled");

  /** How much is shown. */
  enum OutputMode {
    /** Answers while they grow, notices, other people's messages. */
    LIVE,
    /** Only the whole answers to what this person sent. */
    WHOLE,
    QUIET
  }

  private final Terminal terminal;
  private final OutputMode outputMode;
  private final String person;
  private final Time time;
  private final MarkdownStream blocks;
  private final Set<String> approvalsAsked = new HashSet<>();
  private final Set<String> sending = new HashSet<>();

  private final Set<String> ownEvents = new HashSet<>();
  private final Set<String> repliesShown = new HashSet<>();
  private final Map<String, StringBuilder> streamed = new HashMap<>();
  private final Semaphore finishes = new Semaphore(0);
  private final Map<String, String> outcomes = new HashMap<>();

  /** What runs now, since when and for which event; empty when nothing does. */
  private String doing = "";

  private long doingSince;
  private String doingEvent = "";
  private Optional<Question> question = Optional.empty();

  /** The event whose text is on the line that is not ended yet; empty when there is none. */
  private String growing = "";

  /**
   * @param person under whose name this terminal sends
   */
  ConversationView(Terminal terminal, OutputMode outputMode, String person, Time time) {
    this.terminal = terminal;
    this.outputMode = outputMode;
    this.person = person;
    this.time = time;
    this.blocks = new MarkdownStream(terminal);
  }

  /** Whether an answer to this person is still awaited. */
  synchronized boolean isAwaited() {
    return !outcomes.keySet().containsAll(ownEvents);
  }

  /** To be called before a text is sent: its news may be faster than the answer to the request. */
  synchronized void sending(String text) {
    sending.add(text);
  }

  /**
   * The text that was sent became this event.
   *
   * @return whether its news may have come before we knew that
   */
  synchronized boolean sent(String eventId) {
    sending.clear();
    return ownEvents.add(eventId);
  }

  /** Empty while it is open. */
  synchronized String outcome(String eventId) {
    return outcomes.getOrDefault(eventId, "");
  }

  /** Waits until some event is finished or {@code millis} have passed. */
  void await(long millis) throws InterruptedException {
    boolean _ = finishes.tryAcquire(millis, TimeUnit.MILLISECONDS);
  }

  synchronized void news(String kind, JsonNode item) {
    String event = CliJson.text(item, "event_id");
    switch (kind) {
      case "turn.text" -> grow(event, CliJson.lines(item, "delta"));
      case "turn.restart" -> restart(event);
      case "event.accepted" -> accepted(item);
      case "turn.doing" -> doing(event, CliJson.text(item, "label"));
      case "tool.started" -> doing(event, CliJson.text(item, "label"));
      case "tool.ended" -> ended(event, item);
      case "approval.asked" -> asked(item);
      case "approval.decided" -> decided(item);
      case "turn.parked" -> note("[waiting: " + CliJson.text(item, "reason") + "]");
      case "reply.planned" ->
          reply(event, CliJson.text(item, "reply_id"), CliJson.lines(item, "text"));
      case "event.finished" -> finished(event, CliJson.text(item, "outcome"));
      default -> {
        // The rest is for those who watch the server, not for those who talk to it.
      }
    }
  }

  /** What runs, on a line that replaces itself; see {@link #tick}. */
  private void doing(String event, String label) {
    if (outputMode != OutputMode.LIVE || outcomes.containsKey(event)) {
      return;
    }
    endLine();
    if (!label.equals(doing)) {
      doing = label;
      doingSince = time.nanos();
    }
    doingEvent = event;
    tick();
  }

  /** Shows for how long it has been running. To be called every second or so. */
  synchronized void tick() {
    if (!doing.isEmpty() && growing.isEmpty()) {
      Duration taken = Duration.ofNanos(time.nanos() - doingSince);
      terminal.progress(Formats.brief(doing, 100) + "... " + taken.toSeconds() + " s");
    }
  }

  private void ended(String event, JsonNode item) {
    if (outputMode == OutputMode.LIVE && event.equals(doingEvent)) {
      String label = doing.isEmpty() ? CliJson.text(item, "tool") : doing;
      String how = item.path("error").asBoolean() ? "failed after " : "took ";
      note(
          "["
              + Formats.brief(label, 100)
              + ": "
              + how
              + Formats.millis(item.path("millis").asLong())
              + "]");
      doing = "";
    }
  }

  private void asked(JsonNode item) {
    if (outputMode != OutputMode.LIVE || !approvalsAsked.add(id(item))) {
      return;
    }
    doing = "";
    note(
        "[waiting for approval by %s: %s]\n  %s"
            .formatted(
                CliJson.text(item, "person"),
                CliJson.text(item, "tool"),
                CliJson.text(item, "arguments")));
    if (CliJson.raw(item, "person").equals(person)) {
      question = Optional.of(new Question(id(item), CliJson.text(item, "code")));
      note("Allow it? y or n, then Enter");
    }
  }

  private void decided(JsonNode item) {
    question = question.filter(open -> !open.id().equals(id(item)));
    if (outputMode == OutputMode.LIVE) {
      note("[" + CliJson.text(item, "state") + " by " + CliJson.text(item, "by") + "]");
    }
  }

  private static String id(JsonNode item) {
    return CliJson.text(item, "approval_id");
  }

  private record Question(String id, String code) {}

  /** What a line that this person typed says to the server: y and n answer an open question. */
  synchronized String meant(String line) {
    if (question.isEmpty()) {
      return line;
    }
    String code = question.get().code();
    return switch (line.toLowerCase(Locale.ROOT)) {
      case "y", "yes" -> "/approve " + code;
      case "n", "no" -> "/deny " + code;
      default -> line;
    };
  }

  /** Another person's message. Ours are on the screen already. */
  private void accepted(JsonNode item) {
    String event = CliJson.text(item, "event_id");
    String text = CliJson.raw(item, "text");
    if (sending.remove(text)) {
      ownEvents.add(event);
    }
    if (outputMode == OutputMode.LIVE && !ownEvents.contains(event)) {
      note("[" + CliJson.text(item, "sender") + "] " + VisibleText.lines(text, "  "));
    }
  }

  /** The event's whole story, asked for after news were missed. */
  synchronized void catchUp(JsonNode story) {
    String event = CliJson.text(story, "event_id");
    for (JsonNode reply : CliJson.items(story, "replies")) {
      reply(event, CliJson.text(reply, "reply_id"), CliJson.lines(reply, "text"));
    }
    String state = CliJson.text(story, "state");
    if (FINAL.contains(state)) {
      finished(event, state);
    }
  }

  synchronized void note(String text) {
    endLine();
    terminal.note(terminal.dim(text));
  }

  private void grow(String event, String delta) {
    if (outputMode != OutputMode.LIVE || delta.isEmpty() || outcomes.containsKey(event)) {
      return;
    }
    if (!growing.equals(event)) {
      endLine();
      growing = event;
    }
    doing = "";
    terminal.clearProgress();
    streamed.computeIfAbsent(event, _ -> new StringBuilder()).append(delta);
    if (terminal.hasScreen()) {
      blocks.append(delta);
    } else {
      terminal.part(delta);
    }
  }

  private void restart(String event) {
    if (streamed.remove(event) != null) {
      note("[the answer restarts]");
    }
  }

  private void reply(String event, String replyId, String text) {
    boolean wanted =
        outputMode == OutputMode.LIVE
            || (outputMode == OutputMode.WHOLE && ownEvents.contains(event));
    if (!wanted || !repliesShown.add(replyId)) {
      return;
    }
    StringBuilder already = streamed.get(event);
    if (already != null && already.indexOf(text.strip()) >= 0) {
      endLine();
    } else if (replyId.startsWith(event + ".n") && outputMode == OutputMode.WHOLE) {
      note(text); // no answer: it must not end up in a pipe as one
    } else {
      endLine();
      terminal.line(terminal.hasScreen() ? MarkdownText.render(text, terminal) : text);
    }
  }

  private void finished(String event, String outcome) {
    if (growing.equals(event)) {
      endLine();
    }
    if (doingEvent.equals(event)) {
      doing = "";
      terminal.clearProgress();
    }
    streamed.remove(event);
    if (outcomes.putIfAbsent(event, outcome) == null
        && ownEvents.contains(event)
        && !outcome.equals("answered")) {
      terminal.note(terminal.dim("[" + outcome.replace('_', ' ') + "]"));
    }
    finishes.release();
  }

  private void endLine() {
    if (!growing.isEmpty()) {
      growing = "";
      if (terminal.hasScreen()) {
        blocks.end();
      } else {
        terminal.line("");
      }
    }
  }
}
