package dev.holdfast;

import dev.holdfast.agents.dispatch.Orchestrator;
import dev.holdfast.extensions.ExtensionView;
import dev.holdfast.models.Models;
import dev.holdfast.modes.DownPart;
import dev.holdfast.modes.DownTimes;
import dev.holdfast.modes.ModeFacts;
import dev.holdfast.modes.ModeInputs;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreRefusal;
import dev.holdfast.supervision.Criticality;
import dev.holdfast.supervision.SupervisedThread;
import dev.holdfast.supervision.Supervisor;
import dev.holdfast.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How the parts of the server are, for its mode. Thread-safe. */
final class ServerParts implements ModeInputs {
  private static final Logger LOG = LoggerFactory.getLogger(ServerParts.class);

  private final Store store;
  private final Orchestrator orchestrator;
  private final Models models;
  private final Guards guards;
  private final Supplier<List<String>> partsDown;
  private final Supplier<List<String>> givenUp;
  private final BooleanSupplier isAnyTaskLeft;
  private final BooleanSupplier isCopy;
  private final DownTimes downTimes;
  private final long acceptedBefore;
  private volatile boolean recovering;

  /**
   * @param partsDown the names of the parts that do not work, but store and models
   * @param givenUp the names of the workers that have failed too often
   * @param isAnyTaskLeft whether tasks that the last run had given out are to be taken back yet
   * @param isCopy whether this is a restored copy that nobody has promoted
   */
  ServerParts(
      Store store,
      Orchestrator orchestrator,
      Models models,
      Guards guards,
      Supplier<List<String>> partsDown,
      Supplier<List<String>> givenUp,
      BooleanSupplier isAnyTaskLeft,
      BooleanSupplier isCopy,
      Time time) {
    this.store = store;
    this.orchestrator = orchestrator;
    this.models = models;
    this.guards = guards;
    this.partsDown = partsDown;
    this.givenUp = givenUp;
    this.isAnyTaskLeft = isAnyTaskLeft;
    this.isCopy = isCopy;
    this.downTimes = new DownTimes(time);
    this.acceptedBefore = store.inbox().newest();
    this.recovering = !store.wasClean();
  }

  /**
   * Those of the supervised threads that crashed and do not run again yet, if they are critical, or
   * that crashed too often, if they give out tasks.
   */
  static List<String> down(Supervisor supervisor) {
    return supervisor.children().stream()
        .filter(ServerParts::isDown)
        .map(child -> child.spec().name())
        .toList();
  }

  private static boolean isDown(SupervisedThread child) {
    return child.spec().criticality() == Criticality.CRITICAL
        ? child.state() == SupervisedThread.State.WAITING
        : child.spec().kind().equals(DownPart.TASKS) && child.isAiling();
  }

  /** The extensions that have failed too often and have not worked since, tried or not. */
  static List<String> givenUp(List<ExtensionView> extensions) {
    return extensions.stream().filter(ExtensionView::givenUp).map(ExtensionView::id).toList();
  }

  @Override
  public ModeFacts look() {
    List<String> remote = models.remoteGuards();
    return new ModeFacts(
        down(),
        remote,
        remote.stream().filter(guards::isFailing).toList(),
        isBudgetSpent(),
        givenUp.get(),
        interrupted(),
        isCopy.getAsBoolean());
  }

  private List<DownPart> down() {
    List<String> names = new ArrayList<>(partsDown.get());
    if (orchestrator.modelsAreAway()) {
      names.add(DownPart.MODELS);
    }
    if (store.refusal().map(StoreRefusal::cause).filter(ServerParts::isStoreDown).isPresent()) {
      names.add("store");
    }
    return downTimes.of(names);
  }

  /** Whether nothing can be written at all. */
  private static boolean isStoreDown(StoreRefusal.Cause cause) {
    return switch (cause) {
      case STORE_FAILED, DISK_TAKES_NOTHING, DISK_SLOW -> true;
      case STOPPING, LOW_SPACE, FULL -> false;
    };
  }

  private boolean isBudgetSpent() {
    try {
      return orchestrator.isBudgetSpent();
    } catch (StoreException e) {
      LOG.debug("mode: what was spent is not known: {}", e.failure().message());
      return false;
    }
  }

  /** What waits that the last run was in the middle of; once that is nothing it stays so. */
  private List<String> interrupted() {
    List<String> left = new ArrayList<>();
    if (recovering && store.inbox().isAnyInterrupted(acceptedBefore)) {
      left.add("messages");
    }
    if (recovering && isAnyTaskLeft.getAsBoolean()) {
      left.add("tasks");
    }
    recovering = !left.isEmpty();
    return left;
  }
}
