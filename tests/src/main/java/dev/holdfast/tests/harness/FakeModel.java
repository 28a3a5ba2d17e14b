package dev.holdfast.tests.harness;

import dev.holdfast.kit.testing.WireExchange;
import dev.holdfast.kit.testing.WireRequest;
import dev.holdfast.kit.testing.WireServer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A model provider in the OpenAI and the Anthropic shape that does what its scripts say.
 * Thread-safe.
 */
public final class FakeModel implements AutoCloseable {
  /** The key that the server is given; a fragment of it found anywhere is a leak. */
  public static final String KEY = "sk-canary-4f1d9a77c0de";

  private final WireServer server = new WireServer(this::receive);
  private final ConcurrentLinkedQueue<RecordedModelRequest> requests =
      new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<ModelScript> next = new ConcurrentLinkedQueue<>();
  private volatile ModelScript always = ModelScript.echo();
  private volatile boolean records = true;

  /** Makes the rig's server use this model in the OpenAI shape, as {@code openai/gpt-test}. */
  public FakeModel asOpenAi(Setup setup) {
    setup.set("models.providers.openai.api_key", KEY);
    setup.set("models.providers.openai.base_url", server.url("/v1"));
    setup.set("models.levels.operational", List.of("openai/gpt-test"));
    return this;
  }

  /**
   * Makes the rig's server use this model in the Anthropic shape, as {@code anthropic/claude-test}.
   */
  public FakeModel asAnthropic(Setup setup) {
    setup.set("models.providers.anthropic.api_key", KEY);
    setup.set("models.providers.anthropic.base_url", server.url("/v1"));
    setup.set("models.levels.operational", List.of("anthropic/claude-test"));
    return this;
  }

  /** The next requests are answered by these, one each, before {@link #always} rules again. */
  public FakeModel next(ModelScript... scripts) {
    next.addAll(List.of(scripts));
    return this;
  }

  public FakeModel always(ModelScript script) {
    always = script;
    return this;
  }

  /** As it began: it echoes, and has heard nothing. */
  void reset() {
    next.clear();
    always = ModelScript.echo();
    requests.clear();
    accept();
  }

  /** Keeps no requests: for those that are too many or too large. */
  public FakeModel unrecorded() {
    records = false;
    return this;
  }

  public List<RecordedModelRequest> requests() {
    return List.copyOf(requests);
  }

  public void refuse() {
    server.refuse();
  }

  public void accept() {
    server.accept();
  }

  private void receive(WireRequest request, WireExchange exchange) throws IOException {
    RecordedModelRequest asked = RecordedModelRequest.of(request);
    if (records) {
      requests.add(asked);
    }
    if (!asked.key().equals(KEY)) {
      ModelScript.status(401, Map.of(), "authentication_error", "invalid x-api-key")
          .run(asked, exchange);
      return;
    }
    ModelScript script = next.poll();
    (script == null ? always : script).run(asked, exchange);
  }

  @Override
  public void close() {
    server.close();
  }
}
