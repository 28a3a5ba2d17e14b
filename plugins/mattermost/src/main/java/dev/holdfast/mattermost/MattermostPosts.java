package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Posts replies of one account and finds them again: each has its id in its properties, which
 * people do not see. Blocks the calling thread. Thread-safe.
 */
final class MattermostPosts {
  private static final int PAGES_MAX = 10;
  private static final Duration POST_MAX = Duration.ofSeconds(30);
  private static final Duration LOOK_MAX = Duration.ofSeconds(5);
  private static final Duration SETTLE_MAX = Duration.ofSeconds(4);

  private final MattermostBot bot;
  private final MattermostDrafts drafts;
  private final MattermostFiles files;
  private final ClickSignature clicks;

  /** What a post says, once its files are with Mattermost. */
  private record Uploaded(List<String> ids, String text) {}

  MattermostPosts(
      MattermostBot bot, MattermostDrafts drafts, MattermostFiles files, ClickSignature clicks) {
    this.bot = bot;
    this.drafts = drafts;
    this.files = files;
    this.clicks = clicks;
  }

  PostOutcome post(OutboundReply reply) throws InterruptedException {
    MattermostPlace to = MattermostPlace.ofThread(reply.thread());
    Optional<Failure> wait = drafts.waitAsked(to);
    if (wait.isPresent()) {
      return new PostOutcome.NotDelivered(wait.get());
    }
    MattermostIdentity me;
    Uploaded uploaded;
    try {
      me = bot.identity(POST_MAX);
      uploaded = upload(reply, to);
    } catch (CallFailedException e) {
      return new PostOutcome.NotDelivered(e.failure()); // an upload alone is seen by nobody
    }
    try {
      // A draft is as long as one post: the first part takes its place.
      boolean mayHaveDraft = reply.part() == 1 && !reply.eventId().isEmpty();
      Optional<DraftMessages.Shown> draft =
          mayHaveDraft ? drafts.finish(reply.eventId()) : Optional.empty();
      return draft.isPresent()
          ? replace(draft.get(), reply, to, uploaded, me)
          : fresh(reply, to, uploaded, me);
    } catch (CallFailedException e) {
      return HttpOutcome.of(e);
    }
  }

  private Uploaded upload(OutboundReply reply, MattermostPlace to)
      throws CallFailedException, InterruptedException {
    List<String> ids = new ArrayList<>();
    StringBuilder notes = new StringBuilder();
    for (StoredFile file : reply.files()) {
      String problem = "Mattermost takes no more than ten with one post";
      if (ids.size() < MattermostFiles.PER_POST_MAX) {
        problem = upload(file, to, ids);
      }
      if (!problem.isEmpty()) {
        String name = PostBody.callingNobody(file.name());
        notes.append("\n\n[The file ").append(name).append(" could not be attached: ");
        notes.append(problem).append(".]");
      }
    }
    String text = PostBody.text(reply.text());
    boolean fits = text.length() + notes.length() <= PostBody.UNITS_MAX;
    return new Uploaded(List.copyOf(ids), fits ? (text + notes).strip() : text);
  }

  /** Returns why it can never be uploaded; empty when it was. */
  private String upload(StoredFile file, MattermostPlace to, List<String> ids)
      throws CallFailedException, InterruptedException {
    try {
      ids.add(files.upload(file, to.channel()));
      return "";
    } catch (CallFailedException e) {
      if (e.failure().kind() != FailureKind.INVALID) {
        throw e;
      }
      return e.failure().message();
    }
  }

  private PostOutcome fresh(
      OutboundReply reply, MattermostPlace to, Uploaded uploaded, MattermostIdentity me)
      throws CallFailedException, InterruptedException {
    Map<String, Object> post = to.post();
    post.put("message", uploaded.text());
    if (!uploaded.ids().isEmpty()) {
      post.put("file_ids", uploaded.ids());
    }
    // Drops a repeat within 30 s only, and not after a restart of Mattermost: a help, no proof.
    post.put("pending_post_id", me.user() + ":" + reply.id());
    post.put("props", PostBody.props(reply.id(), reply.choices(), to, clicks));
    PostOutcome outcome = bot.api().post("/posts", post, POST_MAX).outcome();
    if (outcome instanceof PostOutcome.Sent(String id)) {
      bot.posted(to, id);
    }
    return outcome;
  }

