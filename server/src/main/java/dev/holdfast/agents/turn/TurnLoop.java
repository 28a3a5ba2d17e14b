package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.AttachmentIntake;
import dev.holdfast.agents.context.ContextRepair;
import dev.holdfast.agents.context.Conversation;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.ImageSelection;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.StoredAttachment;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.agents.turn.TurnState.Answered;
import dev.holdfast.agents.turn.TurnState.Ask;
import dev.holdfast.agents.turn.TurnState.Calls;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.models.ModelQuestion;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.store.threads.ContextEntry;
import dev.holdfast.tools.ToolOffer;
import dev.holdfast.tools.prompts.CalledPrompt;
import dev.holdfast.tools.prompts.PreparedMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One turn: from the messages that opened it to a final text, through checkpoints that survive a
 * crash.
 */
public final class TurnLoop {
  private static final Logger LOG = LoggerFactory.getLogger(TurnLoop.class);

  private static final String REPLACES =
      "[This replaces an earlier message and all that followed it. Disregard what the summary still"
          + " tells of those.]\n";

  private final TurnResources resources;
  private final TurnEndings endings;
  private final SystemPrompt prompt;
  private final Conversation conversation;
  private final TurnProgress progress;
  private final ToolRound tools;
  private final Joining joining;

  /** Whose models are asked. */
  private String level;

  /** Whether what the turn's first message replaces is still in a summary. */
  private boolean summaryTellsReplaced;

  /** Who may join a turn that runs. */
  public interface Joining {
    /** Messages that came meanwhile and are to be part of this turn; usually none. */
    List<Incoming> take();
  }

  public TurnLoop(
      TurnResources resources,
      Conversation conversation,
      TurnProgress progress,
      ToolRound tools,
      Joining joining) {
    this.resources = resources;
    this.endings = progress.endings();
    this.prompt = new SystemPrompt(resources);
    this.conversation = conversation;
    this.progress = progress;
    this.tools = tools;
    this.joining = joining;
    this.level = resources.models().defaultLevel();
  }

  /**
   * Runs the turn to its end, or goes on where a crash cut it off. On return its events are ended.
   *
   * @throws CallFailedException when no answer could be had; the events are still open
   * @throws WaitsForPersonException when a tool call needs a person's word; the events are still
   *     open
   */
  public void run(List<Incoming> opening)
      throws CallFailedException, WaitsForPersonException, IOException, InterruptedException {
    List<Incoming> batch = new ArrayList<>(opening);
    endAnswered(batch);
    if (batch.isEmpty()) {
      return;
    }
    open(batch);
    while (true) {
      List<ContextEntry> turn = conversation.lastTurn();
      switch (TurnState.of(turn)) {
        case Answered(_, String text)
            when SeenText.isNothing(text) && Entries.outgoing(turn).isEmpty() -> {
          giveUp(batch, "the model said nothing, asked twice", ChatSentences.NOTHING_SAID);
          return;
        }
        case Answered(ContextEntry entry, String text) -> {
          conversation.sync(); // the answer is on disk before anybody reads it
          end(batch, entry, text);
          return;
        }
        case Ask(int rounds) when rounds >= resources.config().turn().roundsMax() -> {
          giveUp(batch, "turn.max_rounds reached", ChatSentences.ROUNDS_SPENT);
          return;
        }
        case Ask(int rounds) -> {
          level = level(batch);
          ModelAnswer answer = ask();
          if (saysNothing(answer, turn)) {
            LOG.warn("event {}: the model said nothing ({})", batch.getLast().id(), answer.stop());
            answer = ask();
          }
          String id = batch.getLast().id();
          conversation.append(
              Entries.assistant(
                  id + "." + (rounds + 1),
                  id,
                  resources.time().now(),
                  answer.message(),
                  answer.stop()));
          progress.goesOn();
        }
        case Calls _ when LoopGuard.repeats(turn) >= resources.config().turn().sameCallMax() -> {
          giveUp(batch, "turn.same_call_max reached", ChatSentences.IN_CIRCLES);
          return;
        }
        case Calls(_, List<TurnState.Pending> pending, boolean cut) when cut ->
            tools.refuse(pending);
        case Calls(_, List<TurnState.Pending> pending, _) -> {
          tools.run(pending);
          join(batch, joining.take());
        }
      }
    }
  }

