package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.kit.testing.WireRequest;
import dev.holdfast.kit.testing.WireServer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Sits between the server and a double of a model provider: remembers the bytes that were asked,
 * and hands the answers on in pieces that end anywhere, as networks do. Thread-safe.
 */
public final class ModelTap implements AutoCloseable {
  private static final int PIECE = 97;

  /** How answers come. */
  public enum Form {
    /** As a stream, as the server asks. */
    STREAMED,
    /** In one body: a gateway that does not stream, whatever it is asked. */
    WHOLE
  }

  /** A request as it was on the wire. */
  public record Asked(String path, JsonNode body) {}

  private final WireServer server = new WireServer(this::receive);
  private final ConcurrentLinkedQueue<Asked> asked = new ConcurrentLinkedQueue<>();
  private final Http http = new Http();
  private final String target;
  private volatile Form form = Form.STREAMED;

  /**
   * @param target the double's address without a path
   */
  public ModelTap(String target) {
    this.target = target;
  }

  /** How answers come from now on. */
  public void answers(Form now) {
    form = now;
  }

  public String url(String path) {
    return server.url(path);
  }

  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  private void receive(WireRequest request, WireExchange exchange) throws IOException {
    JsonNode body = Json.read(request.text());
    asked.add(new Asked(request.path(), body));
    String path = request.path();
    Form now = form;
    if (now == Form.WHOLE) {
      ((ObjectNode) body).put("stream", false).remove("stream_options");
      path = path.replaceFirst(":streamGenerateContent.*", ":generateContent");
    }
    Answer answer =
        http.post(target + path, Map.of("content-type", "application/json"), Json.write(body));
    String type = answer.header("content-type");
    if (now == Form.WHOLE || answer.status() != 200) {
      exchange.respond(answer.status(), Map.of("content-type", type), answer.body());
      return;
    }
    exchange.startStream(type);
    String text = answer.body();
    for (int from = 0; from < text.length(); from += PIECE) {
      exchange.chunk(text.substring(from, Math.min(text.length(), from + PIECE)));
    }
    exchange.endStream();
  }

  @Override
  public void close() {
    server.close();
  }
}
