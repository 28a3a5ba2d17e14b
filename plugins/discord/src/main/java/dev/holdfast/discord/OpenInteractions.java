package dev.holdfast.discord;

import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Interactions whose first answer says that there will be one. They are on disk: that answer stands
 * there as "is thinking" until the reply takes its place, also after a restart. One for a person
 * alone is kept beyond its time, so that nothing of it is shown to all. At most 1,000; the oldest
 * are answered by ordinary posts, or not at all. Thread-safe.
 */
final class OpenInteractions {
  static final int OPEN_MAX = 1000;

  /** Of further questions of one turn the buttons stay, and do nothing any more. */
  static final int QUESTIONS_MAX = 20;

  private static final String ORIGINAL = "@original";

  /** Discord takes changes for 15 min; one has to arrive. */
  private static final Duration GOOD = Duration.ofMinutes(14);

  /** By then no turn goes on that could show a draft of it. */
  private static final Duration PRIVATE_KEPT = Duration.ofHours(24);

  private final PluginContext context;
  private final StateFile file;

  /**
   * One.
   *
   * @param reply the id of the reply that may stand there; empty while none does
   * @param isOver whether Discord takes nothing for it any more
   * @param isAnswered whether all that answers its message is posted
   * @param questions posts with buttons that one person alone sees, by their ids, and where they
   *     are edited: no other token than the interaction's reaches them
   */
  record Open(
      Deferred deferred,
      Instant at,
      String reply,
      boolean isOver,
      boolean isAnswered,
      Map<String, Object> questions) {
    /** Whether a reply may take its place: a later one of the same turn is no other try. */
    boolean isFree(OutboundReply other) {
      return other.part() == 1 && (reply.isEmpty() || reply.equals(other.id()));
    }

    /** Whether its place is the reply's. */
    boolean isOf(OutboundReply other) {
      return reply.equals(other.id());
    }

    /** Its token is of no use any more. */
    private Open asOver() {
      Deferred without =
          new Deferred(deferred.id(), deferred.app(), "", deferred.channel(), deferred.isPrivate());
      return new Open(without, at, reply, true, isAnswered, Map.of());
    }

    private Map<String, Object> entry(String account) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("account", account);
      entry.put("app", deferred.app());
      entry.put("token", deferred.token());
      entry.put("channel", deferred.channel());
      entry.put("private", deferred.isPrivate());
      entry.put("at", at.toEpochMilli());
      entry.put("reply", reply);
      entry.put("over", isOver);
      entry.put("answered", isAnswered);
      entry.put("questions", questions);
      return entry;
    }
  }

  OpenInteractions(PluginContext context, StateFile file) {
    this.context = context;
    this.file = file;
  }

  /**
   * Before the message of it is taken in: its reply may come at once. One that comes again is no
   * other.
   */
  synchronized void open(String account, Deferred deferred) {
    if (file.find(account + " " + deferred.key()).isEmpty()) {
      put(account, new Open(deferred, context.now(), "", false, false, Map.of()));
    }
  }

  private void put(String account, Open open) {
    try {
      file.put(account + " " + open.deferred().key(), open.entry(account));
    } catch (IOException e) {
      notWritten(e);
    }
  }

  /** Discord takes nothing for it, or never did. */
  synchronized void end(String account, Deferred deferred) {
    Optional<Open> open = read(account, deferred.key());
    if (open.isPresent() && deferred.isPrivate()) {
      put(account, open.get().asOver());
    } else {
      forget(account, deferred.key());
    }
  }

  /** The answer to its message is whole: there will be no more drafts of it. */
  synchronized void answered(String account, String key) {
    read(account, key)
        .filter(open -> !open.isAnswered())
        .ifPresent(
            open ->
                put(
                    account,
                    new Open(
                        open.deferred(),
                        open.at(),
                        open.reply(),
                        open.isOver(),
                        true,
                        open.questions())));
  }

  /** A post with buttons stands there that one person alone sees. */
  synchronized void asked(String account, OutboundReply reply, String post) {
    Optional<Open> found = find(account, reply.inReplyTo());
    if (found.isEmpty() || found.get().questions().size() >= QUESTIONS_MAX) {
      return;
    }
    Open open = found.get();
    Map<String, Object> questions = new LinkedHashMap<>(open.questions());
    questions.put(post, open.isOf(reply) ? ORIGINAL : post);
    put(
        account,
        new Open(
            open.deferred(), open.at(), open.reply(), open.isOver(), open.isAnswered(), questions));
  }

  /** Where a post is edited that one person alone sees; empty when it is none, or out of reach. */
  synchronized Optional<String> question(String account, String channel, String post) {
    return in(account, channel).stream()
        .filter(open -> isGood(open) && open.questions().containsKey(post))
        .map(open -> open.deferred().path() + "/messages/" + open.questions().get(post))
        .findFirst();
  }

  private synchronized void forget(String account, String key) {
    try {
      file.remove(account + " " + key);
    } catch (IOException e) {
      notWritten(e);
    }
  }

  /** The interaction that brought a message; empty when there is none, or its time is over. */
  synchronized Optional<Open> find(String account, String key) {
    return read(account, key).filter(this::isGood);
  }

  /**
   * Finds the interaction that a reply answers, which is about to be posted: if its place is free,
   * it is the reply's from now on, in one step, so that it is neither another's nor taken away.
   */
  synchronized Optional<Open> claim(String account, OutboundReply reply) {
    Optional<Open> found = find(account, reply.inReplyTo());
    if (found.isEmpty() || !found.get().isFree(reply) || found.get().isOf(reply)) {
      return found;
    }
    Open claimed =
        new Open(
            found.get().deferred(),
            found.get().at(),
            reply.id(),
            false,
            found.get().isAnswered(),
            found.get().questions());
    put(account, claimed);
    return Optional.of(claimed);
  }

  /** Whether something in the channel waits for its reply, and everybody sees that. */
  boolean isThinking(String account, String channel) {
    return in(account, channel).stream()
        .anyMatch(open -> !open.deferred().isPrivate() && open.reply().isEmpty() && isGood(open));
  }

  /** Whether a draft in the channel might be of an answer for one person alone. */
  boolean isPrivate(String account, String channel) {
    return in(account, channel).stream()
        .anyMatch(open -> open.deferred().isPrivate() && !open.isAnswered());
  }

  private synchronized List<Open> in(String account, String channel) {
    return file.all().entrySet().stream()
        .filter(each -> JsonText.text(each.getValue(), "account").equals(account))
        .map(each -> read(each.getKey(), each.getValue()))
        .filter(open -> open.deferred().channel().equals(channel))
        .toList();
  }

  /** Forgets those whose time is over, and returns those of them that have got no reply. */
  synchronized List<Open> takeOver(String account) {
    List<Open> over = new ArrayList<>();
    for (Map.Entry<String, Map<String, Object>> each : file.all().entrySet()) {
      if (JsonText.text(each.getValue(), "account").equals(account)) {
        Open open = read(each.getKey().substring(account.length() + 1), each.getValue());
        if (!isGood(open)) {
          if (open.reply().isEmpty() && !open.isOver()) {
            over.add(open);
          }
          drop(account, open);
        }
      }
    }
    return over;
  }

  private void drop(String account, Open open) {
    if (!open.deferred().isPrivate() || open.isAnswered() || !isWithin(open, PRIVATE_KEPT)) {
      forget(account, open.deferred().key());
    } else if (!open.isOver()) {
      put(account, open.asOver());
    }
  }

  private boolean isGood(Open open) {
    return !open.isOver() && isWithin(open, GOOD);
  }

  private boolean isWithin(Open open, Duration time) {
    return Duration.between(open.at(), context.now()).abs().compareTo(time) < 0;
  }

  private Optional<Open> read(String account, String key) {
    return file.find(account + " " + key).map(entry -> read(key, entry));
  }

  private static Open read(String key, Map<String, Object> entry) {
    return new Open(
        new Deferred(
            key.substring(key.lastIndexOf(':') + 1),
            JsonText.text(entry, "app"),
            JsonText.text(entry, "token"),
            JsonText.text(entry, "channel"),
            JsonText.flag(entry, "private")),
        Instant.ofEpochMilli(JsonText.whole(entry, "at", 0)),
        JsonText.text(entry, "reply"),
        JsonText.flag(entry, "over"),
        JsonText.flag(entry, "answered"),
        JsonText.map(entry, "questions"));
  }

  private void notWritten(IOException e) {
    context
        .logger()
        .log(Level.WARNING, "the list of interactions could not be written: {0}", e.toString());
  }
}