  /** The last one that somebody chose; a turn that goes on after a crash finds the same. */
  private String level(List<Incoming> batch) {
    return batch.reversed().stream()
        .map(incoming -> incoming.options().level())
        .filter(chosen -> !chosen.isEmpty())
        .findFirst()
        .orElse(resources.models().defaultLevel());
  }

  /** After words before a call, or with files to send, a model need not say more. */
  private static boolean saysNothing(ModelAnswer answer, List<ContextEntry> turn) {
    return SeenText.isNothing(answer.message().text())
        && answer.message().toolCalls().isEmpty()
        && SeenText.isNothing(Entries.spoken(turn))
        && Entries.outgoing(turn).isEmpty();
  }

  /**
   * Before a crash a smaller batch may have had its answer already: that one ends, the others get a
   * turn.
   */
  private void endAnswered(List<Incoming> batch) throws IOException, InterruptedException {
    List<ContextEntry> turn = conversation.lastTurn();
    if (turn.isEmpty()
        || !(TurnState.of(turn) instanceof Answered(ContextEntry entry, String text))) {
      return;
    }
    for (int i = 0; i < batch.size() - 1; i++) {
      if (batch.get(i).id().equals(entry.eventId())) {
        conversation.sync();
        List<Incoming> answered = batch.subList(0, i + 1);
        end(answered, entry, text);
        answered.clear();
        return;
      }
    }
  }

  /**
   * A turn that was given up before has left its entries: they are fenced off, or their calls would
   * be run now.
   */
  private void open(List<Incoming> batch)
      throws CallFailedException, IOException, InterruptedException {
    List<ContextEntry> turn = conversation.lastTurn();
    boolean goesOn =
        isIn(turn, batch)
            && !wasStopped(turn, batch)
            && !mayLackItsAnswer(turn)
            && !hasForeignWord(turn);
    if (!goesOn) {
      progress.mayAsk(
          batch.stream()
              .mapToLong(incoming -> Conversation.tokensOf(incoming.message().text()))
              .sum()); // before it is written: what is too dear must not weigh on later turns
      takeOutReplaced(batch.getFirst());
      turn = conversation.lastTurn();
    }
    if (!goesOn && !turn.isEmpty() && (!Entries.endsTurn(turn.getLast()) || isIn(turn, batch))) {
      conversation.append(Entries.allowed(batch.getFirst().id(), resources.time().now()));
    }
    join(batch, List.copyOf(batch));
  }

  /**
   * The log is told first: a crash in between leaves the message open, and its next run takes out
   * what this one has not.
   */
  private void takeOutReplaced(Incoming incoming) throws IOException {
    if (incoming.options().replaces()) {
      endings.logBegun(incoming, List.of());
      summaryTellsReplaced = !conversation.takeOut(incoming.options().supersedes(), incoming.id());
    }
  }

  /**
   * Whether this turn was about a message that has ended, or that a stop is about to end, and left
   * one that had joined. A stop ends what is older; what is younger has joined and comes again.
   */
  private boolean wasStopped(List<ContextEntry> turn, List<Incoming> batch) {
    return turn.stream()
        .filter(entry -> entry.type().equals(Entries.USER))
        .filter(entry -> batch.stream().noneMatch(mine -> mine.id().equals(entry.id())))
        .flatMap(entry -> resources.store().inbox().find(entry.id()).stream())
        .anyMatch(
            event ->
                event.state().isOpen()
                    ? event.seq() < batch.getFirst().seq()
                    : event.state() != EventState.DEAD_LETTERED);
  }

