package dev.holdfast.access;

/**
 * A person as an account of a channel knows them.
 *
 * @param sender the platform's stable id of the person
 */
public record ChannelPerson(String channel, String account, String sender) {
  /** {@code source}: {@code channel:account}. */
  static ChannelPerson of(String source, String sender) {
    int colon = source.indexOf(':');
    return new ChannelPerson(source.substring(0, colon), source.substring(colon + 1), sender);
  }

  public String source() {
    return channel + ":" + account;
  }
}
