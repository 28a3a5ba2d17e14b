package dev.holdfast.ingress.api;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.wire.RefusedRequestException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Responses in memory. */
public final class FakeIdempotency implements Idempotency {
  private final Map<String, Keyed> begun = new HashMap<>();
  private final Map<String, Kept> ended = new HashMap<>();

  @Override
  public synchronized Optional<Kept> begin(Keyed request) throws RefusedRequestException {
    String name = request.scope() + request.caller();
    Keyed before = begun.putIfAbsent(name, request);
    if (before != null && (!before.equals(request) || !ended.containsKey(name))) {
      throw new RefusedRequestException(409, FailureCode.INVALID_REQUEST, "used or running");
    }
    return Optional.ofNullable(ended.get(name));
  }

  @Override
  public synchronized void end(Keyed request, int status, String body) {
    String name = request.scope() + request.caller();
    if (Idempotency.isKept(status)) {
      ended.put(name, new Kept(status, body));
    } else {
      begun.remove(name);
    }
  }
}
