package dev.holdfast.tasks.run;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.extensions.Texts;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.supervision.Crash;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.tasks.ledger.AttemptEnd;
import dev.holdfast.tasks.ledger.Plan;
import dev.holdfast.tasks.ledger.PlanLedger;
import dev.holdfast.tasks.ledger.Task;
import dev.holdfast.tasks.ledger.TaskInput;
import dev.holdfast.tasks.rules.AgentHealth;
import dev.holdfast.tasks.rules.FailureLadder;
import dev.holdfast.tasks.rules.InputQuestion;
import dev.holdfast.tasks.rules.RetryRules;
import dev.holdfast.tasks.rules.TaskFailure;
import dev.holdfast.tasks.rules.TaskState;
import dev.holdfast.tasks.workers.AgentAction;
import dev.holdfast.tasks.workers.Assignment;
import dev.holdfast.tasks.workers.AttemptResult;
import dev.holdfast.tasks.workers.WorkerAgent;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives tasks to worker agents. A task is worked on under a lease that is renewed while this
 * process lives; what another one left behind is taken back before anything is given out. One
 * thread looks for work, and each attempt has a virtual thread of its own. Thread-safe.
 */
public final class TaskRunner {
  private static final Logger LOG = LoggerFactory.getLogger(TaskRunner.class);

  /** A running task is one whose lease is younger than this. */
  static final Duration LEASE = Duration.ofSeconds(30);

  static final Duration RENEWAL = Duration.ofSeconds(10);

  /**
   * How long a task waits for an agent that is not there, a plugin that is replaced for example.
   */
  static final Duration ABSENCE_MAX = Duration.ofSeconds(60);

  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(2);
  private static final Duration TIDYING = Duration.ofMinutes(10);
  private static final long LOOK_MILLIS = 1000;
  private static final long END_LOOK_MILLIS = 50;

  /** For all attempts that were interrupted together. */
  private static final Duration LAST_WAIT = Duration.ofSeconds(6);

  private static final int PAGE = 64;

  /** How often a task asks people for something. */
  static final int ASKS_MAX = 20;

  /** Longer answers are kept up to here. */
  private static final int OUTPUT_MAX = 262_144;

  private final PlanLedger ledger;
  private final AgentDirectory agents;
  private final IntSupplier runningMax;
  private final RecentResults results;
  private final Time time;
  private final DoubleSupplier chance;
  private final Map<String, RunningTask> running = new ConcurrentHashMap<>();
  private final Semaphore signals = new Semaphore(0);

  /** What is being done for tasks that run, in words of their agents. */
  private final Map<String, String> doing = new ConcurrentHashMap<>();

  private final InterruptedTasks interrupted;
  private volatile Consumer<TaskDoing> doingListener = _ -> {};

  /** Agents that tasks wait for and that are not there. */
  private final Map<String, Long> absentSince = new HashMap<>();

  private long renewedNanos;
  private long tidiedNanos;
  private volatile Supplier<Set<String>> deferred = Set::of;
  private volatile boolean stopping;

  /**
   * @param runningMax attempts at once, over all agents
   * @param results hears of each attempt
   * @param chance from 0 to below 1, for the jitter of waits
   */
  public TaskRunner(
      PlanLedger ledger,
      AgentDirectory agents,
      IntSupplier runningMax,
      RecentResults results,
      Time time,
      DoubleSupplier chance) {
    this.ledger = ledger;
    this.interrupted = new InterruptedTasks(ledger);
    this.agents = agents;
    this.runningMax = runningMax;
    this.results = results;
    this.time = time;
    this.chance = chance;
    renewedNanos = time.nanos();
    tidiedNanos = renewedNanos;
  }

  /** Tasks that models of these levels do wait while they are among them. */
  public void defer(Supplier<Set<String>> levels) {
    deferred = levels;
  }

  /**
   * Runs until interrupted.
   *
   * @param look runs each second at least, before tasks are looked for
   */
  public void run(Runnable look) throws InterruptedException {
    boolean recovered = false;
    while (!stopping) {
      look.run();
      try {
        if (!recovered) {
          recover();
          recovered = true;
        }
        step();
        awaitSignal(lookMillis());
      } catch (StoreException e) {
        LOG.warn("tasks: waiting, the store refuses writes: {}", e.failure().message());
        time.sleep(AFTER_REFUSAL);
      }
    }
  }

