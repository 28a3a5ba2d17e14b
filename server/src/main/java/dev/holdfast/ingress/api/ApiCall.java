package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import java.io.IOException;

/** One operation of the API: plain blocking code on a virtual thread of its own. */
@FunctionalInterface
public interface ApiCall {
  ApiAnswer run(ApiRequest request)
      throws RefusedRequestException, StoreException, IOException, InterruptedException;

  /** The server stops: whoever waits in this call gets an answer at once. */
  default void stop() {}
}
