package dev.holdfast.tasks.run;

import dev.holdfast.tasks.workers.WorkerAgent;
import java.util.List;
import java.util.Optional;

/** The worker agents there are now. Thread-safe. */
public interface AgentDirectory {
  Optional<WorkerAgent> find(String id);

  /** In the order of their ids. */
  List<WorkerAgent> all();
}
