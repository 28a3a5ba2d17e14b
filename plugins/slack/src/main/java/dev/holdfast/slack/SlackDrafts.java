package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.DraftPace;
import dev.holdfast.kit.RecentMap;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Shows what answers say so far, for one account. In a thread it is a stream of Slack's own;
 * elsewhere, and where Slack has no streams, a message that is edited. Blocks the calling thread.
 * Thread-safe.
 */
final class SlackDrafts {
  /** Slack takes some 50 edits a minute of an app, and the replies need some of them. */
  private static final Duration EDIT_PER_ACCOUNT = Duration.ofMillis(1500);

  private static final Duration EDIT_PER_CHANNEL = Duration.ofSeconds(3);

  /** And some 100 pieces of streams. */
  private static final Duration STREAM_PER_ACCOUNT = Duration.ofMillis(700);

  private static final Duration STREAM_PER_CHANNEL = Duration.ofSeconds(1);

  /** The server interrupts a draft after 5 s, and a reply waits for its draft that long. */
  private static final Duration CALL_MAX = Duration.ofSeconds(4);

  /** What a stream takes at once is 12,000 characters. */
  private static final int PIECE_MAX = 10_000;

  private final SlackBot bot;
  private final PluginContext context;
  private final DraftMessages messages;
  private final DraftPace editPace;
  private final DraftPace streamPace;
  private volatile boolean hasStreams = true;
  private volatile boolean hasStatus = true;

  /** What each stream of this run says so far, by event. */
  private final RecentMap<String> streams = new RecentMap<>();

  /** Channels where Slack takes none. */
  private final RecentMap<Boolean> withoutStreams = new RecentMap<>();

  SlackDrafts(SlackBot bot, DraftMessages messages) {
    this.bot = bot;
    this.context = bot.context();
    this.messages = messages;
    this.editPace = new DraftPace(EDIT_PER_ACCOUNT, context::nanos);
    this.streamPace = new DraftPace(STREAM_PER_ACCOUNT, context::nanos);
  }

  /** Leaves out what comes too soon. */
  void show(Draft draft) throws CallFailedException, InterruptedException {
    messages.show(
        draft.eventId(),
        before -> {
          if (before.isEmpty()) {
            begin(draft, SlackPlace.ofThread(draft.thread()));
            return;
          }
          SlackDraft shown = SlackDraft.of(before.get());
          if (shown.isStream() && streams.has(draft.eventId())) {
            append(draft, shown);
          } else {
            edit(draft, shown);
          }
        });
  }

  private void begin(Draft draft, SlackPlace to) throws CallFailedException, InterruptedException {
    Map<String, Object> parameters = to.parameters();
    if (mayStream(to, parameters)) {
      if (draft.text().isBlank()) {
        showStatus(to, draft.activity());
      } else if (streamPace.tryTake(to.channel(), STREAM_PER_CHANNEL)) {
        start(draft, to, parameters);
      }
      return;
    }
    String text = SlackMarkup.draft(draft.text(), draft.activity(), context);
    if (text.isBlank() || !editPace.tryTake(to.channel(), EDIT_PER_CHANNEL)) {
      return;
    }
    Map<String, Object> message = to.parameters();
    message.put("text", text);
    message.put("unfurl_links", false);
    message.put("unfurl_media", false);
    SlackAnswer answer = first(draft, "chat.postMessage", message);
    if (judge(answer, to.channel()) && answer.outcome() instanceof PostOutcome.Sent(String ts)) {
      shown(draft, to, ts, false);
    }
  }

  /** Outside of conversations with one person a stream is for somebody. */
  private boolean mayStream(SlackPlace to, Map<String, Object> parameters) {
    Optional<RecentTalk.Writer> writer = bot.talk().lastWriter(to.thread());
    boolean isNobodys = writer.isEmpty() && !to.isDirect();
    boolean isPossible = hasStreams && !withoutStreams.has(to.channel());
    if (!isPossible || to.threadTs().isEmpty() || isNobodys) {
      return false;
    }
    writer.ifPresent(
        person -> {
          parameters.put("recipient_user_id", person.user());
          parameters.put("recipient_team_id", person.team());
        });
    return true;
  }

  private void start(Draft draft, SlackPlace to, Map<String, Object> parameters)
      throws CallFailedException, InterruptedException {
    String piece = piece(SlackMarkup.streamed(draft.text()), 0);
    parameters.put("markdown_text", piece);
    SlackAnswer answer = first(draft, "chat.startStream", parameters);
    if (judgeStream(answer, to.channel())) {
      if (answer.outcome() instanceof PostOutcome.Sent(String ts)) {
        streams.put(draft.eventId(), piece);
        shown(draft, to, ts, true);
      }
    } else if (!answer.error().isEmpty() && !answer.failure().isPassing()) {
      noStreams(to, answer);
    }
  }

  /** From the next draft on it is an edited message. */
  private void noStreams(SlackPlace to, SlackAnswer answer) {
    withoutStreams.put(to.channel(), true);
    if (answer.isRefusedEverywhere() && hasStreams) {
      hasStreams = false;
      context
          .logger()
          .log(
              Level.INFO,
              "account {0}: Slack takes no streams ({1}): drafts are edited messages",
              bot.name(),
              answer.error());
    }
  }

  /** When it is not known whether there is a draft now, there is to be no second one. */
  private SlackAnswer first(Draft draft, String method, Map<String, Object> parameters)
      throws CallFailedException, InterruptedException {
    try {
      SlackAnswer answer = bot.api().call(method, parameters, CALL_MAX);
      if (answer.outcome() instanceof PostOutcome.Unknown) {
        messages.giveUp(draft.eventId());
      }
      return answer;
    } catch (CallFailedException e) {
      if (!e.failure().isUnsent()) {
        messages.giveUp(draft.eventId());
      }
      throw e;
    }
  }

