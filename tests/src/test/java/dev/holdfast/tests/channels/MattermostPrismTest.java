package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.MattermostDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.RecordedCall;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the bundled plugin asks of Mattermost is what its own description of the API allows, as
 * Prism reads it. Needs that description: {@code -Dholdfast.mattermost_spec=FILE}.
 */
@Outside(
    covers = {
      "plugins/mattermost/src/main",
      "plugins/kit-testing/src/main/java/dev/holdfast/kit/testing/MattermostDouble.java"
    },
    needs = "npm:npm")
@Timeout(600)
class MattermostPrismTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void eachRequestIsOneThatMattermostDescribes() throws Exception {
    Prism prism = Prism.ofProperty("holdfast.mattermost_spec");
    List<RecordedCall> calls = calls();
    assertThat(calls).extracting(RecordedCall::method).contains("GET", "POST", "PUT");
    assertThat(prism.violations(calls)).filteredOn(found -> !isKnown(found)).isEmpty();
  }

  private static List<RecordedCall> calls() throws Exception {
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
              mattermost.asked().stream()
                  .anyMatch(asked -> asked.body().contains("holdfast_reply")));
      assertThat(HoldfastCommand.run(rig.setup(), "channels", "check", "mattermost").out())
          .contains("the token is valid");
      return mattermost.asked().stream()
          .map(asked -> new RecordedCall(asked.method(), asked.path(), asked.body()))
          .toList();
    }
  }

  /**
   * The description calls the properties of an edit a string; the server and its own client take an
   * object, as everywhere else.
   */
  private static boolean isKnown(Prism.Violation found) {
    return found.call().path().endsWith("/patch") && found.place().equals("body/props");
  }
}
