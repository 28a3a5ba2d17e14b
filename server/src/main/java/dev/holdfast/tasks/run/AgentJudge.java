package dev.holdfast.tasks.run;

import dev.holdfast.tasks.rules.AgentRemedy;
import dev.holdfast.tasks.rules.AgentTuning;
import dev.holdfast.tasks.workers.WorkerAgent;
import java.util.List;
import java.util.Optional;

/** Judges what helps an agent that fails too often. Thread-safe. */
public interface AgentJudge {
  /** Whether there is one at all. */
  boolean isThere();

  /**
   * Blocks for as long as a model may take.
   *
   * @return empty when nobody can say now
   */
  Optional<Verdict> judge(Findings findings) throws InterruptedException;

  /**
   * What is known of the agent.
   *
   * @param results how many of its last results are known
   * @param failures how many of them failed
   * @param errors what they were, oldest first
   */
  record Findings(WorkerAgent agent, int results, int failures, List<String> errors) {
    public Findings {
      errors = List.copyOf(errors);
    }
  }

  /**
   * What is to be done.
   *
   * @param tuning what to change; nothing unless the remedy is to reconfigure it
   * @param reason one sentence for an operator
   */
  record Verdict(AgentRemedy remedy, AgentTuning tuning, String reason) {}
}
