package dev.holdfast.agents.dispatch;

/** The one process that there is serves every chat thread. */
final class SoleOwner implements ThreadOwner {
  @Override
  public boolean isHere(String threadId) {
    return true;
  }
}