  private void shown(Draft draft, SlackPlace to, String ts, boolean isStream) {
    bot.talk().posted(to, ts);
    keep(draft, new SlackDraft(to, ts, isStream));
  }

  private void keep(Draft draft, SlackDraft shown) {
    messages.shown(entry(draft.eventId(), shown));
  }

  private DraftMessages.Shown entry(String eventId, SlackDraft shown) {
    return DraftMessages.Shown.of(eventId, bot.name(), shown.place());
  }

  /**
   * The reply was refused: it is a draft again, unless an earlier try of the reply stands there.
   */
  void refused(SlackDraft shown, OutboundReply reply) {
    messages.refused(entry(reply.eventId(), shown), reply);
  }

  private void append(Draft draft, SlackDraft shown)
      throws CallFailedException, InterruptedException {
    String before = streams.find(draft.eventId()).orElse("");
    String now = SlackMarkup.streamed(draft.text());
    SlackPlace at = shown.at();
    if (!now.startsWith(before) || now.length() == before.length()) {
      showStatus(at, draft.activity());
      return; // the model began again: the reply puts it right
    }
    if (!streamPace.tryTake(at.channel(), STREAM_PER_CHANNEL)) {
      return;
    }
    String piece = piece(now, before.length());
    Map<String, Object> parameters = at.message(shown.ts());
    parameters.put("markdown_text", piece);
    // Before the call: a piece whose answer is lost must not come twice.
    streams.put(draft.eventId(), before + piece);
    SlackAnswer answer = bot.api().call("chat.appendStream", parameters, CALL_MAX);
    if (!judgeStream(answer, at.channel())) {
      streams.put(draft.eventId(), answer.failure().isPassing() ? before : before + piece);
    }
  }

  private static String piece(String text, int from) {
    int end = Math.min(text.length(), from + PIECE_MAX);
    boolean inPair = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
    return text.substring(from, inPair ? end - 1 : end);
  }

  private void edit(Draft draft, SlackDraft shown)
      throws CallFailedException, InterruptedException {
    SlackPlace at = shown.at();
    String text = SlackMarkup.draft(draft.text(), draft.activity(), context);
    if (text.isBlank() || !editPace.tryTake(at.channel(), EDIT_PER_CHANNEL)) {
      return;
    }
    if (shown.isStream()) { // of an earlier run
      endStream(shown);
      keep(draft, new SlackDraft(at, shown.ts(), false));
    }
    Map<String, Object> parameters = at.message(shown.ts());
    parameters.put("text", text);
    parameters.put("blocks", List.of());
    judge(bot.api().call("chat.update", parameters, CALL_MAX), at.channel());
  }

  /** A message that is refused is left out; a wait that was asked for counts for replies too. */
  private boolean judge(SlackAnswer answer, String channel) throws CallFailedException {
    if (!isLimited(answer)) {
      return judgeStream(answer, channel);
    }
    editPace.holdReplies(channel, answer.failure().retryAfter());
    return false;
  }

  private static boolean isLimited(SlackAnswer answer) {
    return !answer.isOk() && answer.failure().code() == FailureCode.RATE_LIMITED;
  }

  /** The same of a piece of a stream: replies are none, and have limits of their own. */
  private boolean judgeStream(SlackAnswer answer, String channel) throws CallFailedException {
    if (answer.isOk()) {
      return true;
    }
    if (isLimited(answer)) {
      streamPace.hold(channel, answer.failure().retryAfter());
    } else if (answer.failure().isPassing()) {
      throw new CallFailedException(answer.failure());
    }
    return false;
  }

  /** Says below a thread what is being done, where Slack does that for the app. */
  void showStatus(SlackPlace at, String status) throws InterruptedException {
    if (!hasStatus || at.threadTs().isEmpty() || status.isBlank()) {
      return;
    }
    Map<String, Object> parameters =
        Map.of("channel_id", at.channel(), "thread_ts", at.threadTs(), "status", status);
    try {
      SlackAnswer answer = bot.api().call("assistant.threads.setStatus", parameters, CALL_MAX);
      if (answer.isRefusedEverywhere()) {
        hasStatus = false;
      }
    } catch (CallFailedException _) {
      // It is a courtesy.
    }
  }

  /** Why nothing can be written there yet; empty when nothing is known of it. */
  Optional<Failure> waitAsked(SlackPlace at) {
    return editPace.waitAsked(at.channel());
  }

  /** The draft that a reply is to take the place of; no draft of it comes after it. */
  Optional<SlackDraft> finish(String eventId) throws InterruptedException {
    return messages.finish(eventId).map(SlackDraft::of);
  }

  void endStream(SlackDraft shown) throws InterruptedException {
    if (shown.isStream()) {
      boolean _ = bot.tryCall("chat.stopStream", shown.at().message(shown.ts()));
    }
  }

  void forget(String eventId) {
    messages.forget(eventId);
  }

  /** Deletes a draft; returns false when another try may succeed. */
  boolean delete(SlackDraft shown) throws InterruptedException {
    endStream(shown);
    try {
      SlackAnswer answer = bot.api().call("chat.delete", shown.at().message(shown.ts()), CALL_MAX);
      return answer.isOk() || !answer.failure().isPassing();
    } catch (CallFailedException _) {
      return false;
    }
  }
}
