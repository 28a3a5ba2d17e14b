package dev.holdfast.api;

import java.util.Objects;

/**
 * A person used a {@link Choice}. Account, thread, sender, token and reference have the limits of
 * the ids of {@link InboundMessage}.
 *
 * @param thread as in {@link InboundMessage#thread}
 * @param sender the platform's stable id of the person
 * @param token of the choice, as it came
 * @param reference whatever the channel needs to answer it, mostly the platform's id of the click;
 *     may be empty
 */
public record Click(String account, String thread, String sender, String token, String reference) {
  public Click {
    Objects.requireNonNull(account, "account");
    Objects.requireNonNull(thread, "thread");
    Objects.requireNonNull(sender, "sender");
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(reference, "reference");
  }
}
