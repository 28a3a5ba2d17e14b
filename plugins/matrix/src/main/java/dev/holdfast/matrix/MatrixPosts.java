package dev.holdfast.matrix;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.DraftMessages.Shown;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.RecentMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Posts replies of one account. The transaction of each event is made of the id of its reply, so
 * the homeserver drops repeats. It does that for as long as it remembers the transaction, 30
 * minutes at least, and for one access token; so what may have arrived before is looked for first.
 * Blocks the calling thread. Thread-safe.
 */
final class MatrixPosts {
  private static final Duration LOOK_MAX = Duration.ofSeconds(8);

  private final MatrixBot bot;
  private final MatrixDrafts drafts;
  private final MatrixFiles files;

  /** Of files that the homeserver has, so that each try gets further than the one before. */
  private final RecentMap<String> addresses = new RecentMap<>();

  MatrixPosts(MatrixBot bot, MatrixDrafts drafts, MatrixFiles files) {
    this.bot = bot;
    this.drafts = drafts;
    this.files = files;
  }

  /** A file that the homeserver has, to be named by an event. */
  private record Uploaded(String id, Map<String, Object> content) {}

  PostOutcome post(OutboundReply reply) throws InterruptedException {
    MatrixPlace to = MatrixPlace.ofThread(reply.thread());
    Optional<Failure> wait = drafts.waitAsked(to);
    if (wait.isPresent()) {
      return new PostOutcome.NotDelivered(wait.get());
    }
    try {
      // Files are posted one by one: an earlier try may have ended between two of them.
      boolean mayBeThere = reply.resend() || !reply.files().isEmpty();
      Map<String, String> arrived = mayBeThere ? arrived(to.room()) : new HashMap<>();
      List<String> notes = new ArrayList<>();
      List<Uploaded> uploaded = new ArrayList<>();
      for (int at = 0; at < reply.files().size(); at++) {
        String id = reply.id() + "-file-" + (at + 1);
        if (!arrived.containsKey(id)) {
          upload(reply.files().get(at), id, to, uploaded, notes);
        }
      }
      PostOutcome outcome = postText(reply, to, withNotes(reply.text(), notes), arrived);
      for (Uploaded file : uploaded) {
        if (!(outcome instanceof PostOutcome.Sent(String first))) {
          break;
        }
        PostOutcome posted =
            bot.api().sendEvent(to.room(), transaction(file.id()), file.content()).outcome();
        outcome =
            posted instanceof PostOutcome.Sent && !first.isEmpty()
                ? new PostOutcome.Sent(first)
                : posted;
      }
      if (outcome instanceof PostOutcome.Sent && reply.part() == reply.parts()) {
        drafts.endTyping(to.room());
      }
      return outcome;
    } catch (CallFailedException e) {
      return HttpOutcome.of(e);
    }
  }

  private static String transaction(String id) {
    return "holdfast-" + id;
  }

  private static String withNotes(String text, List<String> notes) {
    return notes.isEmpty() ? text : (text + "\n\n" + String.join("\n\n", notes)).strip();
  }

  /**
   * The account's last posts in a room, by the ids of their replies. None when the homeserver does
   * not say: then it drops the repeat, if it is not too old.
   */
  private Map<String, String> arrived(String room) throws InterruptedException {
    Map<String, String> arrived = new HashMap<>();
    try {
      String filter =
          JsonText.write(
              Map.of("types", List.of("m.room.message"), "senders", List.of(bot.user(LOOK_MAX))));
      String path =
          MatrixApi.room(room, "/messages?dir=b&limit=100&filter=" + MatrixIds.encoded(filter));
      MatrixAnswer answer = bot.api().get(path, LOOK_MAX);
      for (Map<String, Object> event : JsonText.maps(answer.body(), "chunk")) {
        Map<String, Object> relation = JsonText.map(JsonText.map(event, "content"), "m.relates_to");
        boolean isEdit = JsonText.text(relation, "rel_type").equals("m.replace");
        boolean isOwn = JsonText.text(event, "sender").equals(bot.user(LOOK_MAX));
        if (isOwn && !MatrixDrafts.idOf(event).isEmpty()) {
          arrived.put(
              MatrixDrafts.idOf(event), JsonText.text(isEdit ? relation : event, "event_id"));
        }
      }
    } catch (CallFailedException _) {
      // As above.
    }
    return arrived;
  }

