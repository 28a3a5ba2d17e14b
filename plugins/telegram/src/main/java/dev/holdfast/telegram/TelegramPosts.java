package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Choice;
import dev.holdfast.api.Failure;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.PostPieces;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Posts the replies of one bot. A part with files is several messages, since Telegram takes one
 * file in each. Blocks the calling thread. Thread-safe.
 */
final class TelegramPosts {
  private static final int BUTTONS_PER_ROW = 2;

  private final PluginContext context;
  private final BotAccount bot;
  private final DraftPoster drafts;
  private final FileUpload upload;
  private final PostPieces pieces;

  TelegramPosts(
      PluginContext context,
      BotAccount bot,
      DraftPoster drafts,
      FileUpload upload,
      PostPieces pieces) {
    this.context = context;
    this.bot = bot;
    this.drafts = drafts;
    this.upload = upload;
    this.pieces = pieces;
  }

  PostOutcome post(OutboundReply reply) throws InterruptedException {
    Optional<Failure> wait = drafts.waitAsked(bot.address(reply.thread()));
    if (wait.isPresent()) {
      return new PostOutcome.NotDelivered(wait.get());
    }
    List<PostPieces.Piece> parts = new ArrayList<>();
    if (!reply.text().isBlank() || !reply.choices().isEmpty()) {
      parts.add(() -> postText(reply));
    }
    for (StoredFile file : reply.files()) {
      parts.add(() -> upload.post(file, bot.address(reply.thread())));
    }
    return pieces.post(reply.id(), parts); // Telegram takes no message with nothing in it
  }

  private PostOutcome postText(OutboundReply reply)
      throws CallFailedException, InterruptedException {
    PostText text = PostText.of(reply.text().isBlank() ? "…" : reply.text(), context);
    Optional<DraftMessages.Shown> draft =
        reply.part() == 1 ? drafts.finish(reply.eventId()) : Optional.empty();
    if (draft.isEmpty()) {
      return send(reply, text);
    }
    PostOutcome outcome = turnInto(draft.get(), reply, text);
    switch (outcome) {
      case PostOutcome.Sent(String platformId) -> {
        if (!platformId.equals(idOf(draft.get()))) {
          drafts.delete(draft.get()); // it could not be changed
        }
        drafts.forget(reply.eventId());
      }
      case PostOutcome.NotDelivered _ -> drafts.refused(draft.get(), reply);
      case PostOutcome.Unknown _ -> {} // it may stand there
    }
    return outcome;
  }

  private static String idOf(DraftMessages.Shown draft) {
    return draft.text(DraftPoster.CHAT) + ":" + draft.text(DraftPoster.MESSAGE);
  }

  /** Makes a draft the reply; for one that cannot be changed the reply is sent. */
  private PostOutcome turnInto(DraftMessages.Shown draft, OutboundReply reply, PostText text)
      throws InterruptedException {
    Map<String, Object> parameters = new ChatAddress(draft.text(DraftPoster.CHAT), "").parameters();
    parameters.put("message_id", ChatAddress.number(draft.text(DraftPoster.MESSAGE)));
    addButtons(parameters, reply.choices());
    try {
      BotAnswer answer = write("editMessageText", parameters, text);
      if (answer.says("not modified")) {
        return new PostOutcome.Sent(idOf(draft));
      }
      if (answer.code() == 400) {
        return send(reply, text);
      }
      return answer.edited(idOf(draft));
    } catch (CallFailedException e) {
      return HttpOutcome.of(e);
    }
  }

  private PostOutcome send(OutboundReply reply, PostText text)
      throws CallFailedException, InterruptedException {
    ChatAddress to = bot.address(reply.thread());
    BotAnswer answer = send(reply, text, to);
    if (!answer.migratedTo().isEmpty()) {
      bot.note(new TelegramUpdate.Migrated(to.chat(), answer.migratedTo()));
      to = to.withChat(answer.migratedTo());
      answer = send(reply, text, to);
    }
    return answer.outcome(to.chat());
  }

  private BotAnswer send(OutboundReply reply, PostText text, ChatAddress to)
      throws CallFailedException, InterruptedException {
    Map<String, Object> parameters = to.parameters();
    String asked = to.isGroup() && reply.part() == 1 ? messageOf(reply.inReplyTo(), to) : "";
    if (!asked.isEmpty()) {
      parameters.put(
          "reply_parameters",
          Map.of("message_id", ChatAddress.number(asked), "allow_sending_without_reply", true));
    }
    addButtons(parameters, reply.choices());
    return write("sendMessage", parameters, text);
  }

  /** The message that a key names, if it is in that chat; else empty. */
  private static String messageOf(String key, ChatAddress in) {
    String start = in.chat() + ":";
    String number = key.startsWith(start) ? key.substring(start.length()) : "";
    return number.matches("[0-9]{1,15}") ? number : "";
  }

  private static void addButtons(Map<String, Object> parameters, List<Choice> choices) {
    if (choices.isEmpty()) {
      return;
    }
    List<List<Map<String, String>>> rows = new ArrayList<>();
    for (Choice choice : choices) {
      if (rows.isEmpty() || rows.getLast().size() == BUTTONS_PER_ROW) {
        rows.add(new ArrayList<>());
      }
      rows.getLast().add(Map.of("text", choice.label(), "callback_data", choice.token()));
    }
    parameters.put("reply_markup", Map.of("inline_keyboard", rows));
  }

  /** A text that Telegram refuses for its markup surely did not arrive: it goes without. */
  private BotAnswer write(String method, Map<String, Object> parameters, PostText text)
      throws CallFailedException, InterruptedException {
    Map<String, Object> all = new LinkedHashMap<>(parameters);
    all.put("link_preview_options", Map.of("is_disabled", true));
    text.into(all);
    BotAnswer answer = bot.api().call(method, all);
    if (!text.isRefusedAsHtml(answer)) {
      return answer;
    }
    all.remove("parse_mode");
    text.asWritten().into(all);
    return bot.api().call(method, all);
  }

  /** Takes the buttons of a post away; a post that is gone needs nothing. */
  void settle(SettledPost post) throws CallFailedException, InterruptedException {
    int colon = post.platformId().lastIndexOf(':');
    if (colon <= 0) {
      return;
    }
    Map<String, Object> parameters =
        new ChatAddress(post.platformId().substring(0, colon), "").parameters();
    parameters.put("message_id", ChatAddress.number(post.platformId().substring(colon + 1)));
    BotAnswer answer = write("editMessageText", parameters, PostText.of(post.text(), context));
    if (!answer.isOk() && answer.code() != 400) {
      throw new CallFailedException(answer.failure());
    }
  }
}
