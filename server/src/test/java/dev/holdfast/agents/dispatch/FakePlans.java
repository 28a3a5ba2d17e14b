package dev.holdfast.agents.dispatch;

import java.util.Optional;

/** Says what it was asked. */
final class FakePlans implements PlanCommands {
  @Override
  public String list(String threadId) {
    return "plans of " + threadId;
  }

  @Override
  public String cancel(String threadId, String code, String eventId, String person) {
    return "cancelled " + code + " of " + threadId + " for " + person;
  }

  @Override
  public String make(String threadId, String goal, String eventId, String person) {
    return "made " + goal + " in " + threadId + " for " + person;
  }

  @Override
  public Optional<String> answer(
      String threadId, String code, String text, String eventId, String person) {
    return code.equals("PLAN")
        ? Optional.of("answered " + text + " for " + person)
        : Optional.empty();
  }

  @Override
  public Optional<String> decide(
      String threadId, String code, boolean yes, String eventId, String person) {
    return code.equals("PLAN")
        ? Optional.of("decided " + yes + " for " + person)
        : Optional.empty();
  }
}
