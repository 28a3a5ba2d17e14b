package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a stop ended, and the stop itself, stay to be read in the log that the chat page shows. */
@Timeout(60)
class StoppedThreadLogTest {
  private static final String THREAD = "/api/v1/threads/web:main:t";
  private static final String CONFIG =
      """
      http: {port: 0}
      metrics: {port: 0}
      models:
        plugin_providers: [silent]
        levels: {operational: [silent/one]}
      """;

  @TempDir Path folder;

  private final CountDownLatch asked = new CountDownLatch(1);
  private Server server;

  @BeforeEach
  void openWithATurnThatRunsAndAMessageThatWaits() throws Exception {
    server = new ServerRunner(folder, CONFIG).start(new Opened(_ -> {}));
    server.models().add(new Silent());
    send("running");
    asked.await();
    send("waiting");
  }

  @AfterEach
  void close() throws Exception {
    server.stop(() -> true);
  }

  @Test
  void aStopOfAllOverTheApi() throws Exception {
    assertThat(stop(true)).isEqualTo(2);
    assertThat(texts()).containsExactly("running", "waiting", "Stopped.");
    assertThat(stop(true)).isZero();
    assertThat(texts()).as("after a stop that ended nothing").hasSize(3);
  }

  /** Who stops hundreds of them must not wait until all that was never read is copied. */
  @Test
  void ofAVeryLongMessageThatWaitedTheBeginning() throws Exception {
    send("x".repeat(70_000));
    assertThat(stop(true)).isEqualTo(3);
    assertThat(texts().get(2))
        .startsWith("xxx")
        .endsWith("x\n(4,464 more characters)")
        .hasSizeLessThan(66_000);
  }

  @Test
  void twoStopsOverTheApi() throws Exception {
    assertThat(stop(false)).isEqualTo(1);
    assertThat(stop(false)).isEqualTo(1);
    assertThat(texts()).containsSubsequence("running", "Stopped.", "Stopped.").contains("waiting");
  }

  @Test
  void theCommandThatStopsAll() throws Exception {
    JsonObject command =
        new JsonObject()
            .put("message", "/stop all")
            .put("context", new JsonObject().put("thread_id", "t"));
    HttpResponse<String> answer = ServerRunner.post(server, "/api/v1/chat", command.encode());
    assertThat(new JsonObject(answer.body()).getString("output")).isEqualTo("Stopped.");
    assertThat(texts()).containsExactly("running", "waiting", "Stopped.");
  }

  private void send(String text) throws Exception {
    String body = new JsonObject().put("text", text).encode();
    assertThat(ServerRunner.post(server, THREAD + "/messages", body).statusCode()).isEqualTo(202);
  }

  private int stop(boolean all) throws Exception {
    String body = new JsonObject().put("all", all).encode();
    return new JsonObject(ServerRunner.post(server, THREAD + "/stop", body).body())
        .getInteger("stopped");
  }

  /** Of the log's entries, none of which is open any more. */
  private List<String> texts() throws Exception {
    JsonArray entries =
        new JsonObject(ServerRunner.get(server, THREAD + "/log").body()).getJsonArray("entries");
    return entries.stream()
        .map(JsonObject.class::cast)
        .peek(entry -> assertThat(entry.getBoolean("pending", false)).as(entry.encode()).isFalse())
        .map(entry -> entry.getString("text"))
        .toList();
  }

  /** Says nothing until it is interrupted. */
  private final class Silent implements ModelProvider {
    @Override
    public String name() {
      return "silent";
    }

    @Override
    public boolean isLocal() {
      return true;
    }

    @Override
    public int windowTokens(String model) {
      return 100_000;
    }

    @Override
    public ModelAnswer ask(ModelRequest request, ModelListener listener)
        throws InterruptedException {
      asked.countDown();
      new CountDownLatch(1).await();
      throw new IllegalStateException("nobody opens the latch");
    }
  }
}
