package dev.holdfast.models;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.registry.Registry;
import dev.holdfast.registry.Use;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.resilience.BreakerSettings;
import dev.holdfast.resilience.Call;
import dev.holdfast.resilience.CallOutcome;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.FailingParts;
import dev.holdfast.resilience.FaultPoint;
import dev.holdfast.resilience.Guard;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.Verdict;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The models by level, each behind its provider's guard. Providers come and go while the server
 * runs; the models of one that is absent are passed over. Thread-safe; blocks the calling virtual
 * thread.
 */
public final class Models {
  private static final Logger LOG = LoggerFactory.getLogger(Models.class);

  /** What concerns the account at the provider, and no single request or model. */
  private static final Set<FailureCode> REFUSALS = Set.of(FailureCode.AUTH, FailureCode.QUOTA);

  private final ModelsConfig config;
  private final Registry<Reached> providers;
  private final Set<String> reserved;
  private final Guards guards;
  private final Time time;
  private final ModelCatalog catalog = ModelCatalog.load();
  private final ModelMetrics metrics;
  private final FaultPoint faults = new FaultPoint();

  /** Providers that need an operator, with what they said last. */
  private final Map<String, FailureCode> refusing = new ConcurrentHashMap<>();

  private Models(ModelsConfig config, Guards guards, Time time, MeterRegistry registry) {
    this.config = config;
    this.guards = guards;
    this.time = time;
    this.providers = new Registry<>(Provider.KIND, this::forget);
    this.reserved = KnownProvider.names();
    this.metrics = new ModelMetrics(registry, config.levels().all());
  }

