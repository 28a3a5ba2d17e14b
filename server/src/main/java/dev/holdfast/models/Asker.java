package dev.holdfast.models;

import dev.holdfast.resilience.FlowKey;

/**
 * Who asks a model.
 *
 * @param threadId the chat thread whose turn it is
 * @param flow with whom it shares its turns when calls have to wait
 * @param probe true: one try a provider, no retry, for the turn that finds out whether a model is
 *     back
 * @param remote how remote models may be used
 */
public record Asker(String threadId, FlowKey flow, boolean probe, RemoteUse remote) {
  public Asker(String threadId, FlowKey flow, boolean probe) {
    this(threadId, flow, probe, RemoteUse.FREE);
  }
}
