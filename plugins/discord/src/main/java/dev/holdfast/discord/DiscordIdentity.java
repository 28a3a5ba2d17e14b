package dev.holdfast.discord;

/**
 * Who a bot is.
 *
 * @param user the id of its user
 * @param name of its user
 * @param app the id of its application
 * @param flags of its application
 * @param verifyKey the public key of its application; may be empty
 * @param endpoint where Discord sends interactions; empty when they come over the Gateway
 */
record DiscordIdentity(
    String user, String name, String app, long flags, String verifyKey, String endpoint) {
  /** For applications that Discord has reviewed, and for those in fewer than 100 servers. */
  private static final long CONTENT = (1L << 18) | (1L << 19);

  /** Whether the application may ask for the text of every message. */
  boolean mayReadAll() {
    return (flags & CONTENT) != 0;
  }
}
