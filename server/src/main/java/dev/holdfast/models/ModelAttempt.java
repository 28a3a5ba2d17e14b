package dev.holdfast.models;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.models.http.UsageFacts;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.FaultPoint;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request to one model: measured, reported, and taken back when its text came to nothing. */
final class ModelAttempt implements ModelListener {
  private static final String LATE = "timeout";

  private final ModelSelection asking;
  private final Deadline deadline;
  private final Duration idle;
  private final FaultPoint faults;
  private final Time time;
  private final Instant at;
  private final long startedAt;
  private @Nullable Duration firstToken;

  /** {@code idle}: the longest silence once something has come. */
  ModelAttempt(ModelSelection asking, Deadline deadline, Duration idle, FaultPoint faults) {
    this.asking = asking;
    this.idle = idle;
    this.faults = faults;
    this.deadline = deadline;
    this.time = deadline.time();
    this.at = time.now();
    this.startedAt = time.nanos();
  }

  /** {@code report}: hears of the call, however it ends; it fills in the price. */
  ModelAnswer run(Provider provider, ModelRequest request, Consumer<ModelCall> report)
      throws CallFailedException, InterruptedException {
    String outcome = "internal";
    TokenUsage usage = TokenUsage.NONE;
    asking.listener().onWait(deadline.left());
    try {
      faults.pass(provider.name());
      ModelAnswer answer = provider.models().ask(request, this);
      outcome = ModelCall.OK;
      usage = answer.usage();
      return answer;
    } catch (CallFailedException e) {
      outcome = e.failure().code().name().toLowerCase(Locale.ROOT);
      usage = UsageFacts.read(e.failure());
      throw e;
    } catch (InterruptedException e) {
      // The guard ends a late call by an interrupt too.
      outcome = deadline.isOver() ? LATE : ModelCall.CANCELLED;
      throw e;
    } finally {
      asking.listener().onWait(deadline.left()); // for another try
      report.accept(
          new ModelCall(
              at, provider.name(), request.model(), outcome, usage, 0, firstToken, elapsed()));
      boolean isVoid = firstToken != null && !outcome.equals(ModelCall.OK);
      if (isVoid && !outcome.equals(ModelCall.CANCELLED)) {
        asking.listener().onRestart();
      }
    }
  }

  @Override
  public void onText(String delta) {
    if (firstToken == null) {
      firstToken = elapsed();
    }
    asking.heard();
    asking.listener().onWait(idle);
    asking.listener().onText(delta);
  }

  @Override
  public void onSign() {
    asking.listener().onWait(idle);
  }

  @Override
  public void onWork() {
    asking.heard();
    onSign();
  }

  private Duration elapsed() {
    return Duration.ofNanos(time.nanos() - startedAt);
  }
}
