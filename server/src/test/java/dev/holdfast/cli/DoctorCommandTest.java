package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.InstanceLock;
import dev.holdfast.time.ManualTime;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DoctorCommandTest extends CommandFixture {
  @ParameterizedTest
  @ValueSource(strings = {"rw-rw-rw-", "rw-r--r--", "rw-rw----"})
  void doctorWarnsOfVariablesThatAreOpenToOthers(String rights) throws IOException {
    Path file = Files.createDirectories(folder.resolve("conf")).resolve("holdfast.env");
    Files.writeString(file, "GOOD=1\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
    line.run(server, "doctor");
    assertThat(line.out()).contains("chmod g-w,o-rwx " + file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    line.run(server, "doctor");
    assertThat(line.out()).contains("is closed to other users");
  }

  @Test
  void theDoctorShowsTheServersConditionsAndIsAlarmedByAFailure() throws IOException {
    Files.createDirectory(folder.resolve("data"));
    serverSays(true, "degraded");
    line.run(server, "doctor");
    assertThat(line.out())
        .contains("warn  breaker/llm:x  No call goes to llm:x.", "Ends when it works.");
    serverSays(true, "failed");
    assertThat(line.run(server, "doctor", "--json")).isEqualTo(1);
    assertThat(line.out()).contains("\"conditions\"", "\"reason\" : \"open\"");
  }

  @Test
  void theDoctorLooksAtEverything() throws IOException {
    Files.createDirectory(folder.resolve("data"));
    int exit = line.run(server, "doctor", "--json");
    assertThat(line.out())
        .contains("\"SQLite\"", "\"fsync\"", "\"file system\"", "\"http port\"", "\"server\"");
    assertThat(exit).isIn(0, 1);
    Files.writeString(folder.resolve("h.yaml"), "nonsense: 1");
    assertThat(line.run(server, "doctor", "--config", "h.yaml")).isEqualTo(1);
    assertThat(line.out()).contains("BAD   configuration", "unknown key nonsense");
    assertThat(folder.resolve("data")).isEmptyDirectory();
  }

  @Test
  void aServerThatHoldsTheDataAndDoesNotRespondIsNotToBeReplaced() throws Exception {
    try (InstanceLock _ = InstanceLock.take(folder.resolve("data"), new ManualTime())) {
      assertThat(line.run("doctor", "--url", "http://127.0.0.1:1")).isEqualTo(1);
      assertThat(line.out()).contains("changed http.port").doesNotContain("--take-over");
      assertThat(line.run("status", "--url", "http://127.0.0.1:1")).isEqualTo(74);
      assertThat(line.err())
          .contains("process " + ProcessHandle.current().pid(), "may still be starting", "--url");
    }
  }

  @Test
  void theDoctorDoesNotTakeAnotherFoldersServerForThatOfThisOne() throws IOException {
    serverSays(true, "degraded");
    Files.createDirectory(folder.resolve("data"));
    assertThat(line.run(server, "doctor")).isIn(0, 1);
    assertThat(line.out())
        .contains("breaker/llm:x")
        .contains("none in the data folder; HOLDFAST_TOKEN is used");
    Files.createFile(folder.resolve("data/holdfast.db"));
    assertThat(line.run(server, "doctor")).isIn(0, 1);
    assertThat(line.out()).contains("does not use", "--url or --data").doesNotContain("breaker/");
    line.environment(Map.of());
    line.run("doctor");
    assertThat(line.out()).contains("the first start creates one");
  }

  @Test
  void theDoctorKnowsThePortOfItsOwnServerThatIsNotReady() throws IOException {
    serverSays(false, "failed");
    int port = URI.create(server.url()).getPort();
    Files.writeString(folder.resolve("h.yaml"), "http: {port: " + port + "}\n");
    assertThat(line.run(server, "doctor", "--config", "h.yaml")).isEqualTo(1);
    assertThat(line.out())
        .contains("not ready", "127.0.0.1:" + port + " is taken, by this server")
        .doesNotContain("stop what listens there");
  }

  @Test
  void theDoctorTakesAStrangerOnThePortForAStranger() throws IOException {
    server.on("GET /api/v1/status", 404, "{}");
    int port = URI.create(server.url()).getPort();
    Files.writeString(folder.resolve("h.yaml"), "http: {port: " + port + "}\n");
    assertThat(line.run(server, "doctor", "--config", "h.yaml")).isEqualTo(1);
    assertThat(line.out()).contains("stop what listens there");
  }
}
