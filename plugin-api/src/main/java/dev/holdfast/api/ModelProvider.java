package dev.holdfast.api;

/** One provider of models. */
public interface ModelProvider {
  /** The part before the slash in {@code provider/name}; lower-case letters, digits and hyphens. */
  String name();

  /** Whether it runs on this machine, costs nothing and works without the network. */
  boolean isLocal();

  /** The size of the model's context window, in tokens. */
  int windowTokens(String model);

  /**
   * Asks once: no retries, they are the server's. Streams where the provider can. Called on a
   * thread of its own, which it may block; interrupting it aborts the request in flight.
   *
   * @return with at most 1,000 calls of tools, and 10,485,760 UTF-16 units in all; more counts as a
   *     failure of the provider
   * @throws CallFailedException for every foreseen failure, with {@code retryAfter} where the
   *     provider named one
   */
  ModelAnswer ask(ModelRequest request, ModelListener listener)
      throws CallFailedException, InterruptedException;
}
