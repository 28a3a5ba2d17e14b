package dev.holdfast.ingress.api;

import dev.holdfast.ingress.IngressParts;
import dev.holdfast.ingress.stream.EventOutcomes;
import dev.holdfast.ingress.stream.EventStreams;
import dev.holdfast.ingress.webhooks.MessageIntake;
import dev.holdfast.resilience.Guards;
import dev.holdfast.store.Store;
import java.util.HashMap;
import java.util.Map;

/** Makes the operations of the API, by the contract's names. */
@FunctionalInterface
public interface ApiCalls {
  /** What the operations are given by the listener. */
  record Given(
      IngressParts parts, MessageIntake acceptor, EventOutcomes finishes, EventStreams streams) {}

  Map<String, ApiCall> make(Given given);

  /**
   * {@code replayed}: called when a dead letter became work again; wakes whoever runs events or
   * posts replies.
   */
  static ApiCalls of(
      Store store, Guards guards, ServerFacts facts, ExecutionCalls executions, Runnable replayed) {
    return given -> {
      IngressParts parts = given.parts();
      Map<String, ApiCall> calls = new HashMap<>();
      calls.putAll(new ThreadCalls(store, given).calls());
      calls.putAll(new ScheduleCalls(store.schedules()).calls());
      calls.putAll(new EventCalls(store).calls());
      calls.putAll(new DeadLetterCalls(store, parts.time(), replayed).calls());
      calls.putAll(new ServerCalls(store, guards, facts, parts).calls());
      calls.putAll(new ApprovalCalls(store.approvals(), parts.turns(), parts.time()).calls());
      calls.putAll(new AuditCalls(store.audit(), executions, parts.news()).calls());
      calls.put("chat", new ChatCall(new StoredAnswers(store), given));
      return calls;
    };
  }
}
