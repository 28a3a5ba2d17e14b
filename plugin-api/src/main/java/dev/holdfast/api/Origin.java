package dev.holdfast.api;

import java.util.Objects;

/**
 * Where a message was written, as the platform states it. The rules of {@link Access} judge it;
 * names are for people only and never judged. Its ids have the limits of those of {@link
 * InboundMessage}.
 *
 * @param place what kind of conversation it is
 * @param chat the platform's stable id of the channel, group, room or repository that the thread is
 *     in; empty in a conversation with one person
 * @param team the platform's stable id of the workspace, server or tenant; empty when it has none
 * @param senderName what the platform shows as the sender's name, at most 200 UTF-16 units; may be
 *     empty
 * @param fromBot whether the platform says that its sender is a program
 * @param addressed whether it is meant for the account: it mentions it, replies to a post of it, or
 *     is a command
 * @param writtenAtMillis when it was written by the platform's clock, in milliseconds since 1970
 *     (UTC); 0 when it does not say, or only who wrote it does. How fast somebody writes is judged
 *     by this, so that nobody is too fast whose messages come late and all at once
 */
public record Origin(
    Place place,
    String chat,
    String team,
    String senderName,
    boolean fromBot,
    boolean addressed,
    long writtenAtMillis) {
  private static final int NAME_UNITS_MAX = 200;

  /** A kind of conversation. */
  public enum Place {
    /** With one person. */
    DIRECT,
    /** Of several people; one thread for all that is said in it. */
    GROUP,
    /** A thread of its own within a group. */
    THREAD
  }

  public Origin {
    Objects.requireNonNull(place, "place");
    Objects.requireNonNull(chat, "chat");
    Objects.requireNonNull(team, "team");
    if (senderName.length() > NAME_UNITS_MAX) {
      senderName = senderName.substring(0, NAME_UNITS_MAX);
    }
  }

  /** Of what was written at a time that is not known. */
  public Origin(
      Place place,
      String chat,
      String team,
      String senderName,
      boolean fromBot,
      boolean addressed) {
    this(place, chat, team, senderName, fromBot, addressed, 0);
  }

  /** The same of what was written then. */
  public Origin at(long millis) {
    return new Origin(place, chat, team, senderName, fromBot, addressed, millis);
  }

  /** A conversation with one person of whom no more is known. */
  public static Origin direct() {
    return new Origin(Place.DIRECT, "", "", "", false, true);
  }

  /** A conversation with one person. */
  public static Origin direct(String senderName) {
    return new Origin(Place.DIRECT, "", "", senderName, false, true);
  }
}
