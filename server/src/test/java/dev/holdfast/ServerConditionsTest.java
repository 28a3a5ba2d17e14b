package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.dispatch.Orchestrator.AloneMessages;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.channels.ListenerStatus;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.health.ConditionStatus;
import dev.holdfast.replies.AbsentAccount;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.store.engine.StoreRefusal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ServerConditionsTest {
  private static final Instant LATER = Instant.parse("2026-01-01T00:00:10Z");

  private static ListenerStatus listener(String source, ListenerStatus.State state) {
    return new ListenerStatus(
        source, state, new ListenerStatus.History(Instant.EPOCH, null, 0, null));
  }

  @Test
  void aBreakerIsTheConditionOfItsNameUntilItIsClosed() {
    List<ConditionReport> said =
        ServerConditions.breakers(
            List.of(
                new BreakerView("llm:a", "open", 5, 1, LATER),
                new BreakerView("llm:b", "half_open", 5, 1, null),
                new BreakerView("llm:c", "closed", 0, 0, null)));
    assertThat(said).extracting(ConditionReport::subject).containsExactly("llm:a", "llm:b");
    assertThat(said).extracting(ConditionReport::reason).containsExactly("open", "half_open");
    assertThat(said.getFirst().nextAttemptAt()).isEqualTo(LATER);
    assertThat(said.getFirst().message()).contains("llm:a").doesNotContain("%");
  }

  @ParameterizedTest
  @EnumSource(StoreRefusal.Cause.class)
  void eachRefusalOfTheStoreIsTheFailureOfOneFamily(StoreRefusal.Cause cause) {
    List<ConditionReport> all =
        Stream.of("server", "store", "disk", "intake")
            .flatMap(
                family -> ServerConditions.refusal(family, new StoreRefusal(cause, "why")).stream())
            .toList();
    assertThat(all).extracting(ConditionReport::status).containsExactly(ConditionStatus.FAILED);
  }

  private static Failure paced(int seconds) {
    return Failure.of(FailureCode.RATE_LIMITED, "later")
        .withRetryAfter(Duration.ofSeconds(seconds));
  }

  @Test
  void aListenerIsAConditionWhenItKeepsFailingOrAnOperatorMustHelp() {
    Failure broken = Failure.of(FailureCode.NETWORK, "reset");
    Failure revoked = Failure.of(FailureCode.AUTH, "the token xyz was revoked");
    List<ConditionReport> said =
        ServerConditions.listeners(
            List.of(
                listener("a:well", new ListenerStatus.Receiving(0)),
                listener("a:out", new ListenerStatus.Receiving(2)),
                listener("a:new", new ListenerStatus.NotReceiving(null, 0, null)),
                listener("a:once", new ListenerStatus.NotReceiving(broken, 1, LATER)),
                listener("a:paced", new ListenerStatus.NotReceiving(paced(60), 1, LATER)),
                listener("a:hour", new ListenerStatus.NotReceiving(paced(3600), 1, LATER)),
                listener("a:often", new ListenerStatus.NotReceiving(broken, 3, LATER)),
                listener("a:auth", new ListenerStatus.NotReceiving(revoked, 1, null)),
                listener("a:twin", new ListenerStatus.TokenInUse("a:well")),
                listener("a:dead", new ListenerStatus.Silent()),
                listener("a:ends", new ListenerStatus.Ending())));
    assertThat(said)
        .extracting(ConditionReport::subject)
        .containsExactly("a:out", "a:hour", "a:often", "a:auth", "a:twin", "a:dead");
    assertThat(said)
        .extracting(ConditionReport::reason)
        .containsExactly(
            "not_in_places",
            "not_listening",
            "not_listening",
            "not_listening",
            "token_in_use",
            "silent");
    assertThat(said.getFirst().message()).contains("2 places").contains("channels check a:out");
    assertThat(said.get(1).nextAttemptAt()).isEqualTo(LATER);
    assertThat(said.get(3).message())
        .contains("AUTH", "Check its credentials", "channels check a:auth")
        .doesNotContain("xyz");
    assertThat(said.get(4).message()).contains("a:well");
  }

  @Test
  void aRefusedAccountIsNamedWithWhereToLook() {
    List<ConditionReport> said = ServerConditions.refusedAccounts(List.of("whatsapp:main"));
    assertThat(said)
        .singleElement()
        .satisfies(
            report -> {
              assertThat(report.subject()).isEqualTo("whatsapp:main");
              assertThat(report.reason()).isEqualTo("refused");
              assertThat(report.message()).contains("channels check whatsapp:main");
            });
  }

  @Test
  void anAbsentAccountIsNamedWithHowManyRepliesWaitSinceWhen() {
    List<ConditionReport> said =
        ServerConditions.absentAccounts(
            List.of(
                new AbsentAccount("slack:main", 3, LATER),
                new AbsentAccount("webhook:ci", 1, LATER)));
    assertThat(said)
        .extracting(ConditionReport::subject)
        .containsExactly("slack:main", "webhook:ci");
    assertThat(said).extracting(ConditionReport::reason).containsOnly("absent");
    assertThat(said.getFirst().message())
        .startsWith(
            "slack:main is missing, and 3 replies wait for it, the oldest since"
                + " 2026-01-01T00:00:10Z.");
    assertThat(said.getLast().message()).contains(" 1 reply waits for it since 2026-01-01T");
  }

  @Test
  void damageOfRowsAndOfLogsIsToldApart() {
    List<ConditionReport> said = ServerConditions.damage(2, 3, 0);
    assertThat(said)
        .extracting(ConditionReport::reason)
        .containsExactly("damaged_rows", "damaged_lines");
    assertThat(said).extracting(ConditionReport::status).containsOnly(ConditionStatus.DEGRADED);
    assertThat(ServerConditions.damage(0, 0, 0)).isEmpty();
    assertThat(said.getFirst().message())
        .startsWith("2 rows of ")
        .contains("holdfast dlq list", "holdfast trace");
    assertThat(ServerConditions.damage(1, 0, 0).getFirst().message()).startsWith("1 row of ");
    assertThat(ServerConditions.damage(0, 1, 0).getFirst().message()).startsWith("1 line of ");
    assertThat(ServerConditions.damage(0, 0, 1).getFirst().message()).startsWith("1 fault of ");
  }

  @ParameterizedTest
  @CsvSource({"AUTH,key_refused", "QUOTA,quota_used_up"})
  void aProviderThatNeedsAnOperatorIsNamed(FailureCode code, String reason) {
    List<ConditionReport> said = ServerConditions.providers(Map.of("openai", code), LATER);
    assertThat(said).extracting(ConditionReport::reason).containsExactly(reason);
    assertThat(said.getFirst().subject()).isEqualTo("openai");
    assertThat(said.getFirst().message()).startsWith("openai ").contains("automatically");
    assertThat(said.getFirst().nextAttemptAt()).isEqualTo(LATER);
  }

  @Test
  void hangingTurnsAreDegradedUntilThereAreTooMany() {
    assertThat(ServerConditions.turns(0, false)).isEmpty();
    assertThat(ServerConditions.turns(1, false).getFirst().status())
        .isEqualTo(ConditionStatus.DEGRADED);
    assertThat(ServerConditions.turns(16, true).getFirst().status())
        .isEqualTo(ConditionStatus.FAILED);
  }

  @Test
  void parkedMessagesAreCounted() {
    assertThat(ServerConditions.unavailable(1, "", LATER).message()).contains("1 message waits");
    assertThat(ServerConditions.unavailable(3, "", null).message()).contains("3 messages wait ");
    assertThat(ServerConditions.unavailable(0, "", null).message()).doesNotContain("0 messages");
    assertThat(ServerConditions.unavailable(1, "", LATER).nextAttemptAt()).isEqualTo(LATER);
  }

  @Test
  void whatTheModelsSaidLastIsNamed() {
    assertThat(ServerConditions.unavailable(1, "llm:openai: OVERLOADED", null).message())
        .startsWith("No model could be reached (llm:openai: OVERLOADED); 1 message waits ");
  }

  @Test
  void messagesThatModelsFailOnAloneAreCountedAndTheFirstIsNamed() {
    assertThat(ServerConditions.failsAlone(new AloneMessages(1, "e1", LATER)).message())
        .contains("1 message (e1), which is tried again");
    assertThat(ServerConditions.failsAlone(new AloneMessages(3, "e1", LATER)).message())
        .contains("3 messages (the first is e1), which are tried again");
  }
}
