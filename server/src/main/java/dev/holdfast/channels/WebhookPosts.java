package dev.holdfast.channels;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.channels.HttpOutcome;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.net.HttpCaller.Limits;
import dev.holdfast.net.HttpCaller.Request;
import dev.holdfast.net.HttpCaller.Streamed;
import dev.holdfast.net.HttpFailedException;
import dev.holdfast.time.Time;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Posts replies as signed requests and says how each ended. Thread-safe. */
final class WebhookPosts {
  /** The standard asks senders to wait from 15 to 30 s for an answer. */
  private static final Limits LIMITS =
      new Limits(
          Duration.ofSeconds(5),
          Duration.ofSeconds(20),
          Duration.ofSeconds(3),
          Duration.ofSeconds(30),
          65_536);

  private final ObjectMapper json = new ObjectMapper();
  private final HttpTransport transport;
  private final Time time;

  /** The head of an answer; nothing else of it matters. Header names are in lower case. */
  record Answer(int status, Map<String, List<String>> headers) {}

  /**
   * The part of the HTTP client that a post needs: returns when the head of the answer is there.
   */
  @FunctionalInterface
  interface HttpTransport {
    Answer send(Request request, Limits limits) throws HttpFailedException, InterruptedException;

    /**
     * The server's own client; the body is dropped, so that one that breaks off changes nothing.
     */
    static HttpTransport over(HttpCaller http) {
      return (request, limits) -> {
        Streamed answer = http.stream(request, limits);
        answer.body().release();
        return new Answer(answer.status(), answer.headers());
      };
    }
  }

  WebhookPosts(HttpTransport transport, Time time) {
    this.transport = transport;
    this.time = time;
  }

  PostOutcome post(OutboundReply reply, String url, StandardWebhooks signatures)
      throws InterruptedException {
    byte[] body = body(reply);
    Instant now = time.now();
    Map<String, String> headers = new HashMap<>(signatures.sign(reply.id(), now, body));
    headers.put("content-type", "application/json");
    headers.put("user-agent", "Holdfast");
    try {
      Answer answer = transport.send(new Request("POST", url, headers, body), LIMITS);
      return HttpOutcome.of(answer.status(), answer.headers(), "", now);
    } catch (HttpFailedException e) {
      return HttpOutcome.of(e);
    }
  }

  private byte[] body(OutboundReply reply) {
    ObjectNode body = json.createObjectNode();
    body.put("event_id", reply.eventId());
    body.put("thread", reply.thread());
    body.put("in_reply_to", reply.inReplyTo());
    body.put("text", reply.text());
    body.put("part", reply.part());
    body.put("parts", reply.parts());
    putFiles(body, reply);
    try {
      return json.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts and numbers are always JSON", e);
    }
  }

  /** With their content, so that a receiver needs no way to us. */
  private static void putFiles(ObjectNode body, OutboundReply reply) {
    for (StoredFile file : reply.files()) {
      ObjectNode json =
          body.withArray("attachments")
              .addObject()
              .put("name", file.name())
              .put("media_type", file.mediaType());
      // A plain stream: an interrupt would close a channel.
      try (InputStream in = new FileInputStream(file.file().toFile())) {
        byte[] bytes = in.readNBytes(Math.toIntExact(file.bytes()));
        json.put("bytes", bytes.length).put("data", bytes);
      } catch (IOException _) {
        json.put("bytes", 0).put("error", "the file is no longer available");
      }
    }
  }
}