  /** What the last run was in the middle of. */
  public InterruptedTasks interrupted() {
    return interrupted;
  }

  /** From now on this hears what agents do, as they say it. */
  public void onDoing(Consumer<TaskDoing> listener) {
    doingListener = listener;
  }

  /** What is being done for a task now; empty when its agent does not say, or it does not run. */
  public String doing(String taskId) {
    return doing.getOrDefault(taskId, "");
  }

  private void hear(RunningTask one, Plan plan, String label) {
    if (running.containsKey(one.task().id())
        && !label.isBlank()
        && !label.equals(doing.put(one.task().id(), label))) {
      doingListener.accept(
          new TaskDoing(
              plan.id(),
              plan.origin().threadId(),
              one.task().id(),
              one.task().step().name(),
              label));
    }
  }

  /** There may be something to do: a plan was made, a task has ended. */
  public void signal() {
    if (signals.availablePermits() == 0) {
      signals.release();
    }
  }

  /** Until something comes due, and not for long. */
  private long lookMillis() {
    Instant now = time.now();
    return ledger
        .nextDue(now)
        .filter(due -> due.isBefore(now.plusMillis(LOOK_MILLIS)))
        .map(due -> Duration.between(now, due).toMillis() + 1)
        .orElse(LOOK_MILLIS);
  }

  private void awaitSignal(long millis) throws InterruptedException {
    if (signals.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
      signals.drainPermits();
    }
  }

  /** Takes back what a process that is gone has worked on. */
  void recover() throws StoreException {
    List<Task> taken = takeBack(Instant.MAX, "the server was stopped amid the attempt");
    interrupted.found(
        taken.stream().filter(task -> task.state() == TaskState.IN_PROGRESS).toList());
    if (!taken.isEmpty()) {
      LOG.info("tasks: {} were interrupted by the last stop and taken back", taken.size());
    }
  }

  /** One look at what is to be done. */
  void step() throws StoreException {
    renew();
    List<Task> _ = takeBack(time.now(), "its lease has expired");
    int _ = ledger.inputs().endOverdue(time.now(), PAGE);
    absentSince.keySet().removeIf(this::isThere);
    boolean more = true;
    while (more && !stopping && running.size() < runningMax.getAsInt()) {
      more = dispatchSome();
    }
    if (time.nanos() - tidiedNanos > TIDYING.toNanos()) {
      tidiedNanos = time.nanos();
      ledger.forgetEnded();
    }
  }

  private void renew() throws StoreException {
    if (time.nanos() - renewedNanos >= RENEWAL.toNanos()) {
      ledger.renew(
          running.values().stream().map(RunningTask::lease).toList(), time.now().plus(LEASE));
      renewedNanos = time.nanos();
    }
  }

  /** Also at the end of a lease of ours, if a stalled disk let it end: its result is still good. */
  private List<Task> takeBack(Instant endedBy, String reason) throws StoreException {
    List<Task> taken = new ArrayList<>();
    boolean more = true;
    while (more) {
      List<Task> expired = ledger.expired(endedBy, PAGE + running.size());
      more = false;
      for (Task task : expired) {
        if (!running.containsKey(task.id()) && ledger.release(task.lease(), reason)) {
          taken.add(task);
          more = true;
        }
      }
    }
    return taken;
  }

  /** Whether it is worth to look again at once. */
  private boolean dispatchSome() throws StoreException {
    boolean moved = false;
    Set<String> levels = deferred.get();
    for (Task task : ledger.ready(time.now(), unfitAgents(levels), levels, PAGE)) {
      if (running.size() >= runningMax.getAsInt() || stopping) {
        return false;
      }
      moved |= dispatch(task);
    }
    return moved;
  }

