package dev.holdfast.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A command line of its own for each test, and a server that says what the test says. */
abstract class CommandFixture {
  @TempDir Path folder;
  FakeServer server;
  CommandLineOf line;

  @BeforeEach
  final void startServer() throws IOException {
    server = new FakeServer();
    line = new CommandLineOf(folder);
  }

  @AfterEach
  final void stopServer() {
    server.close();
  }

  void serverSays(boolean ready, String status) {
    server.on(
        "GET /api/v1/status",
        200,
        """
        {"version":"1.2","ready":%s,"counts":{"accepted":3},"conditions":[
         {"type":"breaker/llm:x","status":"%s","reason":"open",
          "message":"No call goes to llm:x.\\u001b[2J","since":"2026-01-01T00:00:00Z",
          "next_attempt_at":"2999-01-01T00:00:00Z","exit_rule":"Ends when it works."}]}
        """
            .formatted(ready, status));
  }
}
