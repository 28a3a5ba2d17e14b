package dev.holdfast.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeniedSubjectsTest {
  private final DeniedSubjects denied = new DeniedSubjects();
  private final NatsAccount account =
      NatsRig.account(Map.of("stream", "QUESTIONS", "durable", "agent1"));

  @ParameterizedTest
  @CsvSource({
    "Publish, $JS.ACK.QUESTIONS.agent1.1.2.3.4.5, publish to $JS.ACK.QUESTIONS.agent1.>",
    "Publish, $JS.API.STREAM.NAMES, publish to $JS.API.>",
    "Subscription, _INBOX.holdfast.abc.*, subscribe to _INBOX.holdfast.>"
  })
  void aPermissionThatTheChannelLacksIsNamedOnce(String what, String subject, String remedy) {
    denied.hear("Permissions Violation for %s to \"%s\"".formatted(what, subject));
    assertThat(denied.takeOwn(account).orElseThrow())
        .contains(subject)
        .endsWith("allow it to " + remedy);
    assertThat(denied.takeOwn(account)).isEmpty();
  }

  @Test
  void thatOfAnAnswerConcernsTheAnswerAlone() {
    denied.hear("Permissions Violation for Publish to \"answers.shop\"");
    assertThat(denied.takeOwn(account)).isEmpty();
    assertThat(denied.takePublish("answers.bank")).isFalse();
    assertThat(denied.takePublish("answers.shop")).isTrue();
    assertThat(denied.takePublish("answers.shop")).isFalse();
  }

  @Test
  void whatIsNoDenialIsLeftAlone() {
    denied.hear(null);
    denied.hear("Unknown Protocol Operation");
    assertThat(denied.takeOwn(account)).isEmpty();
  }

  @Test
  void whoeverIsDeniedMuchFillsNoMemory() {
    for (int i = 0; i < 1000; i++) {
      denied.hear("Permissions Violation for Publish to \"answers.%d\"".formatted(i));
    }
    assertThat(denied.takePublish("answers.1")).isFalse();
    assertThat(denied.takePublish("answers.999")).isTrue();
  }
}