  /** Agents whose tasks are not even looked at: other agents' tasks stand behind them. */
  private Set<String> unfitAgents(Set<String> deferredLevels) {
    Set<String> unfit = busyAgents();
    agents.all().stream()
        .filter(agent -> deferredLevels.contains(agent.levelFor("")))
        .map(WorkerAgent::id)
        .forEach(unfit::add);
    absentSince.keySet().stream().filter(this::isAwaited).forEach(unfit::add);
    Instant now = time.now();
    running.values().stream()
        .map(one -> one.agent().id())
        .filter(id -> ledger.agents().of(id).admission(now) == AgentHealth.Admission.ON_TRIAL)
        .forEach(unfit::add);
    return unfit;
  }

  /** Agents that work on as much as they may, or on a trial. */
  private Set<String> busyAgents() {
    Map<String, Integer> counts = new HashMap<>();
    Set<String> busy = new HashSet<>();
    for (RunningTask one : running.values()) {
      String id = one.agent().id();
      int count = counts.merge(id, 1, Integer::sum);
      if (count >= one.agent().settings().maxConcurrent() || one.trial()) {
        busy.add(id);
      }
    }
    return busy;
  }

  private boolean isBusy(WorkerAgent agent, boolean trial) {
    return busyAgents().contains(agent.id())
        || (trial
            && running.values().stream().anyMatch(one -> one.agent().id().equals(agent.id())));
  }

  /** Whether anything was changed. */
  private boolean dispatch(Task task) throws StoreException {
    Optional<WorkerAgent> agent = agents.find(task.agent());
    if (agent.isEmpty() || !isThere(task.agent())) {
      return awaitAgent(task);
    }
    Optional<AgentAction> action = agent.get().action(task.step().action());
    if (action.isEmpty()) {
      return elsewhere(
          task,
          new TaskFailure(
              FailureCode.ACTION_NOT_SUPPORTED,
              "agent %s has no action %s".formatted(task.agent(), task.step().action()),
              true));
    }
    if (asksFirst(task, agent.get(), action.get())) {
      return true;
    }
    return switch (ledger.agents().of(task.agent()).admission(time.now())) {
      case REFUSED -> elsewhere(task, unavailable(task.agent()));
      case OPEN -> !isBusy(agent.get(), false) && begin(task, agent.get(), action.get(), false);
      case ON_TRIAL -> !isBusy(agent.get(), true) && begin(task, agent.get(), action.get(), true);
    };
  }

  /** Whether a person is asked first: what a model has thought out may do harm. */
  private boolean asksFirst(Task task, WorkerAgent agent, AgentAction action)
      throws StoreException {
    if (action.replay() != ReplayClass.UNSAFE || ledger.inputs().isAllowed(task.id())) {
      return false;
    }
    Optional<Plan> plan = ledger.find(task.planId());
    if (plan.isEmpty() || !plan.get().supervised()) {
      return false;
    }
    String payload;
    try {
      payload = StepInputs.resolve(task.step().payload(), outputs(task));
    } catch (StepInputs.MissingInputException _) {
      return false; // the attempt says so
    }
    String question =
        "May agent %s run %s with %s?".formatted(agent.id(), action.name(), Texts.visible(payload));
    return question.length() <= InputQuestion.TEXT_MAX
        ? ledger.inputs().askBefore(task.id(), InputQuestion.mayRun(question))
        : ledger.giveUp(
            task.id(),
            new TaskFailure(
                FailureCode.INVALID_REQUEST,
                "what agent %s is given is too long for a person to approve".formatted(agent.id()),
                true));
  }

  /** Why an agent in its cooldown gets no task. */
  static TaskFailure unavailable(String agent) {
    return new TaskFailure(
        FailureCode.AGENT_UNAVAILABLE,
        "Agent '%s' is temporarily unavailable due to recent failures.".formatted(agent),
        true);
  }

  private boolean awaitAgent(Task task) throws StoreException {
    if (!absentSince.containsKey(task.agent())) {
      absentSince.put(task.agent(), time.nanos());
      return true; // the next look leaves its tasks out
    }
    return !isAwaited(task.agent())
        && elsewhere(
            task,
            new TaskFailure(
                FailureCode.ACTOR_NOT_FOUND,
                "agent %s is not there".formatted(task.agent()),
                true));
  }

