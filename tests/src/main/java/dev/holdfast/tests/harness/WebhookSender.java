package dev.holdfast.tests.harness;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The platform's sending side: posts signed events to one account of the webhook channel. */
public final class WebhookSender {
  private final String url;
  private final Signer signer;
  private final Supplier<Instant> clock;
  private final Http http = new Http();

  public WebhookSender(String url, String secret) {
    this(url, secret, Instant::now);
  }

  /**
   * @param clock when messages are signed, by the clock of whoever checks it
   */
  public WebhookSender(String url, String secret, Supplier<Instant> clock) {
    this.url = url;
    this.signer = new Signer(secret);
    this.clock = clock;
  }

  public static String body(String thread, String text) {
    Map<String, String> fields = Map.of("thread", thread, "sender", "alice", "text", text);
    return Json.write(fields);
  }

  /** Sends a message; the same id again is a redelivery. */
  public Answer send(String id, String thread, String text) throws IOException {
    return sendRaw(id, body(thread, text));
  }

  public Answer sendRaw(String id, String body) throws IOException {
    return post(headers(id, body), body);
  }

  /** The right headers for a body, to be spoilt one by one. */
  public Map<String, String> headers(String id, String body) {
    return headers(id, Long.toString(clock.get().getEpochSecond()), body);
  }

  public Map<String, String> headers(String id, String timestamp, String body) {
    Map<String, String> headers = new HashMap<>();
    headers.put("content-type", "application/json");
    headers.put("webhook-id", id);
    headers.put("webhook-timestamp", timestamp);
    headers.put("webhook-signature", signer.sign(id, timestamp, body));
    return headers;
  }

  public Answer post(Map<String, String> headers, String body) throws IOException {
    return http.post(url, headers, body);
  }

  public String url() {
    return url;
  }
}
