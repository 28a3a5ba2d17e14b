package dev.holdfast.models;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * How long a call to a model may take.
 *
 * @param connect name, connection and TLS
 * @param firstToken from the request to the first byte of the answer; a local provider has at least
 *     5 minutes
 * @param idle between two parts of a stream; a ping is a part
 * @param total the whole call
 */
public record ModelTimeouts(Duration connect, Duration firstToken, Duration idle, Duration total) {
  public ModelTimeouts {
    Check.atLeast("connect_secs", connect, Duration.ofSeconds(1));
    Check.atLeast("first_token_secs", firstToken, Duration.ofSeconds(1));
    Check.atLeast("idle_secs", idle, Duration.ofSeconds(1));
    Check.atLeast("total_secs", total, Duration.ofSeconds(1));
  }

  public static ModelTimeouts from(Section timeouts) {
    return new ModelTimeouts(
        timeouts.seconds("connect_secs", 5),
        timeouts.seconds("first_token_secs", 60),
        timeouts.seconds("idle_secs", 30),
        timeouts.seconds("total_secs", 600));
  }
}
