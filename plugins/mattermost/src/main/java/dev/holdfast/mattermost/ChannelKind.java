package dev.holdfast.mattermost;

import dev.holdfast.kit.JsonText;
import java.util.Map;

/**
 * What kind of conversation a channel is.
 *
 * @param type O (public), P (private), D (two people) or G (a few people)
 * @param team the id of its team; empty for D and G, which belong to none
 */
record ChannelKind(String type, String team) {
  static final ChannelKind DIRECT = new ChannelKind("D", "");

  /** Of a channel as the API describes it. */
  static ChannelKind of(Map<String, Object> channel) {
    return of(JsonText.text(channel, "type"), JsonText.text(channel, "team_id"));
  }

  static ChannelKind of(String type, String team) {
    return new ChannelKind(type, MattermostPlace.isId(team) ? team : "");
  }

  /** One that its members alone say nothing about: a webhook, for example, names no type. */
  static ChannelKind ofTeam(String team) {
    return of("O", team);
  }

  /** Whether it is a conversation with one person. */
  boolean isDirect() {
    return type.equals("D");
  }

  boolean isKnown() {
    return switch (type) {
      case "O", "P", "D", "G" -> true;
      default -> false;
    };
  }
}
