package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.engine.Connections;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages come as soon as the port is open, before the start is over. */
@Timeout(120)
class EarlyMessageTest {
  @TempDir Path folder;

  @Test
  void aMessageThatIsAcceptedBeforeTheStartIsOverIsPublished() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    ServerRunner runner =
        new ServerRunner(
            folder,
            """
            http: {port: %d}
            metrics: {port: 0}
            api: {wait_secs: 1}
            broker: {kind: nats, nats: {servers: ["nats://127.0.0.1:1"]}}
            """
                .formatted(port));
    List<Integer> statuses = new ArrayList<>();
    Server server =
        runner.start(
            new Opened(
                part -> {
                  if (part.equals("listener")) {
                    statuses.add(say(port));
                  }
                }));
    try {
      assertThat(statuses).containsExactly(202);
      assertThat(published(runner.data())).isEqualTo(1);
    } finally {
      server.stop(() -> true);
    }
  }

  private static int say(int port) throws IOException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/chat"))
                  .header("authorization", "Bearer " + ServerRunner.TOKEN)
                  .header("content-type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString("{\"message\": \"early\"}"))
                  .build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static int published(Path data) throws SQLException {
    try (Connection database =
            DriverManager.getConnection("jdbc:sqlite:" + data.resolve(Connections.FILE));
        Statement sql = database.createStatement();
        ResultSet rows =
            sql.executeQuery(
                "select count(*) from bus_events where subject like 'holdfast.inbound.%'")) {
      return rows.getInt(1);
    }
  }
}
