package dev.holdfast.tests.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a server has on record of the approvals that it asked for, one in each chat thread. */
public final class ApprovalRecords {
  private static final Set<String> DECISIONS = Set.of("approval.granted", "approval.denied");

  private final ServerRig rig;

  public ApprovalRecords(ServerRig rig) {
    this.rig = rig;
  }

  /**
   * Whether the question of a thread was decided, as the killed server left it; looked at in a
   * copy, since a look changes the files.
   *
   * @param threadId the whole id of the chat thread, with its channel and account
   */
  public boolean isDecided(String threadId) throws IOException, SQLException {
    Path copy = ServerRig.newFolder("holdfast-copy");
    try {
      for (String file : List.of("holdfast.db", "holdfast.db-wal")) {
        Files.copy(rig.setup().dataDir().resolve(file), copy.resolve(file));
      }
      try (Connection sql =
              DriverManager.getConnection("jdbc:sqlite:" + copy.resolve("holdfast.db"));
          PreparedStatement query =
              sql.prepareStatement(
                  "select state <> 'WAITING' from approvals where thread_id = ?")) {
        query.setString(1, threadId);
        ResultSet row = query.executeQuery();
        assertThat(row.next()).as("the question of %s is lost", threadId).isTrue();
        return row.getBoolean(1);
      }
    } finally {
      ServerRig.delete(copy);
    }
  }

  /** The only question of a thread, once its event has ended; waits for it. */
  public JsonNode ended(String threadId, Duration limit) {
    return Await.value(
        "the question of " + threadId + " is decided and its event has ended",
        limit,
        () -> ended(threadId));
  }

  private Optional<JsonNode> ended(String threadId) throws IOException {
    JsonNode found =
        rig.api()
            .get("/api/v1/approvals?state=all&thread=" + ServerApi.encode(threadId))
            .json()
            .path("approvals");
    assertThat(found).as("questions of %s", threadId).hasSize(1);
    String state = rig.api().event(found.path(0).path("event_id").asText()).path("state").asText();
    return ServerApi.FINAL.contains(state) ? Optional.of(found.path(0)) : Optional.empty();
  }

  /** What the audit says of how a question was decided. */
  public List<String> decisions(JsonNode question) throws IOException {
    return rig
        .api()
        .get("/api/v1/executions/" + question.path("execution").asText())
        .json()
        .path("audit")
        .findValuesAsText("what")
        .stream()
        .filter(DECISIONS::contains)
        .toList();
  }

  /** Whether nobody has changed the audit. */
  public boolean isAuditWhole() throws IOException {
    return rig.api().get("/api/v1/audit/verify").json().path("whole").asBoolean();
  }
}
