package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.RawClient;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** One server for all attacks of a class; after each of them it must still serve. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SharedServer {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})");
  final ServerRig rig = new ServerRig();
  final Http http = new Http();
  private int converses;

  @BeforeAll
  void start() {
    configure(rig);
    rig.start();
  }

  /** What a class wants to be different; nothing by default. */
  void configure(ServerRig unstarted) {}

  @AfterEach
  void isStillWell() {
    rig.converse("well-" + converses++, "well", "are you well?");
  }

  @AfterAll
  void stop() {
    rig.close();
  }

  /** The status of the first answer to raw bytes; 0 when the connection was closed without one. */
  int rawStatus(String bytes) throws IOException {
    return firstStatus(RawClient.ask(rig.setup().httpPort(), bytes));
  }

  static int firstStatus(String answer) {
    Matcher matcher = STATUS.matcher(answer);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  static long answers(String all) {
    return STATUS.matcher(all).results().count();
  }

  int accepted() throws IOException {
    return rig.api().status().path("counts").path("accepted").asInt();
  }

  void assertNoEvent(String id) throws IOException {
    assertThat(rig.api().get("/api/v1/events/" + id).status()).as("no event " + id).isEqualTo(404);
  }
}
