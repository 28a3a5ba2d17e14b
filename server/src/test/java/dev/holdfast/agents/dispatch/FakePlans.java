package dev.holdfast.agents.dispatch;

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
}