  private static boolean isIn(List<ContextEntry> turn, List<Incoming> batch) {
    return turn.stream()
        .anyMatch(entry -> batch.stream().anyMatch(mine -> mine.id().equals(entry.id())));
  }

  /** What was set aside may have been its answer: it is asked for again, with what joins now. */
  private static boolean mayLackItsAnswer(List<ContextEntry> turn) {
    return turn.size() > 1
        && turn.getLast().isLost()
        && turn.get(turn.size() - 2).type().equals(Entries.USER);
  }

  /**
   * Whether a word of the model stands here that belongs to none of these messages, since lines are
   * lost or not in their places: then it is no answer to them, and its calls are not theirs.
   */
  private static boolean hasForeignWord(List<ContextEntry> turn) {
    Set<String> messages =
        turn.stream()
            .filter(entry -> entry.type().equals(Entries.USER))
            .map(ContextEntry::id)
            .collect(Collectors.toSet());
    return turn.stream().noneMatch(entry -> entry.type().equals(Entries.SUMMARY))
        && turn.stream()
            .anyMatch(
                entry ->
                    entry.type().equals(Entries.ASSISTANT) && !messages.contains(entry.eventId()));
  }

  /**
   * Writes the messages into the context, except those that a run before a crash has written
   * already.
   */
  private void join(List<Incoming> batch, List<Incoming> messages)
      throws IOException, InterruptedException {
    messages.stream().filter(incoming -> !batch.contains(incoming)).forEach(batch::add);
    List<String> written = conversation.lastTurn().stream().map(ContextEntry::id).toList();
    List<Incoming> left = new ArrayList<>(messages);
    left.removeIf(incoming -> written.contains(incoming.id()));
    try {
      while (!left.isEmpty()) {
        Incoming incoming = left.getFirst();
        List<StoredAttachment> files = files(incoming);
        conversation.append(Entries.user(incoming, told(incoming), files));
        endings.logBegun(incoming, files);
        left.removeFirst();
      }
    } catch (InterruptedException e) {
      // Cut off: what was said stays to be read, and a later line of the same id takes its place.
      left.forEach(incoming -> endings.logBegun(incoming, List.of()));
      throw e;
    }
  }

  private String told(Incoming incoming) throws InterruptedException {
    String text = prepared(incoming);
    return incoming.options().replaces() && summaryTellsReplaced ? REPLACES + text : text;
  }

  /** What a person's words stand for, when they call for a prompt. */
  private String prepared(Incoming incoming) throws InterruptedException {
    String said = incoming.message().text();
    Optional<CalledPrompt> called = resources.knowledge().prompts().find(said);
    if (called.isEmpty()) {
      return said;
    }
    progress.preparing(called.get().timeout());
    PreparedMessage prepared = called.get().prepare();
    progress.fetched();
    return switch (prepared) {
      case PreparedMessage.Ready(String text) -> text;
      case PreparedMessage.Failed(String reason) ->
          said + "\n[This calls for a prompt that cannot be had: " + reason + "]";
    };
  }

  private List<StoredAttachment> files(Incoming incoming) throws IOException, InterruptedException {
    if (incoming.message().attachments().isEmpty()) {
      return List.of();
    }
    progress.fetching(resources.attachments().config().timeout());
    List<StoredAttachment> had =
        new AttachmentIntake(
                resources.attachments(),
                resources.time(),
                endings.epoch(),
                conversation.attachments(),
                conversation.scratch())
            .take(incoming);
    progress.fetched();
    return had;
  }

  private ModelAnswer ask() throws CallFailedException, IOException, InterruptedException {
    progress.mayAsk(0);
    Compactor compactor = new Compactor(resources, conversation, progress, level);
    compactor.compactIfFull();
    try {
      return askOnce();
    } catch (CallFailedException e) {
      if (e.failure().code() != FailureCode.CONTEXT_OVERFLOW) {
        throw e;
      }
      compactor.compact(); // our estimate was too low: once more with less
      return askOnce();
    }
  }

