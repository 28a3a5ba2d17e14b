package dev.holdfast.ingress;

import dev.holdfast.store.StoreException;
import java.io.IOException;

/** One operation of the API: plain blocking code on a virtual thread of its own. */
@FunctionalInterface
interface ApiCall {
  ApiAnswer run(ApiRequest request)
      throws RefusedRequestException, StoreException, IOException, InterruptedException;
}
