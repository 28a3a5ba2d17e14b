package dev.holdfast.mattermost;

import java.util.Map;

/** What a {@link MattermostSocket} brings. */
sealed interface SocketFrame {
  /** Something has happened. */
  record Happened(String event, Map<String, Object> data) implements SocketFrame {}

  /** Mattermost has answered: it is alive, and takes the bot for who it is. */
  record Alive() implements SocketFrame {}

  /** Nothing for now. */
  record Quiet() implements SocketFrame {}

  /** Nothing any more. */
  record Ended(String why) implements SocketFrame {}
}
