package dev.holdfast.discord;

/**
 * An interaction that is to be answered. Discord takes the first answer within 3 s, and changes of
 * it for 15 min.
 *
 * @param id of the interaction
 * @param app the application that it is of
 * @param token good for its answers alone; a secret
 * @param channel where it was used
 * @param isPrivate whether its answer is for that person alone
 */
record Deferred(String id, String app, String token, String channel, boolean isPrivate) {
  private static final String PUBLIC = "interaction:";
  private static final String PRIVATE = "private:";

  /** The key of the message that it brings; it says whether its answer is for one person alone. */
  String key() {
    return (isPrivate ? PRIVATE : PUBLIC) + id;
  }

  /** Whether the answer to a message is for one person alone, by the key of the message. */
  static boolean isPrivate(String key) {
    return key.startsWith(PRIVATE);
  }

  /** Where its answers are sent. */
  String path() {
    return "/webhooks/" + app + "/" + token;
  }

  /** The message that is its first answer. */
  String original() {
    return path() + "/messages/@original";
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "Deferred[" + id + "]";
  }
}
