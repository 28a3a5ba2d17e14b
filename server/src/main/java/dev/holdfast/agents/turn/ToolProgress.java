package dev.holdfast.agents.turn;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.TurnState.Pending;
import dev.holdfast.api.ToolResult;
import dev.holdfast.config.Secrets;
import dev.holdfast.incidents.StartReport;
import dev.holdfast.time.Time;
import dev.holdfast.tools.forms.FormAsker;
import dev.holdfast.tools.forms.FormReply;
import dev.holdfast.tools.forms.PersonForm;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Tells people and the event's story which tools a turn uses. Thread-safe. */
public final class ToolProgress {
  /** In stories, of a call that may have changed something outside of the conversation. */
  public static final String EFFECTS = "effects";

  private static final int SHOWN_MAX = 2000;

  private final Secrets secrets;
  private final Time time;
  private final TurnEndings endings;
  private final Incoming incoming;
  private final Consumer<String> doing;
  private final FormQuestions questions;
  private final AtomicLong nanos = new AtomicLong();

  /**
   * {@code secrets}: what nobody is shown; {@code doing} hears what the turn does, in a few words.
   */
  public ToolProgress(
      Secrets secrets,
      Time time,
      TurnEndings endings,
      Incoming incoming,
      FormQuestions questions,
      Consumer<String> doing) {
    this.secrets = secrets;
    this.time = time;
    this.endings = endings;
    this.incoming = incoming;
    this.questions = questions;
    this.doing = doing;
  }

  /** The time that tools took of this turn; calls that ran together count each. */
  public Duration toolTime() {
    return Duration.ofNanos(nanos.get());
  }

  /** Nothing may come of the tools for this long. */
  void waits(Duration silentAtMost) {
    endings.epoch().waits(silentAtMost);
  }

  /** The tools have had their time. */
  void works() {
    endings.epoch().works();
  }

  /** What a call of a tool tells while it runs; nothing counts that it tells afterwards. */
  final class Telling implements FormAsker, AutoCloseable {
    private final Pending call;
    private volatile boolean over;

    Telling(Pending call) {
      this.call = call;
    }

    @Override
    public void doing(String label) {
      if (!over) {
        ToolProgress.this.doing(label);
      }
    }

    @Override
    public void moved() {
      if (!over) {
        endings.epoch().moves();
      }
    }

    @Override
    public FormReply ask(PersonForm form, Duration limit, CompletableFuture<?> moot)
        throws InterruptedException {
      if (over) {
        return new FormReply.Declined("no longer wanted");
      }
      doing("waiting for an answer to the " + form.source());
      return questions.ask(incoming, call, form, limit, moot);
    }

    @Override
    public void close() {
      over = true;
    }
  }

  void doing(String label) {
    String safe = secrets.redact(label);
    endings.epoch().moves();
    doing.accept(safe);
    endings.news("turn.doing", incoming, Entries.object().put("label", safe));
  }

  /**
   * Returns the moment, for {@link #ended}.
   *
   * @param effects whether it may change something outside of the conversation
   */
  long started(Pending pending, String label, boolean effects) {
    doing(label);
    ObjectNode details = head(pending).put("label", secrets.redact(label));
    details.put("arguments", shown(pending.call().arguments()));
    if (effects) {
      details.put(EFFECTS, true);
    }
    endings.story(incoming, "tool.started", details);
    endings.news("tool.started", incoming, details);
    return time.nanos();
  }

  /** It was cut off by the end of an earlier run, and must not be repeated. */
  void interrupted(Pending pending) {
    endings.story(incoming, StartReport.TOOL_INTERRUPTED, head(pending));
    endings.news(StartReport.TOOL_INTERRUPTED, incoming, head(pending));
  }

  void ended(Pending pending, ToolResult result, long begun) {
    long took = time.nanos() - begun;
    nanos.addAndGet(took);
    ObjectNode details = head(pending).put("error", result.isError());
    details.put("millis", took / 1_000_000).put("result", shown(result.text()));
    result.facts().forEach(details::put);
    endings.story(incoming, "tool.ended", details);
    endings.news("tool.ended", incoming, details);
  }

  private static ObjectNode head(Pending pending) {
    return Entries.object()
        .put("call_id", pending.call().id())
        .put("tool", pending.call().tool())
        .put("execution", pending.key());
  }

  private String shown(String text) {
    String safe = secrets.redact(text);
    return safe.length() <= SHOWN_MAX ? safe : safe.substring(0, SHOWN_MAX) + "…";
  }
}
