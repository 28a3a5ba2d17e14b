package dev.holdfast.tasks.rules;

import java.util.Locale;

/** What is done about an agent that fails too often. The names stand in the database. */
public enum AgentRemedy {
  /** Its process starts anew between its calls. */
  RESTART,
  /** It goes on with other settings, among those that the operator allows. */
  RECONFIGURE,
  /** A person looks. */
  INVESTIGATE;

  /** As it is written in JSON and in metrics. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
