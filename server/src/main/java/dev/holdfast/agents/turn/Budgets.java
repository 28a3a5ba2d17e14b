package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.models.BudgetConfig;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.modes.ModeNow;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Usage.Spent;
import dev.holdfast.store.ledgers.Usage.Whose;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ReplyVoice;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds turns to what the operator lets them cost. The sums are kept by the store, so they outlive
 * a restart. Thread-safe.
 */
public final class Budgets {
  private static final Logger LOG = LoggerFactory.getLogger(Budgets.class);
  private static final String SCOPE = "budget";

  private final TurnResources resources;
  private final Supplier<ModeNow> mode;
  private final MeterRegistry meters;
  private final BudgetConfig config;

  /** How much of the two budgets of all is used, in percent, when it was looked at last. */
  private final Map<Scope, Double> used = new ConcurrentHashMap<>();

  private final Map<Scope, LocalDate> warned = new ConcurrentHashMap<>();

  /** Whose budget it is. */
  public enum Scope {
    USER,
    THREAD,
    DAILY,
    MONTHLY
  }

  /** {@code mode}: how much may be done now. */
  public Budgets(TurnResources resources, Supplier<ModeNow> mode, MeterRegistry meters) {
    this.resources = resources;
    this.mode = mode;
    this.meters = meters;
    this.config = resources.knowledge().budget();
    for (Scope scope : Scope.values()) {
      meters.counter("holdfast.budget.refusals", "scope", label(scope));
    }
    for (Scope scope : List.of(Scope.DAILY, Scope.MONTHLY)) {
      Gauge.builder("holdfast.budget.used.percent", used, map -> map.getOrDefault(scope, 0.0))
          .tag("scope", label(scope))
          .register(meters);
    }
  }

  /**
   * Before each request to a model. When the budget of all is used up and there is a local model,
   * that one is asked.
   *
   * @param tokensAhead what is sure to come on top, in tokens
   * @throws CallFailedException BUDGET_EXHAUSTED
   */
  RemoteUse check(Incoming incoming, long tokensAhead) throws CallFailedException {
    RemoteUse usual = usual();
    if (config.isNone()) {
      return usual;
    }
    Instant day = today().atStartOfDay(resources.knowledge().zone()).toInstant();
    if (!config.perUser().isNone()) {
      Spent hers = spent(Whose.PERSON, person(incoming), day, incoming);
      check(Scope.USER, config.perUser(), hers, tokensAhead);
    }
    if (!config.perThread().isNone()) {
      String thread = incoming.event().threadId();
      Spent its = spent(Whose.THREAD, thread, day, incoming);
      check(Scope.THREAD, config.perThread(), its, tokensAhead);
    }
    return ofAll(incoming.id(), usual);
  }

  /**
   * Before a request to a model that belongs to no chat thread.
   *
   * @param person whom it is counted for, the platform's id behind the channel and account
   * @throws CallFailedException BUDGET_EXHAUSTED
   */
  public RemoteUse check(String person) throws CallFailedException {
    RemoteUse usual = usual();
    if (config.isNone()) {
      return usual;
    }
    if (!config.perUser().isNone()) {
      Instant day = today().atStartOfDay(resources.knowledge().zone()).toInstant();
      check(
          Scope.USER,
          config.perUser(),
          resources.store().usage().spent(Whose.PERSON, person, day, ""),
          0);
    }
    return ofAll("", usual);
  }

  private RemoteUse usual() {
    return mode.get().mode().sparesRemoteModels() ? RemoteUse.SPARING : RemoteUse.FREE;
  }

  private RemoteUse ofAll(String eventId, RemoteUse usual) throws CallFailedException {
    Optional<Scope> spent = spentScope(eventId);
    if (spent.isPresent() && !resources.models().hasLocal()) {
      boolean isDaily = spent.get() == Scope.DAILY;
      throw exhausted(spent.get(), (isDaily ? config.dailyUsd() : config.monthlyUsd()) + " USD");
    }
    return spent.isPresent() ? RemoteUse.NONE : usual;
  }

  /** Whether a budget of all is used up, so that remote models are not asked. */
  public boolean isSpent() throws StoreException {
    return spentScope("").isPresent();
  }

  /** Whether a chat thread has used up what it may in a day, whatever model is asked. */
  public boolean isThreadSpent(String threadId) throws StoreException {
    BudgetConfig.Limit limit = config.perThread();
    if (limit.isNone()) {
      return false;
    }
    Instant day = today().atStartOfDay(resources.knowledge().zone()).toInstant();
    return exceeded(limit, resources.store().usage().spent(Whose.THREAD, threadId, day, ""), 0)
        .isPresent();
  }