  /** A file that the homeserver does not take is told of; one that it may take later waits. */
  private void upload(
      StoredFile file, String id, MatrixPlace to, List<Uploaded> uploaded, List<String> notes)
      throws CallFailedException, InterruptedException {
    try {
      Optional<String> before = addresses.find(id);
      String address = before.isPresent() ? before.get() : files.upload(file);
      addresses.put(id, address);
      uploaded.add(
          new Uploaded(
              id,
              MatrixContent.file(
                  file.name(), MatrixFiles.mediaType(file), file.bytes(), address, id, to)));
    } catch (CallFailedException e) {
      if (e.failure().isPassing()) {
        throw new CallFailedException(e.failure().unsent()); // nobody has seen anything yet
      }
      notes.add(
          "[The file \"%s\" could not be attached: %s.]"
              .formatted(file.name(), e.failure().message()));
    }
  }

  private PostOutcome postText(
      OutboundReply reply, MatrixPlace to, String text, Map<String, String> arrived)
      throws CallFailedException, InterruptedException {
    // A draft is as long as one post: the first part takes its place.
    boolean mayHaveDraft = reply.part() == 1 && !reply.eventId().isEmpty();
    Optional<Shown> draft = mayHaveDraft ? drafts.finish(reply.eventId()) : Optional.empty();
    if (arrived.containsKey(reply.id())) {
      drafts.forget(reply.eventId());
      return new PostOutcome.Sent(arrived.get(reply.id()));
    }
    if (text.isBlank()) { // the files were all
      draft.ifPresent(this::takeAway);
      return new PostOutcome.Sent("");
    }
    MatrixContent.Words words = MatrixContent.Words.of(text, bot.context());
    String answers = reply.part() == 1 ? answered(reply, to) : "";
    Map<String, Object> content = MatrixContent.message(words, reply.id(), to, answers);
    return draft.isPresent()
        ? replace(draft.get(), reply, to, words, content)
        : fresh(reply, to, content);
  }

  private String answered(OutboundReply reply, MatrixPlace to) {
    boolean isPlain = to.root().isEmpty() && bot.sizes().isKnownDirect(to.room());
    return isPlain ? "" : MatrixPlace.eventOf(reply.inReplyTo());
  }

  private void takeAway(Shown draft) {
    drafts.release(draft); // the sweep tries again
    bot.background()
        .add(
            () -> {
              drafts.takeAway(draft.eventId());
              return MatrixAnswer.done();
            });
  }

  private PostOutcome fresh(OutboundReply reply, MatrixPlace to, Map<String, Object> content)
      throws CallFailedException, InterruptedException {
    PostOutcome outcome =
        bot.api().sendEvent(to.room(), transaction(reply.id()), content).outcome();
    if (outcome instanceof PostOutcome.Sent(String event)) {
      bot.talk().posted(to, event);
    }
    return outcome;
  }

  /** An edit that comes twice changes nothing. */
  private PostOutcome replace(
      Shown draft,
      OutboundReply reply,
      MatrixPlace to,
      MatrixContent.Words words,
      Map<String, Object> content)
      throws CallFailedException, InterruptedException {
    PostOutcome place = drafts.eventOf(draft, content);
    if (!(place instanceof PostOutcome.Sent(String event))) {
      return place;
    }
    PostOutcome outcome =
        bot.api()
            .sendEvent(
                to.room(), transaction(reply.id()), MatrixContent.edit(words, reply.id(), event))
            .outcome();
    switch (outcome) {
      case PostOutcome.Sent _ -> {
        drafts.forget(reply.eventId());
        bot.talk().posted(to, event);
        return new PostOutcome.Sent(event);
      }
      case PostOutcome.NotDelivered(Failure failure) when failure.kind() == FailureKind.INVALID -> {
        takeAway(draft);
        return fresh(reply, to, content);
      }
      case PostOutcome.NotDelivered _ -> drafts.refused(draft, reply);
      case PostOutcome.Unknown _ -> {} // it may stand there
    }
    return outcome;
  }
}