  /** An edit that comes twice changes nothing, so its outcome need not be known. */
  private PostOutcome replace(
      DraftMessages.Shown draft,
      OutboundReply reply,
      MattermostPlace to,
      Uploaded uploaded,
      MattermostIdentity me)
      throws CallFailedException, InterruptedException {
    // Files and buttons come with a new post: an edit adds no files, and tells nobody.
    boolean needsPost =
        !uploaded.ids().isEmpty() || !reply.choices().isEmpty() || uploaded.text().isBlank();
    boolean mayBeOverwritten = !draft.isFinal() && drafts.isDoubtful(draft.eventId());
    if (needsPost || mayBeOverwritten) {
      takeAway(draft);
      return fresh(reply, to, uploaded, me);
    }
    Map<String, Object> props = PostBody.props(reply.id(), List.of(), to, clicks);
    PostOutcome outcome =
        edit(MattermostDrafts.postOf(draft), uploaded.text(), props, me, POST_MAX)
            .edited(MattermostDrafts.postOf(draft));
    if (outcome instanceof PostOutcome.NotDelivered(Failure failure)
        && failure.kind() == FailureKind.INVALID) {
      // Somebody has deleted it, or edits are off: it was not delivered for sure.
      takeAway(draft);
      return fresh(reply, to, uploaded, me);
    }
    switch (outcome) {
      case PostOutcome.Sent _ -> drafts.forget(reply.eventId());
      case PostOutcome.NotDelivered _ -> drafts.refused(draft, reply);
      case PostOutcome.Unknown _ -> {} // it may stand there
    }
    return outcome;
  }

  private MattermostAnswer edit(
      String post, String text, Map<String, Object> props, MattermostIdentity me, Duration timeout)
      throws CallFailedException, InterruptedException {
    Map<String, Object> patch = Map.of("message", text, "props", PostBody.editedProps(props, me));
    return bot.api().put("/posts/" + post + "/patch", patch, timeout);
  }

  private void takeAway(DraftMessages.Shown draft) throws InterruptedException {
    boolean _ = drafts.delete(draft);
    drafts.forget(draft.eventId());
  }

  /** Looks through what was written in the channel since the message that the reply answers. */
  FindOutcome find(OutboundReply reply) throws InterruptedException {
    try {
      FindOutcome outcome = find(reply, since(reply), bot.identity(LOOK_MAX));
      if (outcome instanceof FindOutcome.Found && reply.part() == 1 && !reply.eventId().isEmpty()) {
        drafts.forget(reply.eventId()); // nothing is to take its place any more
      }
      return outcome;
    } catch (CallFailedException e) {
      return new FindOutcome.Failed(e.failure());
    }
  }

  /** When the message was written, in milliseconds since 1970; zero when nobody knows. */
  private long since(OutboundReply reply) throws CallFailedException, InterruptedException {
    if (!MattermostPlace.isId(reply.inReplyTo())) {
      return 0; // a command or a reaction, which have no post
    }
    MattermostAnswer answer = bot.api().get("/posts/" + reply.inReplyTo(), LOOK_MAX);
    if (!answer.isOk() && !answer.isRefused()) {
      throw new CallFailedException(answer.failure());
    }
    return JsonText.whole(answer.body(), "create_at", 0);
  }

  private FindOutcome find(OutboundReply reply, long since, MattermostIdentity me)
      throws CallFailedException, InterruptedException {
    String channel = MattermostPlace.ofThread(reply.thread()).channel();
    String before = "";
    for (int page = 1; page <= PAGES_MAX; page++) {
      HistoryPage history =
          HistoryPage.of(bot.api().get(HistoryPage.path(channel, before), LOOK_MAX).orThrow());
      for (Map<String, Object> post : history.newestFirst()) {
        if (isReply(post, reply.id(), me)) {
          return new FindOutcome.Found(JsonText.text(post, "id"));
        }
        if (JsonText.whole(post, "create_at", since) < since) {
          return new FindOutcome.Absent();
        }
      }
      if (history.isLast()) {
        return new FindOutcome.Absent();
      }
      before = history.oldest();
    }
    return new FindOutcome.Failed(
        Failure.of(
            FailureCode.INVALID_REQUEST,
            "too much was written since then to look through all of it"));
  }

  private static boolean isReply(Map<String, Object> post, String id, MattermostIdentity me) {
    return JsonText.text(post, "user_id").equals(me.user())
        && JsonText.text(JsonText.map(post, "props"), PostBody.REPLY).equals(id);
  }

  /** Takes the buttons of a post away. */
  void settle(SettledPost post) throws CallFailedException, InterruptedException {
    MattermostIdentity me = bot.identity(SETTLE_MAX);
    String text = PostBody.text(post.text());
    MattermostAnswer answer = edit(post.platformId(), text, Map.of(), me, SETTLE_MAX);
    if (!answer.isOk() && !answer.isRefused()) {
      throw new CallFailedException(answer.failure());
    }
  }
}
