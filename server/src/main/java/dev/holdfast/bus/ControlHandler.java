package dev.holdfast.bus;

import java.util.function.Consumer;

/** Does what programs ask of the server over NATS. Thread-safe. */
public interface ControlHandler {
  /**
   * Returns soon and throws nothing; what takes time is done on another thread.
   *
   * @param reply takes the answer, once, on any thread; never blocks. Not called when the request
   *     asks for an answer where none may be sent
   */
  void handle(ControlRequest request, Consumer<String> reply);
}