  /** An image that the model refuses must not spoil each later request of the chat thread. */
  private ModelAnswer askOnce() throws CallFailedException, IOException, InterruptedException {
    List<Message> messages = messages(false);
    try {
      return ask(messages);
    } catch (CallFailedException e) {
      if (!isRefusal(e.failure()) || !hasImages(messages)) {
        throw e;
      }
    }
    ModelAnswer answer = ask(messages(true));
    conversation.append(Entries.imagesRefused("", resources.time().now()));
    return answer;
  }

  private static boolean isRefusal(Failure failure) {
    return failure.kind() == FailureKind.INVALID && failure.code() == FailureCode.INVALID_REQUEST;
  }

  private static boolean hasImages(List<Message> messages) {
    return messages.stream()
        .anyMatch(
            message ->
                switch (message) {
                  case Message.User user -> !user.images().isEmpty();
                  case Message.ToolResult result -> !result.images().isEmpty();
                  case Message.Assistant _ -> false;
                });
  }

  private List<Message> messages(boolean withoutImages) {
    ImageSelection pictures =
        new ImageSelection(
            conversation.attachments(), resources.attachments().config().images(), withoutImages);
    return ContextRepair.repair(
        conversation.messages(pictures, resources.knowledge().zone(), resources.time().now()));
  }

  private ModelAnswer ask(List<Message> messages) throws CallFailedException, InterruptedException {
    ToolOffer offer =
        resources
            .toolbox()
            .offer(
                resources.models().windowTokens(level),
                Entries.foundTools(conversation.lastTurn()));
    ModelQuestion question =
        new ModelQuestion(prompt.system(progress.threadId(), offer), messages, offer.specs());
    progress.asking();
    ModelAnswer answer =
        resources.models().ask(level, question, progress.asker(), progress).answer();
    progress.modelAnswered();
    return answer;
  }

  /**
   * The turn may have been written for a larger batch before a crash: then its answer goes to the
   * batch's last event.
   */
  private void end(List<Incoming> batch, ContextEntry answer, String text)
      throws InterruptedException {
    boolean ours = batch.getLast().id().equals(answer.eventId());
    Say say = ours ? answer(text) : Say.NOTHING;
    String reason = ours ? "" : "answered with " + answer.eventId();
    endings.end(batch, new TurnEnd(EventState.ANSWERED, null, reason), say);
  }

  /** With the files that the turn has attached, as many as one answer may have. */
  private Say answer(String text) {
    List<ReplyFile> wanted = Entries.outgoing(conversation.lastTurn());
    if (wanted.isEmpty()) {
      return new Say(ReplyVoice.ANSWER, text);
    }
    AttachmentsConfig limits = resources.attachments().config();
    List<ReplyFile> files = new ArrayList<>();
    long bytes = 0;
    for (ReplyFile file : wanted) {
      bytes += file.bytes();
      if (files.size() < limits.countMax() && bytes <= limits.totalBytesMax()) {
        files.add(file);
      }
    }
    int left = wanted.size() - files.size();
    String said = SeenText.isNothing(text) ? "Here is what you asked for." : text;
    return new Say(
        ReplyVoice.ANSWER,
        left == 0 ? said : said + "\n\n(" + left + " more files did not fit into one answer.)",
        files);
  }

  /** Fenced off, so that a replay begins anew. What was said before a call is said all the same. */
  private void giveUp(List<Incoming> batch, String reason, String sentence)
      throws IOException, InterruptedException {
    String said = Entries.spoken(conversation.lastTurn());
    String whole = SeenText.isNothing(said) ? sentence : said + "\n\n" + sentence;
    conversation.append(Entries.allowed(batch.getLast().id(), resources.time().now()));
    conversation.sync();
    Say say =
        resources.config().turn().errorReplies() ? new Say(ReplyVoice.ERROR, whole) : Say.NOTHING;
    endings.end(batch, TurnEnd.deadLettered(FailureCode.BACKEND_FAILURE, reason), say);
  }
}
