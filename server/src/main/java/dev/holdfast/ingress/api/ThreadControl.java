package dev.holdfast.ingress.api;

import dev.holdfast.agents.dispatch.Orchestrator;
import java.util.List;
import java.util.Optional;

/** What the outside may ask of the thread agents. Thread-safe. */
interface ThreadControl {
  int stop(String threadId, boolean all);

  void reset(String threadId);

  List<Orchestrator.ThreadView> active();

  Optional<Orchestrator.ThreadView> find(String threadId);

  static ThreadControl of(Orchestrator orchestrator) {
    return new ThreadControl() {
      @Override
      public int stop(String threadId, boolean all) {
        return orchestrator.stop(threadId, all);
      }

      @Override
      public void reset(String threadId) {
        orchestrator.reset(threadId);
      }

      @Override
      public List<Orchestrator.ThreadView> active() {
        return orchestrator.active();
      }

      @Override
      public Optional<Orchestrator.ThreadView> find(String threadId) {
        return orchestrator.find(threadId);
      }
    };
  }
}
