package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Conversation;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.context.ToolImages;
import dev.holdfast.agents.turn.TurnState.Pending;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.time.Time;
import dev.holdfast.tools.AttachFileTool;
import dev.holdfast.tools.ToolFacts;
import dev.holdfast.tools.ToolSearchTool;
import dev.holdfast.tools.Toolbox;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * Runs the calls of one word of the model. What a crash may cut off is announced on disk before it
 * starts; each result is in the context before the next call that cannot be repeated.
 */
public final class ToolRound {
  public static final String INTERRUPTED =
      "interrupted, outcome unknown; check before repeating: the server went down during this"
          + " call.";

  private static final String CUT =
      "not run: your answer was cut before its end. Call again, with shorter arguments.";

  private final Supplier<Toolbox> toolbox;
  private final Time time;
  private final Conversation conversation;
  private final Incoming incoming;
  private final ToolProgress watch;
  private final Gate gate;
  private final ToolImages images;

  /** Asks whether a call may run. */
  interface Gate {
    /** Empty: it may. Otherwise the result that the model gets instead. */
    Optional<ToolResult> check(Incoming incoming, Pending pending, ToolFacts tool)
        throws WaitsForPersonException, StoreException, InterruptedException;
  }

  public ToolRound(
      Supplier<Toolbox> toolbox,
      Time time,
      Conversation conversation,
      Incoming incoming,
      ToolProgress watch,
      Gate gate,
      AttachmentsConfig attachments) {
    this.toolbox = toolbox;
    this.time = time;
    this.conversation = conversation;
    this.incoming = incoming;
    this.watch = watch;
    this.gate = gate;
    this.images = new ToolImages(conversation, attachments);
  }

  /**
   * Each call gets its result, in the order of the calls.
   *
   * @throws WaitsForPersonException when a call needs a person's word; the calls before it have
   *     their results
   */
  void run(List<Pending> pending)
      throws WaitsForPersonException, StoreException, IOException, InterruptedException {
    conversation.sync(); // the model's word is paid for: it is on disk before anything acts on it
    watch.waits(longest(pending));
    if (pending.size() > 1 && pending.stream().allMatch(this::onlyReads)) {
      runTogether(pending);
    } else {
      for (Pending next : pending) {
        append(next, runOne(next));
      }
    }
    watch.works();
  }

  /**
   * None of the calls runs: their arguments may have broken off anywhere. The model is told, so
   * that it can call again.
   */
  void refuse(List<Pending> pending) throws IOException {
    for (Pending next : pending) {
      append(next, ToolResult.error(Failure.of(FailureCode.CANCELLED, CUT)));
    }
  }

  /** With the second try that a passing failure gets. */
  private Duration longest(List<Pending> pending) {
    return pending.stream()
        .flatMap(next -> toolbox().find(next.call().tool()).stream())
        .map(tool -> tool.timeout().multipliedBy(2))
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  private boolean onlyReads(Pending pending) {
    return toolbox()
        .find(pending.call().tool())
        .map(tool -> tool.replay() == ReplayClass.READ && tool.risk() != Risk.HIGH)
        .orElse(true);
  }

  private void runTogether(List<Pending> pending) throws IOException, InterruptedException {
    try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<ToolResult>> results = new ArrayList<>();
      for (Pending next : pending) {
        results.add(each.submit(() -> call(next)));
      }
      try {
        for (int i = 0; i < pending.size(); i++) {
          append(pending.get(i), results.get(i).get());
        }
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException refused) {
          throw refused; // the disk: a wait, not a bug
        }
        throw new IllegalStateException("a tool threw through its box", e);
      } finally {
        results.forEach(result -> result.cancel(true));
      }
    }
  }

  private ToolResult runOne(Pending next)
      throws WaitsForPersonException, StoreException, IOException, InterruptedException {
    Optional<ToolFacts> tool = toolbox().find(next.call().tool());
    // Also for a tool that is no longer available: what it did is not undone by that.
    if (next.wasStarted() && !tool.map(it -> it.replay().isRepeatable()).orElse(false)) {
      watch.interrupted(next);
      return ToolResult.error(Failure.of(FailureCode.CANCELLED, INTERRUPTED));
    }
    if (tool.isEmpty()) {
      return call(next);
    }
    Optional<ToolResult> refused = gate.check(incoming, next, tool.get());
    if (refused.isPresent()) {
      return refused.get();
    }
    if (tool.get().replay() == ReplayClass.READ) {
      return call(next);
    }
    if (tool.get().replay() != ReplayClass.IDEMPOTENT) {
      conversation.append(Entries.toolStarted(incoming.id(), time.now(), next.call()));
    }
    conversation.sync();
    return call(next);
  }

  private ToolResult call(Pending next) throws IOException, InterruptedException {
    ToolCall call = next.call();
    boolean reads =
        toolbox().find(call.tool()).map(tool -> tool.replay() == ReplayClass.READ).orElse(true);
    long begun = watch.started(next, toolbox().label(call), !reads);
    try (ToolProgress.Telling events = watch.new Telling(next)) {
      ToolResult result = toolbox().run(call, context(next, events));
      watch.ended(next, result, begun);
      return result;
    }
  }

  private ToolContext context(Pending next, ToolContext.Progress progress) throws IOException {
    return new ToolContext(
        incoming.event().threadId(),
        incoming.id(),
        incoming.message().sender(),
        next.call().id(),
        next.key(),
        conversation.scratch(),
        progress);
  }

  private void append(Pending next, ToolResult result) throws IOException {
    ToolCall call = next.call();
    int repeats = LoopGuard.repeats(conversation.lastTurn());
    String text =
        repeats < LoopGuard.TOLD_FROM ? result.text() : result.text() + LoopGuard.note(repeats);
    Optional<ReplyFile> file = AttachFileTool.attached(call.tool(), result);
    if (file.isPresent()) { // before its result: after a crash in between the call runs again
      conversation.append(Entries.outgoing(incoming.id(), time.now(), file.get()));
    }
    List<String> found = ToolSearchTool.found(call.tool(), result);
    if (!found.isEmpty()) {
      conversation.append(Entries.foundTools(incoming.id(), time.now(), call.id(), found));
    }
    conversation.append(
        Entries.toolResult(
            incoming.id(),
            time.now(),
            new Message.ToolResult(call.id(), call.tool(), text, result.isError()),
            images.keep(next.key(), result)));
  }

  private Toolbox toolbox() {
    return toolbox.get();
  }
}