  private boolean isAwaited(String agent) {
    @Nullable Long since = absentSince.get(agent);
    return since != null && time.nanos() - since < ABSENCE_MAX.toNanos();
  }

  private boolean isThere(String agent) {
    return agents.find(agent).filter(found -> !found.actions().isEmpty()).isPresent();
  }

  /** Gives a task that waits to another agent, or up. */
  private boolean elsewhere(Task task, TaskFailure failure) throws StoreException {
    Optional<WorkerAgent> other = other(task);
    FailureLadder.Progress progress =
        new FailureLadder.Progress(
            task.attempts() - task.asks(),
            Integer.MAX_VALUE,
            task.reassigns(),
            true,
            other.isPresent(),
            false);
    return switch (FailureLadder.after(failure, progress, retryOf(task))) {
      case REASSIGN -> ledger.reassign(task.id(), other.orElseThrow().id(), failure);
      case RETRY, ESCALATE, GIVE_UP -> ledger.giveUp(task.id(), failure);
    };
  }

  private RetryRules retryOf(Task task) {
    return agents
        .find(task.agent())
        .map(agent -> agent.settings().retry())
        .orElse(RetryRules.DEFAULT);
  }

  /**
   * Another agent that has the action, is not refused and was not tried; one that is idle before
   * one that is busy. What was asked for as repeatable goes to nobody for whom it is not.
   */
  private Optional<WorkerAgent> other(Task task) {
    if (task.doubtful()) {
      return Optional.empty(); // nobody else can say what has become of it
    }
    Instant now = time.now();
    boolean repeatable = isRepeatable(task);
    Set<String> busy = busyAgents();
    List<WorkerAgent> able =
        agents.all().stream()
            .filter(agent -> !agent.id().equals(task.agent()))
            .filter(agent -> !task.tried().contains(agent.id()))
            .filter(agent -> agents.find(task.agent()).map(agent::isLike).orElse(true))
            .filter(
                agent ->
                    agent
                        .action(task.step().action())
                        .filter(action -> action.replay().isRepeatable() || !repeatable)
                        .isPresent())
            .filter(
                agent ->
                    ledger.agents().of(agent.id()).admission(now) == AgentHealth.Admission.OPEN)
            .toList();
    return able.stream()
        .filter(agent -> !busy.contains(agent.id()))
        .findFirst()
        .or(() -> able.stream().findFirst());
  }

  /** Of an agent that is not there nobody knows what was meant: in doubt the harmless is. */
  private boolean isRepeatable(Task task) {
    return task.attempts() > 0
        ? task.repeatable()
        : agents
            .find(task.agent())
            .flatMap(agent -> agent.action(task.step().action()))
            .map(action -> action.replay().isRepeatable())
            .orElse(true);
  }

  private boolean begin(Task task, WorkerAgent agent, AgentAction action, boolean trial)
      throws StoreException {
    Optional<Task.Lease> lease = ledger.dispatch(task.id(), time.now().plus(LEASE));
    if (lease.isEmpty()) {
      return false;
    }
    Thread thread = Thread.ofVirtual().name("task " + task.id()).unstarted(() -> work(task.id()));
    RunningTask one = new RunningTask(task, lease.get(), agent, action, trial, thread);
    running.put(task.id(), one);
    thread.start();
    return true;
  }

  private void work(String taskId) {
    RunningTask one = running.get(taskId);
    if (one == null) {
      throw new IllegalStateException("task " + taskId + " runs without a lease");
    }
    try {
      if (stopping) {
        interrupted(one);
      } else if (persist(
          () -> ledger.begin(one.lease(), isRepeatable(one), Aftermath.canCheck(one)))) {
        AttemptResult result = attempt(one);
        note(one.agent().id(), result);
        AttemptEnd end = endOf(one, result);
        boolean _ = persist(() -> ledger.end(one.lease(), end, one.agent().settings().circuit()));
      }
    } catch (InterruptedException _) {
      interrupted(one);
    } finally {
      running.remove(taskId);
      doing.remove(taskId);
      signal();
    }
  }

