package dev.holdfast.whatsapp;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Click;
import dev.holdfast.api.Failure;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.RecentMap;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What all parts of one account share. Blocks the calling thread. Thread-safe. */
final class BusinessNumber {
  private static final Duration SHORT = Duration.ofSeconds(4);

  private final PluginContext context;
  private final WhatsAppAccount account;
  private final GraphApi api;

  /** The message that came last, by conversation: typing is shown as an answer to one. */
  private final RecentMap<String> lastMessages = new RecentMap<>();

  /** What WhatsApp has told of posts, by the id of the reply. */
  private final RecentMap<Fate> fates = new RecentMap<>();

  /** Clicks whose person was told what became of them, by the id of their message. */
  private final RecentMap<Boolean> answered = new RecentMap<>();

  /**
   * What became of a post.
   *
   * @param post WhatsApp's id of it
   * @param failure why it did not arrive; empty when it is on its way or has arrived
   */
  record Fate(String post, Optional<Failure> failure) {}

  BusinessNumber(PluginContext context, WhatsAppAccount account, String baseUrl, String version) {
    this.context = context;
    this.account = account;
    this.api = new GraphApi(context, baseUrl, version, account.token());
  }

  String name() {
    return account.name();
  }

  WhatsAppAccount account() {
    return account;
  }

  PluginContext context() {
    return context;
  }

  GraphApi api() {
    return api;
  }

  /** The path of everything that is done with the number. */
  String path(String edge) {
    return "/" + account.phoneNumberId() + "/" + edge;
  }

  /**
   * What each message to a person begins with; to be added to.
   *
   * @param thread the person's user id, which has a dot, or phone number
   */
  static Map<String, Object> to(String thread) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("messaging_product", "whatsapp");
    message.put("recipient_type", "individual");
    message.put(thread.indexOf('.') < 0 ? "to" : "recipient", thread);
    return message;
  }

  GraphAnswer send(Map<String, ?> message) throws CallFailedException, InterruptedException {
    return api.post(path("messages"), message);
  }

  GraphAnswer send(Map<String, ?> message, Duration timeout)
      throws CallFailedException, InterruptedException {
    return api.post(path("messages"), message, timeout);
  }

  void heard(String thread, String message) {
    lastMessages.put(thread, message);
  }

  /** Marks what was heard last as read, too: WhatsApp does both or neither. */
  void showTyping(String thread) throws CallFailedException, InterruptedException {
    Optional<String> message = lastMessages.find(thread);
    if (message.isEmpty()) {
      return; // it came before the last start
    }
    Map<String, Object> notice = new LinkedHashMap<>();
    notice.put("messaging_product", "whatsapp");
    notice.put("status", "read");
    notice.put("message_id", message.get());
    notice.put("typing_indicator", Map.of("type", "text"));
    Map<String, Object> _ = api.post(path("messages"), notice, SHORT).orThrow();
  }

  void note(WhatsAppEvent.Posted post) {
    note(post, Optional.empty());
  }

  /** Statuses come in any order: a post that has failed stays so, whatever was told before. */
  private synchronized void note(WhatsAppEvent.Posted post, Optional<Failure> failure) {
    if (post.reply().isEmpty()) {
      return;
    }
    Optional<Fate> before = fates.find(post.reply());
    boolean isOfSame = before.isPresent() && before.get().post().equals(post.id());
    boolean isSettled = before.isPresent() && before.get().failure().isPresent() == isOfSame;
    if (!isSettled) { // of two posts of a reply, one that has not failed is the answer
      fates.put(post.reply(), new Fate(post.id(), failure));
    }
  }

  /** What WhatsApp has told of the post of a reply since the last start. */
  Optional<Fate> fateOf(String reply) {
    return fates.find(reply);
  }

  /** {@code why}: of each message of a delivery that could not be taken; a few different ones. */
  void leftOut(List<String> why) {
    Map<String, Integer> times = new TreeMap<>();
    why.forEach(each -> times.merge(each, 1, Integer::sum));
    times.forEach(
        (reason, count) ->
            context
                .logger()
                .log(
                    Level.WARNING,
                    "account {0}: messages of a delivery that cannot be taken: {1}, because {2}",
                    name(),
                    count,
                    reason));
  }

  /** For the operator: the answer of this person is lost. */
  void note(WhatsAppEvent.Undelivered failed) {
    note(failed.post(), Optional.of(failed.failure()));
    context
        .logger()
        .log(
            Level.WARNING,
            "account {0}: post {1} was not delivered: {2}",
            name(),
            failed.post().id().replaceAll("[^!-~]", "?"),
            failed.failure().summary());
  }

  boolean isAnswered(Click click) {
    return answered.has(click.reference());
  }

  /** Tells a person what became of a click, once. */
  void answer(Click click, String text) throws CallFailedException, InterruptedException {
    if (answered.has(click.reference())) {
      return;
    }
    answered.put(click.reference(), true);
    Map<String, Object> message = to(click.thread());
    message.put("context", Map.of("message_id", click.reference()));
    WhatsAppText.into(message, text);
    Map<String, Object> _ = api.post(path("messages"), message, SHORT).orThrow();
  }
}
