package dev.holdfast.discord;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import java.time.Duration;

/**
 * How a connection to the Gateway has ended.
 *
 * @param why in a few words
 * @param isOver whether its session cannot be resumed
 */
record GatewayEnd(String why, boolean isOver) {
  /** Discord counts the identifications of a day, also those that it refuses. */
  private static final Duration REFUSED_WAIT = Duration.ofMinutes(5);

  static GatewayEnd resumable(String why) {
    return new GatewayEnd(why, false);
  }

  /**
   * By the code that Discord has closed it with.
   *
   * @throws CallFailedException when another connection would end the same way
   */
  static GatewayEnd ofClose(int code) throws CallFailedException {
    return switch (code) {
      case 4004 ->
          throw new CallFailedException(
              Failure.of(
                  FailureCode.AUTH,
                  "the Gateway does not take the bot token (4004): take a new one under Bot, Reset"
                      + " Token, and write it into the configuration"));
      case 4010, 4011 ->
          throw refused(
              "the bot is in too many servers for one connection ("
                  + code
                  + "), which is not supported: take it out of some, or use another application");
      case 4012 -> throw refused("Discord does not speak this version of the Gateway (4012)");
      case 4013 -> throw refused("Discord does not know an intent that was asked for (4013)");
      case 4014 -> throw refused(noContent("4014"));
      case 4003, 4007, 4009 -> new GatewayEnd("it was closed (" + code + ")", true);
      default -> resumable("it was closed (" + code + ")");
    };
  }

  private static CallFailedException refused(String why) {
    return new CallFailedException(
        Failure.of(FailureCode.INVALID_REQUEST, why).withRetryAfter(REFUSED_WAIT));
  }

  /** What to do when the application must not read messages; {@code said}: how that is known. */
  static String noContent(String said) {
    return "the application must not read messages ("
        + said
        + "): turn on Message Content Intent under Bot in the Developer Portal, or set"
        + " message_content: false";
  }
}