  private void note(String agent, AttemptResult result) {
    switch (result) {
      case AttemptResult.Done _, AttemptResult.Asks _ -> results.succeeded(agent);
      case AttemptResult.Failed(TaskFailure failure) -> {
        if (failure.countsAgainstAgent()) {
          results.failed(agent, failure.code().name(), failure.message());
        }
      }
    }
  }

  /** Stopped, or its plan was cancelled: then the lease is worth nothing and nothing changes. */
  private void interrupted(RunningTask one) {
    try {
      boolean _ = ledger.release(one.lease(), "the server was stopped amid the attempt");
    } catch (StoreException e) {
      LOG.warn("task {}: taken back at the next start: {}", one.task().id(), e.getMessage());
    }
  }

  private static boolean isRepeatable(RunningTask one) {
    return one.action().replay().isRepeatable();
  }

  private AttemptResult attempt(RunningTask one) throws InterruptedException {
    Task task = one.task();
    Optional<Plan> plan = ledger.find(task.planId());
    if (plan.isEmpty()) {
      return new AttemptResult.Failed(
          new TaskFailure(FailureCode.CANCELLED, "its plan cannot be read", true));
    }
    Optional<TaskInput> input = ledger.inputs().answered(task.id());
    try {
      Assignment assignment = assignment(one, plan.get(), input);
      Optional<AttemptResult> known =
          task.doubtful() ? Aftermath.of(one.agent(), assignment) : Optional.empty();
      if (known.isEmpty() && task.doubtful() && !persist(() -> ledger.checked(one.lease()))) {
        throw new InterruptedException("the lease is not ours any more");
      }
      AttemptResult result = known.isPresent() ? known.get() : one.agent().attempt(assignment);
      return CredentialMask.of(input).removedFrom(result);
    } catch (StepInputs.MissingInputException e) {
      return new AttemptResult.Failed(
          new TaskFailure(FailureCode.INVALID_REQUEST, String.valueOf(e.getMessage()), true));
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      Fatal.check(e);
      LOG.error("task {}: its agent {} crashed", task.id(), task.agent(), e);
      return new AttemptResult.Failed(
          new TaskFailure(
              FailureCode.INTERNAL,
              "agent %s crashed: %s".formatted(task.agent(), Crash.describe(e)),
              false));
    }
  }

  private Assignment assignment(RunningTask one, Plan plan, Optional<TaskInput> input)
      throws StepInputs.MissingInputException {
    Task task = one.task();
    return new Assignment(
        plan.id(),
        task.id(),
        task.id(),
        task.attempts() + 1,
        task.step().action(),
        StepInputs.resolve(task.step().payload(), outputs(task)),
        new Assignment.Origin(
            plan.origin().threadId(), plan.origin().eventId(), plan.origin().person()),
        one.agent().settings().timeout(),
        task.level(),
        label -> hear(one, plan, label),
        input
            .map(
                given ->
                    new Assignment.Input(
                        given.answer(), given.answeredBy(), given.question().state()))
            .orElse(null));
  }

  private Map<String, String> outputs(Task task) {
    Map<String, String> outputs = new HashMap<>();
    for (Task each : ledger.tasksOf(task.planId())) {
      if (task.step().needs().contains(each.step().name()) && each.state() == TaskState.SUCCEEDED) {
        outputs.put(each.step().name(), each.output());
      }
    }
    return outputs;
  }

  private AttemptEnd endOf(RunningTask one, AttemptResult result) {
    return switch (result) {
      case AttemptResult.Done(String output) -> new AttemptEnd.Succeeded(kept(output));
      case AttemptResult.Asks(InputQuestion question) ->
          one.task().asks() < ASKS_MAX
              ? new AttemptEnd.Asked(question)
              : new AttemptEnd.GivenUp(
                  new TaskFailure(
                      FailureCode.BACKEND_FAILURE,
                      "agent %s asked more than %d times".formatted(one.task().agent(), ASKS_MAX),
                      true));
      case AttemptResult.Failed(TaskFailure failure) -> endOf(one, failure);
    };
  }

