package dev.holdfast.bus;

import java.util.List;

/**
 * What a program asks of the server over NATS.
 *
 * @param verb what follows {@code holdfast.control.} in its subject
 * @param replyTo the subject that it wants its answer on; empty when it wants none
 * @param authorization each value of its {@code Authorization} header
 * @param correlationId its own id of the exchange; empty when it has none
 * @param body as it came; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // as it came: never compared as a record
public record ControlRequest(
    String verb, String replyTo, List<String> authorization, String correlationId, byte[] body) {

  public ControlRequest {
    authorization = List.copyOf(authorization);
  }

  /**
   * Whether its reply subject is an inbox, or stands for one of another account of NATS. The server
   * may publish where the requester may not: to the API of JetStream, for example, which would take
   * an answer for a request to empty a stream.
   */
  public boolean asksForAnswerElsewhere() {
    return !replyTo.isEmpty() && !replyTo.startsWith("_INBOX") && !replyTo.startsWith("_R_.");
  }

  /** The header stays out of every log. */
  @Override
  public String toString() {
    return "control request " + verb;
  }
}