  /**
   * @param providers those that are there from the start, and stay; see {@link Providers#of}
   * @throws IllegalArgumentException when the configuration names a model whose provider is neither
   *     there nor one that may come
   */
  public static Models create(
      ModelsConfig config,
      List<ModelProvider> providers,
      Guards guards,
      Time time,
      MeterRegistry registry) {
    Models models = new Models(config, guards, time, registry);
    try {
      for (ModelProvider provider : providers) {
        Registration _ = models.add(provider, Set.of(), Set.of());
      }
    } catch (RegistrationRefusedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    config.levels().all().forEach(models::checkThere);
    return models;
  }

  /** Where calls to providers go out, by their names. */
  public FaultPoint faults() {
    return faults;
  }

  private void forget(String provider) {
    guards.remove(guardName(provider));
    refusing.remove(provider);
  }

  private void checkThere(String model) {
    String provider = Provider.nameOf(model);
    if (providers.find(provider).isEmpty() && !config.pluginProviders().contains(provider)) {
      throw new IllegalArgumentException("no provider for " + model);
    }
  }

  /**
   * Adds a provider: the next question goes to its models where the levels name them. What it says
   * about itself is read here, once; when this throws, nothing was added.
   */
  public Registration add(ModelProvider provider) throws RegistrationRefusedException {
    return add(provider, Set.of());
  }

  /** As {@link #add(ModelProvider)}; may take the place of one of {@code replaceable}. */
  public Registration add(ModelProvider provider, Set<Registration> replaceable)
      throws RegistrationRefusedException {
    return add(provider, reserved, replaceable);
  }

  private Registration add(
      ModelProvider models, Set<String> reservedNames, Set<Registration> replaceable)
      throws RegistrationRefusedException {
    Provider provider = Provider.of(models, config.levels().all(), reservedNames);
    String name = provider.name(); // alone: a gauge lives on, and would keep what it knows
    metrics.refused(name, () -> refusing.containsKey(name));
    return providers.add(
        name,
        () -> {
          String guard = guardName(name);
          return new Reached(provider, guards.guard(guard, config.guard(name)), new FailingParts());
        },
        replaceable);
  }

  /** The guard that the calls to a provider go through. */
  public static String guardName(String provider) {
    return "llm:" + provider;
  }

  /** An answer and who gave it, {@code provider/name}. */
  public record Answered(ModelAnswer answer, String model) {}

  /**
   * A provider and the guard that the calls to it go through.
   *
   * @param failing the chat threads whose calls failed
   */
  private record Reached(Provider provider, Guard guard, FailingParts failing) {}

  private record Candidate(Reached reached, String model) {
    Guard guard() {
      return reached.guard();
    }

    int windowTokens() {
      return reached.provider().windows().getOrDefault(model, Integer.MAX_VALUE);
    }

    String fullName() {
      return reached.provider().name() + "/" + model;
    }

    boolean isLocal() {
      return reached.provider().isLocal();
    }

    /** It answers anything, so it must not hide that the others do not. */
    boolean isEcho() {
      return reached.provider().name().equals(EchoModel.PROVIDER);
    }
  }

  /**
   * Asks the models of {@code level} in order, then of the lower levels, until one answers. Where
   * remote models are not used freely, the local ones of all other levels come after them.
   *
   * @throws ModelsAwayException when none could be reached: park the event; {@code BULKHEAD_FULL}
   *     when one of them only had too much to do
   * @throws CallFailedException INVALID ones, CONTEXT_OVERFLOW among them: another model would not
   *     help
   */
  public Answered ask(String level, ModelQuestion question, Asker asker, AnswerListener listener)
      throws CallFailedException, InterruptedException {
    List<Candidate> candidates = candidates(level, asker.remote());
    List<String> own = config.levels().of(level);
    Failure last = Failure.of(FailureCode.AGENT_UNAVAILABLE, "no provider of its models is there");
    Optional<Failure> busy = Optional.empty();
    boolean mayComeBack = false;
    Suspect suspect = Suspect.NONE;
    try (ModelSelection asking = new ModelSelection(listener, time, config.parkAfter())) {
      for (Candidate candidate : candidates) {
        try {
          return askOne(candidate, question, asker, asking);
        } catch (CallFailedException e) {
          Failure failure = passOn(e, candidate, own);
          suspect = suspect.or(Suspect.of(failure));
          if (failure.code() == FailureCode.BULKHEAD_FULL) {
            busy = Optional.of(failure);
          }
          // As long as one of them may come back by itself, that is what people are told.
          if (failure.kind() != FailureKind.PERMANENT || !mayComeBack) {
            last = failure;
          }
          mayComeBack |= failure.kind() != FailureKind.PERMANENT;
        }
      }
    }
    List<String> away =
        candidates.stream().map(candidate -> candidate.guard().name()).distinct().toList();
    throw busy.isPresent()
        ? new ModelsAwayException(busy.get(), away, Suspect.NONE) // it answers others
        : new ModelsAwayException(last, away, suspect);
  }

  /**
   * How long until a call to some model of the level would be let through; zero when it would be
   * now.
   */
  public Duration opensIn(String level) {
    return candidates(level).stream()
        .map(candidate -> candidate.guard().opensIn())
        .min(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /** How long to leave the models of the level alone, by how often they have failed in a row. */
  public Backoff pauses(String level) {
    return candidates(level).stream()
        .map(candidate -> candidate.guard().pauses())
        .min(Comparator.comparing(Backoff::initial))
        .orElse(BreakerSettings.DEFAULT.backoff());
  }

  /** The smallest context window among the models of the level, in tokens. */
  public int windowTokens(String level) {
    return config.levels().of(level).stream()
        .flatMap(this::candidate)
        .mapToInt(Candidate::windowTokens)
        .min()
        .orElse(Integer.MAX_VALUE); // nobody is there to be asked too much
  }

  /** The levels that models are named for, lowest first. */
  public List<String> levels() {
    return Level.keys().stream().filter(config.levels().named()::containsKey).toList();
  }

  /** {@code provider/name} of each model of the level, in order. */
  public List<String> modelsOf(String level) {
    return config.levels().of(level);
  }

  /** Whether a model is named for the level, or for one that stands in for it; an echo is none. */
  public boolean isNamed(String level) {
    return modelsOf(level).stream()
        .anyMatch(model -> !Provider.nameOf(model).equals(EchoModel.PROVIDER));
  }

  /**
   * Whether every model of the level runs on this machine and works without the network; an absent
   * one may not.
   */
  public boolean isLocal(String level) {
    return config.levels().of(level).stream()
        .allMatch(
            model ->
                providers
                    .find(Provider.nameOf(model))
                    .map(reached -> reached.provider().isLocal())
                    .orElse(false));
  }

  /** Whether a model on this machine can take over when remote ones are not to be used. */
  public boolean hasLocal() {
    return !candidates(defaultLevel(), RemoteUse.NONE).isEmpty();
  }

  /** The guards of the providers that are there, are named, and are not on this machine. */
  public List<String> remoteGuards() {
    return config.levels().all().stream()
        .flatMap(this::candidate)
        .filter(candidate -> !candidate.isLocal())
        .map(candidate -> candidate.guard().name())
        .distinct()
        .toList();
  }

  /** The levels that people may choose for a message, lowest first. */
  public List<String> choice() {
    return Level.keys().stream().filter(config.choice()::contains).toList();
  }

  /** Whether turns ask models on this machine alone, as {@link #isLocal} says of a level. */
  public boolean asksLocalOnly() {
    return isLocal(defaultLevel()) && config.choice().stream().allMatch(this::isLocal);
  }

  public String defaultLevel() {
    return config.levels().byDefault();
  }

  /**
   * The providers that refused the last call for good, each with {@code AUTH} or {@code QUOTA},
   * until they answer one.
   */
  public Map<String, FailureCode> refusingProviders() {
    return Map.copyOf(refusing);
  }

  private Answered askOne(
      Candidate candidate, ModelQuestion question, Asker asker, ModelSelection asking)
      throws CallFailedException, InterruptedException {
    ModelRequest request =
        new ModelRequest(
            candidate.model(),
            question.system(),
            question.messages(),
            question.tools(),
            catalog.outputTokens(candidate.fullName()));
    Deadline deadline = Deadline.in(time, config.timeouts().total());
    asking.listener().onWait(deadline.left());
    Call<ModelAnswer> call =
        () -> {
          asking.begins();
          try (Use<Reached> use = begin(candidate)) {
            return new ModelAttempt(asking, deadline, config.timeouts().idle(), faults)
                .run(use.value().provider(), request, made -> report(made, candidate, asking));
          }
        };
    Guard guard = candidate.guard();
    asking.enters(guard);
    Function<Failure, Verdict> judge = failure -> judge(failure, candidate, asker);
    ModelAnswer answer =
        isOneTry(candidate, asker)
            ? guard.probe(deadline, asker.flow(), call, judge)
            : guard.run(deadline, asker.flow(), call, judge);
    candidate.reached().failing().succeeded();
    refusing.remove(candidate.reached().provider().name());
    return new Answered(answer, candidate.fullName());
  }

  private boolean isOneTry(Candidate candidate, Asker asker) {
    boolean isSpared =
        switch (asker.remote()) {
          case FREE -> false;
          case SPARING, NONE -> !candidate.isLocal() && hasLocal();
        };
    return asker.probe() || isSpared;
  }

  /**
   * A provider may break on what one chat thread asks and answer all others: only several threads
   * that fail, or a provider that cannot be reached, speak for the provider.
   */
  private static Verdict judge(Failure failure, Candidate candidate, Asker asker) {
    boolean counts = CallOutcome.of(failure) == CallOutcome.FAILED;
    return counts && !failure.isUnsent()
        ? Verdict.ofPart(candidate.reached().failing().areEnoughWith(asker.threadId()))
        : Verdict.of(failure);
  }

  private Use<Reached> begin(Candidate candidate) throws CallFailedException {
    String provider = candidate.reached().provider().name();
    return providers
        .begin(provider)
        .orElseThrow(
            () ->
                new CallFailedException(
                    Failure.of(FailureCode.AGENT_UNAVAILABLE, provider + " was removed")));
  }

  private void report(ModelCall made, Candidate candidate, ModelSelection asking) {
    ModelCall call = made.withCost(catalog.costUsd(candidate.fullName(), made.usage()));
    metrics.count(call);
    asking.listener().onCall(call);
  }

  /** The failure, when another model may do better; thrown on, when none would. */
  private Failure passOn(CallFailedException e, Candidate candidate, List<String> own)
      throws CallFailedException {
    Failure failure = e.failure();
    boolean standInIsTooSmall =
        failure.code() == FailureCode.CONTEXT_OVERFLOW && !own.contains(candidate.fullName());
    return switch (failure.kind()) {
      case INVALID -> {
        if (!standInIsTooSmall) {
          throw e;
        }
        yield failure;
      }
      case FATAL -> throw e;
      case TRANSIENT -> {
        LOG.info("model {}: did not answer: {}", candidate.fullName(), failure.message());
        yield failure;
      }
      case PERMANENT -> {
        LOG.warn("model {}: needs an operator: {}", candidate.fullName(), failure.message());
        if (REFUSALS.contains(failure.code())) {
          refusing.put(candidate.reached().provider().name(), failure.code());
        }
        yield failure;
      }
    };
  }

  private List<Candidate> candidates(String level) {
    return config.levels().withFallbacks(level).stream().flatMap(this::candidate).toList();
  }

  private List<Candidate> candidates(String level, RemoteUse remote) {
    List<Candidate> usual = candidates(level);
    List<Candidate> others =
        config.levels().all().stream()
            .flatMap(this::candidate)
            .filter(candidate -> candidate.isLocal() && !candidate.isEcho())
            .filter(candidate -> !usual.contains(candidate))
            .toList();
    return switch (remote) {
      case FREE -> usual;
      case SPARING -> Stream.concat(usual.stream(), others.stream()).toList();
      case NONE ->
          Stream.concat(usual.stream().filter(Candidate::isLocal), others.stream()).toList();
    };
  }

  /** None while its provider is absent. */
  private Stream<Candidate> candidate(String fullName) {
    String provider = Provider.nameOf(fullName);
    return providers.find(provider).stream()
        .map(reached -> new Candidate(reached, fullName.substring(provider.length() + 1)));
  }
}