  private AttemptEnd endOf(RunningTask one, TaskFailure failure) {
    Task task = ledger.task(one.task().id()).orElse(one.task());
    boolean doubtful = !failure.settled() && !isRepeatable(one);
    Optional<WorkerAgent> other = doubtful ? Optional.empty() : other(task);
    Optional<String> higher =
        task.level().isEmpty() ? one.agent().higherLevel(task.level()) : Optional.empty();
    int attemptsOfAgent = one.task().attemptsOfAgent() + 1;
    RetryRules retry = one.agent().settings().retry();
    FailureLadder.Progress progress =
        new FailureLadder.Progress(
            one.task().attempts() - one.task().asks() + 1,
            attemptsOfAgent,
            task.reassigns(),
            !doubtful || Aftermath.canCheck(one),
            other.isPresent(),
            higher.isPresent() && !doubtful);
    return switch (FailureLadder.after(failure, progress, retry)) {
      case RETRY ->
          new AttemptEnd.Again(
              failure, retry.wait(attemptsOfAgent, chance.getAsDouble()), doubtful);
      case REASSIGN -> new AttemptEnd.Elsewhere(failure, other.orElseThrow().id());
      case ESCALATE -> new AttemptEnd.Higher(failure, higher.orElseThrow());
      case GIVE_UP -> new AttemptEnd.GivenUp(doubtful ? failure.givenUpInDoubt() : failure);
    };
  }

  private static String kept(String output) {
    return output.length() <= OUTPUT_MAX
        ? output
        : new JsonObject()
            .put("truncated", true)
            .put("text", output.substring(0, OUTPUT_MAX))
            .encode();
  }

  private interface Write {
    boolean make() throws StoreException;
  }

  /** A disk that is full for a while costs no result. */
  private boolean persist(Write write) throws InterruptedException {
    while (true) {
      try {
        return write.make();
      } catch (StoreException e) {
        LOG.warn("tasks: waiting, the store refuses writes: {}", e.failure().message());
        time.sleep(AFTER_REFUSAL);
      }
    }
  }

  /**
   * Ends a plan, and what runs for it. False when there is none that goes on.
   *
   * @param told whether the caller tells the chat thread of it
   */
  public boolean cancel(String planId, String reason, AuditEntry entry, boolean told)
      throws StoreException {
    boolean cancelled = ledger.cancel(planId, reason, entry, told);
    if (cancelled) {
      running.values().stream()
          .filter(one -> one.task().planId().equals(planId))
          .forEach(one -> one.thread().interrupt());
      signal();
    }
    return cancelled;
  }

  /** Ends one task, and what runs for it. False when it has ended already. */
  public boolean cancelTask(String taskId, String reason, AuditEntry entry) throws StoreException {
    boolean cancelled = ledger.cancelTask(taskId, reason, entry);
    if (cancelled) {
      Optional.ofNullable(running.get(taskId)).ifPresent(one -> one.thread().interrupt());
      signal();
    }
    return cancelled;
  }

  /** Whether the server stops: what is interrupted goes on after the next start. */
  public boolean isStopping() {
    return stopping;
  }

  /** Gives nothing out any more. */
  public void stopDispatch() {
    stopping = true;
    signal();
  }

  /** How many attempts run now. */
  public int running() {
    return running.size();
  }

  /** How many of them an agent makes. */
  public int running(String agentId) {
    return (int) running.values().stream().filter(one -> one.agent().id().equals(agentId)).count();
  }

  /**
   * Gives nothing out any more. Blocks until what runs has ended, or until the deadline; whether it
   * has.
   */
  public boolean finish(Deadline deadline) throws InterruptedException {
    stopDispatch();
    while (!running.isEmpty() && !deadline.isOver()) {
      time.sleep(Duration.ofMillis(END_LOOK_MILLIS));
    }
    return running.isEmpty();
  }

  /** Gives nothing out any more and takes back what runs. Blocks for 6 s at most. */
  public void stop() throws InterruptedException {
    stopDispatch();
    List<RunningTask> left = new ArrayList<>(running.values());
    left.forEach(one -> one.thread().interrupt());
    long joinedNanos = time.nanos() + LAST_WAIT.toNanos();
    for (RunningTask one : left) {
      Duration rest = Duration.ofNanos(joinedNanos - time.nanos());
      if (rest.isPositive()) {
        one.thread().join(rest);
      }
    }
  }
}
