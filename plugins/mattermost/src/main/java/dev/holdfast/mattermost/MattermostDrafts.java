package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Draft;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.DraftPace;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Shows what answers say so far, for one account: a post that is edited. Blocks the calling thread.
 * Thread-safe.
 */
final class MattermostDrafts {
  /** A server that has limits takes 10 requests a second, and the replies need some of them. */
  private static final Duration PER_ACCOUNT = Duration.ofMillis(200);

  private static final Duration PER_CHANNEL = Duration.ofSeconds(1);

  /** The server interrupts a draft after 5 s, and a reply waits for its draft that long. */
  private static final Duration CALL_MAX = Duration.ofSeconds(4);

  /** What a draft is kept by. */
  private static final String POST = "post";

  private final MattermostBot bot;
  private final DraftMessages messages;
  private final DraftPace pace;

  /** Events with an edit of their draft whose outcome is not known. */
  private final RecentMap<Boolean> doubtful = new RecentMap<>();

  MattermostDrafts(MattermostBot bot, DraftMessages messages) {
    this.bot = bot;
    this.messages = messages;
    this.pace = new DraftPace(PER_ACCOUNT, bot.context()::nanos);
  }

  /** Leaves out what comes too soon. */
  void show(Draft draft) throws CallFailedException, InterruptedException {
    messages.show(draft.eventId(), before -> show(draft, before));
  }

  private void show(Draft draft, Optional<DraftMessages.Shown> before)
      throws CallFailedException, InterruptedException {
    MattermostPlace at = MattermostPlace.ofThread(draft.thread());
    String text = text(draft);
    if (text.isBlank() || !pace.tryTake(at.channel(), PER_CHANNEL)) {
      return;
    }
    if (before.isPresent()) {
      MattermostAnswer answer = edit(draft.eventId(), postOf(before.get()), text);
      boolean _ = judge(answer);
    } else {
      begin(draft, at, text);
    }
  }

  private MattermostAnswer edit(String eventId, String post, String text)
      throws CallFailedException, InterruptedException {
    boolean isDone = false;
    try {
      MattermostAnswer answer =
          bot.api().put("/posts/" + post + "/patch", Map.of("message", text), CALL_MAX);
      isDone = answer.status() < 500;
      return answer;
    } catch (CallFailedException e) {
      isDone = e.failure().isUnsent();
      throw e;
    } finally {
      if (!isDone) {
        doubtful.put(eventId, true);
      }
    }
  }

  /** Whether an edit of it may still arrive, after its reply and in its place. */
  boolean isDoubtful(String eventId) {
    return doubtful.has(eventId);
  }

  /** Why nothing can be written there yet; empty when nothing is known of it. */
  Optional<Failure> waitAsked(MattermostPlace at) {
    return pace.waitAsked(at.channel());
  }

  /** What the answer says so far, and below it what is being done. */
  private static String text(Draft draft) {
    String text = PostBody.text(draft.text());
    String activity =
        PostBody.callingNobody(draft.activity()).replace('*', ' ').replace('\n', ' ').strip();
    String line = activity.isEmpty() ? "" : "*" + activity + "*";
    String whole = (text + "\n\n" + line).strip();
    return whole.length() > PostBody.UNITS_MAX ? text : whole;
  }

  private void begin(Draft draft, MattermostPlace at, String text)
      throws CallFailedException, InterruptedException {
    Map<String, Object> post = at.post();
    post.put("message", text);
    MattermostAnswer answer;
    try {
      answer = bot.api().post("/posts", post, CALL_MAX);
    } catch (CallFailedException e) {
      if (!e.failure().isUnsent()) {
        messages.giveUp(draft.eventId()); // it may stand there, and is to be no second one
      }
      throw e;
    }
    if (answer.outcome() instanceof PostOutcome.Unknown || answer.status() >= 500) {
      messages.giveUp(draft.eventId());
    }
    String id = JsonText.text(answer.body(), "id");
    if (judge(answer) && MattermostPlace.isId(id)) {
      bot.posted(at, id);
      messages.shown(DraftMessages.Shown.of(draft.eventId(), bot.name(), Map.of(POST, id)));
    }
  }

  /** A draft that is refused is left out; a wait that was asked for is one for all channels. */
  private boolean judge(MattermostAnswer answer) throws CallFailedException {
    if (answer.isOk()) {
      return true;
    }
    if (answer.failure().code() == FailureCode.RATE_LIMITED) {
      pace.holdReplies(answer.failure().retryAfter());
    } else if (answer.failure().isPassing()) {
      throw new CallFailedException(answer.failure());
    }
    return false;
  }

  void showTyping(MattermostPlace at) throws CallFailedException, InterruptedException {
    if (waitAsked(at).isPresent()) {
      return;
    }
    Map<String, Object> typing = new LinkedHashMap<>();
    typing.put("channel_id", at.channel());
    typing.put("parent_id", at.root());
    boolean _ = judge(bot.api().post("/users/me/typing", typing, CALL_MAX));
  }

  /** The draft that a reply is to take the place of; no draft of it comes after it. */
  Optional<DraftMessages.Shown> finish(String eventId) throws InterruptedException {
    return messages.finish(eventId);
  }

  /** The id of the post that is the draft. */
  static String postOf(DraftMessages.Shown draft) {
    return draft.text(POST);
  }

  void refused(DraftMessages.Shown draft, OutboundReply reply) {
    messages.refused(draft, reply);
  }

  void forget(String eventId) {
    messages.forget(eventId);
  }

  /** Deletes its post; false when another try may succeed. */
  boolean delete(DraftMessages.Shown draft) throws InterruptedException {
    return bot.delete(postOf(draft));
  }
}
