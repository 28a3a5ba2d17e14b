package dev.holdfast.discord;

import dev.holdfast.kit.JsonText;
import java.util.Map;
import java.util.Optional;

/**
 * What a connection goes on with where another one has ended.
 *
 * @param id Discord's
 * @param url where to connect to for it
 * @param seq the number of the last event that is on disk with all before it
 */
record GatewaySession(String id, String url, long seq) {
  /** Of what was saved; empty when it makes no sense. */
  static Optional<GatewaySession> of(String position) {
    try {
      Map<String, Object> saved = JsonText.object(position);
      GatewaySession session =
          new GatewaySession(
              JsonText.text(saved, "session"),
              JsonText.text(saved, "url"),
              JsonText.whole(saved, "seq", -1));
      return session.id().isEmpty() || session.url().isEmpty() || session.seq() < 0
          ? Optional.empty()
          : Optional.of(session);
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  String position() {
    return JsonText.write(Map.of("session", id, "url", url, "seq", seq));
  }

  GatewaySession at(long committed) {
    return new GatewaySession(id, url, committed);
  }
}