  /** Which budget of all is used up; none while every model that is asked is a local one. */
  private Optional<Scope> spentScope(String eventId) throws StoreException {
    if (resources.models().asksLocalOnly()) {
      return Optional.empty();
    }
    LocalDate today = today();
    boolean day = isUsedUp(Scope.DAILY, config.dailyUsd(), today, eventId);
    boolean month = isUsedUp(Scope.MONTHLY, config.monthlyUsd(), today.withDayOfMonth(1), eventId);
    return day ? Optional.of(Scope.DAILY) : month ? Optional.of(Scope.MONTHLY) : Optional.empty();
  }

  private Spent spent(Whose whose, String id, Instant since, Incoming incoming)
      throws StoreException {
    return resources.store().usage().spent(whose, id, since, incoming.id());
  }

  private void check(Scope scope, BudgetConfig.Limit limit, Spent spent, long tokensAhead)
      throws CallFailedException {
    Optional<String> exceeded = exceeded(limit, spent, tokensAhead);
    if (exceeded.isPresent()) {
      throw exhausted(scope, exceeded.get());
    }
  }

  /** The first limit that allows no more, with its unit. */
  private static Optional<String> exceeded(
      BudgetConfig.Limit limit, Spent spent, long tokensAhead) {
    if (limit.messages() > 0 && spent.messages() >= limit.messages()) {
      return Optional.of(limit.messages() + " messages");
    }
    boolean tooMany =
        spent.tokens() >= limit.tokens() || spent.tokens() + tokensAhead > limit.tokens();
    if (limit.tokens() > 0 && tooMany) {
      return Optional.of(limit.tokens() + " tokens");
    }
    return limit.usd() > 0 && spent.costUsd() >= limit.usd()
        ? Optional.of(limit.usd() + " USD")
        : Optional.empty();
  }

  private boolean isUsedUp(Scope scope, double usd, LocalDate since, String eventId)
      throws StoreException {
    if (usd == 0) {
      return false;
    }
    Instant from = since.atStartOfDay(resources.knowledge().zone()).toInstant();
    double percent =
        100 * resources.store().usage().spent(Whose.ALL, "", from, eventId).costUsd() / usd;
    used.put(scope, percent);
    if (percent >= config.warnPercent() && !today().equals(warned.put(scope, today()))) {
      LOG.warn(
          "budget: {} percent of the {} budget of {} USD are used",
          (long) percent,
          label(scope),
          usd);
    }
    return percent >= 100;
  }

  private CallFailedException exhausted(Scope scope, String what) {
    meters.counter("holdfast.budget.refusals", "scope", label(scope)).increment();
    return new CallFailedException(
        Failure.of(
                FailureCode.BUDGET_EXHAUSTED,
                "the budget (" + label(scope) + ") of " + what + " is used up")
            .withContext(Map.of(SCOPE, scope.name())));
  }

  public static boolean isOurs(Failure failure) {
    return failure.code() == FailureCode.BUDGET_EXHAUSTED && failure.context().containsKey(SCOPE);
  }

  /**
   * Ends what a budget does not allow. The person is told once a day in each chat thread; whatever
   * else they write that day ends without a word. What only the server's own budget refused can be
   * replayed.
   */
  public void refuse(List<Incoming> batch, Failure failure, TurnEndings endings)
      throws StoreException, InterruptedException {
    Incoming last = batch.getLast();
    Scope scope = Scope.valueOf(failure.context().getOrDefault(SCOPE, Scope.DAILY.name()));
    String notice =
        "budget " + today() + " " + scope + " " + person(last) + " " + last.event().threadId();
    boolean isTold = resources.store().usage().isTold(notice);
    LOG.info("event {}: refused: {}", last.id(), failure.message());
    for (Incoming incoming : batch) {
      endings.logMessage(incoming, List.of());
    }
    Say say = isTold ? Say.NOTHING : new Say(ReplyVoice.ERROR, ChatSentences.overBudget(scope));
    endings.end(batch, TurnEnd.of(outcome(scope, isTold), failure), say);
    if (!isTold) {
      endings.epoch().change(() -> resources.store().usage().told(notice, resources.time().now()));
    }
  }

  private static EventState outcome(Scope scope, boolean isTold) {
    return switch (scope) {
      case USER, THREAD -> isTold ? EventState.SILENT : EventState.ANSWERED;
      case DAILY, MONTHLY -> EventState.DEAD_LETTERED;
    };
  }

  /** Whom a message is counted for: a wake-up is its maker's. */
  String person(Incoming incoming) {
    String sender = incoming.message().sender();
    String who =
        incoming.isWakeup()
            ? resources.store().schedules().personBehind(incoming.id()).orElse(sender)
            : sender;
    return incoming.event().source() + ":" + who;
  }

  private LocalDate today() {
    return LocalDate.ofInstant(resources.time().now(), resources.knowledge().zone());
  }

  private static String label(Scope scope) {
    return scope.name().toLowerCase(Locale.ROOT);
  }
}
