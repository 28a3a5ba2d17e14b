package dev.holdfast.channels;

import dev.holdfast.api.WebhookRequest;
import dev.holdfast.config.Secret;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Requests as a platform sends them. */
final class Requests {
  static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  static final String OTHER_SECRET = "YW5vdGhlciBzZWNyZXQgb2YgYW5vdGhlciBvbmU=";
  static final Instant NOW = Instant.ofEpochSecond(1_614_265_330);

  private Requests() {}

  static StandardWebhooks keys(String... secrets) {
    return StandardWebhooks.of(List.of(secrets).stream().map(Secret::new).toList());
  }

  static WebhookRequest signed(String id, String body) {
    return signed(id, body.getBytes(StandardCharsets.UTF_8));
  }

  static WebhookRequest signed(String id, byte[] body) {
    return request(keys(SECRET).sign(id, NOW, body), body);
  }

  static WebhookRequest request(Map<String, String> headers, byte[] body) {
    Map<String, List<String>> lists = new HashMap<>();
    headers.forEach((name, value) -> lists.put(name, List.of(value)));
    return new WebhookRequest("POST", "ci", lists, Map.of(), body, NOW);
  }

  static WebhookRequest with(WebhookRequest request, String header, String... values) {
    Map<String, List<String>> headers = new HashMap<>(request.headers());
    headers.put(header, List.of(values));
    return new WebhookRequest(
        request.method(),
        request.account(),
        headers,
        request.query(),
        request.body(),
        request.receivedAt());
  }

  static WebhookRequest at(WebhookRequest request, Instant receivedAt) {
    return new WebhookRequest(
        request.method(),
        request.account(),
        request.headers(),
        request.query(),
        request.body(),
        receivedAt);
  }
}
