package dev.holdfast.supervision;

import java.util.ArrayList;
import java.util.List;

/** Children that belong together, in the order of their starts. Thread-safe. */
public final class SupervisorGroup {
  private final String name;
  private final Strategy strategy;
  private final Criticality criticality;
  private final RestartLimit limit;
  private final List<SupervisedThread> members = new ArrayList<>();
  private RestartLimit.History history = RestartLimit.History.CLEAN;
  private int restarts;

  SupervisorGroup(String name, Strategy strategy, Criticality criticality, RestartLimit limit) {
    this.name = name;
    this.strategy = strategy;
    this.criticality = criticality;
    this.limit = limit;
  }

  public String name() {
    return name;
  }

  public Strategy strategy() {
    return strategy;
  }

  public Criticality criticality() {
    return criticality;
  }

  /** How often all of it was started again. */
  public synchronized int restarts() {
    return restarts;
  }

  /** Those that are not over, in the order of their starts. */
  public synchronized List<SupervisedThread> members() {
    return List.copyOf(members);
  }

  synchronized void add(SupervisedThread child) {
    members.add(child);
  }

  synchronized void remove(SupervisedThread child) {
    members.remove(child);
  }

  /** Starts again whom a directive names, but for the one that crashed: that does so itself. */
  synchronized void restartOthers(Directive directive, SupervisedThread crashed) {
    int place = members.indexOf(crashed);
    if (place >= 0) {
      SupervisionRules.restarted(directive, strategy, place, members.size()).stream()
          .map(members::get)
          .filter(other -> other != crashed)
          .forEach(SupervisedThread::restart);
    }
  }

  /**
   * Starts all of it again, unless that was done too often.
   *
   * @return false when it was
   */
  synchronized boolean escalated(SupervisedThread crashed, long nowNanos) {
    RestartLimit.Decision decision = limit.afterCrash(history, nowNanos);
    history = decision.history();
    if (decision instanceof RestartLimit.GiveUp) {
      return false;
    }
    restarts++;
    restartOthers(Directive.ESCALATE, crashed);
    return true;
  }
}
