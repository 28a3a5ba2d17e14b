package dev.holdfast.api;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One chat platform. Both directions; one instance serves all its accounts. */
public interface ChannelAdapter {
  /**
   * The channel's name in paths, metrics and thread ids: lower-case letters, digits and hyphens.
   */
  String channel();

  Set<String> accounts();

  /**
   * Verifies and parses one request. Called on a thread of its own, for up to 64 requests at once.
   * May block, but the platform waits for its answer: after 2.5 s in all, the wait for one of the
   * 64 places included, the thread is interrupted and the platform is told to send again (503).
   * What it throws is logged and counted, and the platform gets 500.
   */
  WebhookVerdict receive(WebhookRequest request) throws InterruptedException;

  /**
   * Whether its platform sends to paths below the address of an account too, and by PUT: then
   * {@link WebhookRequest#path} says which. Else such requests are answered without the channel, by
   * 404 and 405. Read once, when the channel is added.
   */
  default boolean hasWebhookPaths() {
    return false;
  }

  /**
   * The accounts that take messages in by {@link #listen} too, and how. Read once, when the channel
   * is added.
   */
  default Map<String, ListenSpec> listens() {
    return Map.of();
  }

  /**
   * Receives messages of one account and hands them to the sink, until it is interrupted: when the
   * channel is removed, the server stops, or nothing was received for too long. Called on a thread
   * of its own, which it may block; of one account there is never more than one call. When it
   * returns or throws, it is called again after a wait that grows from 1 s to 60 s with each time
   * that nothing was received between, or that it has ended within 10 s of the first receive; or
   * after the wait that a {@link Failure#retryAfter} asks for.
   *
   * @throws CallFailedException for whatever the operator should know by its code: {@link
   *     FailureCode#AUTH} for a refused token, {@link FailureCode#INVALID_REQUEST} when another
   *     process listens with it
   * @throws Exception is a failure too; its type is logged, never its message
   */
  default void listen(String account, MessageSink sink) throws Exception {
    throw new IllegalStateException("no account of this channel listens");
  }

  /**
   * Who is answered, by account; read once, when the channel is added. Of an account that is not
   * named every message is let through: the channel judges them by itself.
   */
  default Map<String, Access> access() {
    return Map.of();
  }

  /**
   * Whether what the account needs is there: a valid token, its scopes, a webhook that can be
   * reached, an open connection. Asked when an operator wants to know. Called on a thread of its
   * own, which it may block for 20 s; then it is interrupted.
   *
   * @return at most 100, in the order in which a person would look
   */
  default List<ChannelCheck> check(String account) throws InterruptedException {
    return List.of();
  }

  /**
   * Whether its attachments are fetched by {@link #fetch}; else the server fetches their addresses
   * by itself, without any credentials.
   */
  default boolean fetches() {
    return false;
  }

  /**
   * Fetches a file that came with a message; its address may be whatever the channel put there.
   * Called on a thread of its own, which it may block until it is interrupted.
   *
   * @param bytesMax of a longer one nothing is returned, but an INVALID_REQUEST thrown
   * @throws CallFailedException when it cannot be had; its message is shown to the model
   */
  default byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    throw new IllegalStateException("this channel fetches nothing");
  }

  /** Whether {@link OutboundReply#choices} are shown as buttons. */
  default boolean showsChoices() {
    return false;
  }

  /**
   * Tells a person what became of a click, visible to nobody else where the platform can do that;
   * after {@link WebhookVerdict.Clicked}. Called as {@link #showTyping} is.
   */
  default void answerClick(Click click, String text) throws Exception {
    throw new IllegalStateException("this channel has no choices");
  }

  /**
   * Takes the buttons of a post away and says how it ended. May come twice. Called as {@link
   * #showTyping} is; may be left out when the platform cannot be reached.
   */
  default void settle(SettledPost post) throws Exception {
    throw new IllegalStateException("this channel has no choices");
  }

  /** The longest text that one post may have, in UTF-16 units. */
  int textUnitsMax();

  /** False when readers fetch their replies by themselves: then {@link #post} is never called. */
  default boolean posts() {
    return true;
  }

  /**
   * Whether the platform drops a post that it has already got, by {@link OutboundReply#id()}. Then
   * one whose answer was lost is repeated until an answer comes; else it is repeated once.
   */
  default boolean dropsRepeats() {
    return false;
  }

  /**
   * How often {@link #showTyping} is called while an answer is being made: from 1 s to 60 s, a
   * little less than the platform shows it for; zero when it shows nothing.
   */
  default Duration typingEvery() {
    return Duration.ZERO;
  }

  /**
   * Shows in a conversation that an answer is being made. Called on a thread of its own, which it
   * may block for 5 s; then it is interrupted. What it throws is counted and delays the next call;
   * a call may also be left out.
   *
   * @param thread as in {@link InboundMessage#thread}
   */
  default void showTyping(String account, String thread) throws Exception {
    throw new IllegalStateException("this channel shows no typing");
  }

  /**
   * Whether {@link #showDraft} is called in place of {@link #showTyping} once an answer has a first
   * word or a tool runs.
   */
  default boolean showsDrafts() {
    return false;
  }

  /**
   * How often {@link #showDraft} is called, from 250 ms to 60 s; what has not changed is shown
   * again as often as {@link #typingEvery} says. A channel whose conversations allow less leaves
   * out calls by itself.
   */
  default Duration draftEvery() {
    return typingEvery();
  }

  /**
   * Shows what an answer says so far. It is no reply: that is posted in any case, after a crash
   * too, and takes the place of what was shown. Called as {@link #showTyping} is; a draft may be
   * left out, and a text may be shorter than the one before when the model began again.
   */
  default void showDraft(Draft draft) throws Exception {
    throw new IllegalStateException("this channel shows no drafts");
  }

  /**
   * Whether {@link #find} can tell if a post arrived. Then one whose answer was lost is looked for,
   * and posted again only when it is not there, each time that this happens. Not asked of a
   * platform that drops repeats.
   */
  default boolean findsPosts() {
    return false;
  }

  /**
   * Looks in the platform's history for a post of this part, a minute after its answer was lost or
   * later. Called on a thread of its own, which it may block for 20 s; then it is interrupted and
   * asked again later. When it throws, the reply is handled as if the platform had no history.
   */
  default FindOutcome find(OutboundReply reply) throws InterruptedException {
    throw new IllegalStateException("this channel finds no posts");
  }

  /**
   * Posts one part once: no retries, they are the server's. Called on a thread of its own, which it
   * may block.
   *
   * @throws InterruptedException when the thread is interrupted; the outcome then counts as unknown
   */
  PostOutcome post(OutboundReply reply) throws InterruptedException;
}
