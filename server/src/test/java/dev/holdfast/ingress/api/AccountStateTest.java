package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.channels.ListenerStatus;
import dev.holdfast.ingress.api.AccountState.Way;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.store.messages.OpenReplies;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AccountStateTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");
  private static final Instant LATER = NOW.plusSeconds(30);

  private static List<ChannelCheck> listening(ListenerStatus.@Nullable State state) {
    return state(Way.LISTENS, state, null, null, "").checks(NOW);
  }

  private static AccountState state(
      Way way,
      ListenerStatus.@Nullable State listener,
      @Nullable BreakerView breaker,
      @Nullable Instant paced,
      String publicUrl) {
    ListenerStatus.History history =
        new ListenerStatus.History(NOW.minusSeconds(600), NOW.minusSeconds(500), 1, null);
    return new AccountState(
        "chat:main",
        way,
        "/webhooks/chat/main",
        publicUrl,
        listener == null ? null : new ListenerStatus("chat:main", listener, history),
        breaker,
        paced,
        new OpenReplies(3, NOW));
  }

  private static ListenerStatus.State failed(FailureCode code) {
    return new ListenerStatus.NotReceiving(Failure.of(code, "as told"), 1, LATER);
  }

  @Test
  void eachStateOfAListenerIsMetOrHasAStep() {
    assertThat(listening(new ListenerStatus.Receiving(0)).getFirst().what())
        .isEqualTo("it listens, and has heard of its platform 500 s ago");
    assertThat(listening(new ListenerStatus.NotReceiving(null, 0, null)).getFirst().isMet())
        .isTrue();
    assertThat(listening(failed(FailureCode.NETWORK)).getFirst().isMet())
        .as("one passing failure is nobody's worry")
        .isTrue();
    assertThat(listening(failed(FailureCode.AUTH)).getFirst().remedy())
        .contains("valid credentials", LATER.toString());
    assertThat(listening(failed(FailureCode.INVALID_REQUEST)).getFirst().remedy())
        .contains("Do what the reason says", "another process");
    assertThat(listening(new ListenerStatus.Silent()).getFirst().isMet()).isFalse();
    assertThat(listening(new ListenerStatus.TokenInUse("chat:other")).getFirst().remedy())
        .startsWith("chat:other does");
    assertThat(listening(null).getFirst().isMet()).isFalse();
    assertThat(listening(new ListenerStatus.Ending()).getFirst().isMet()).isTrue();
  }

  @Test
  void whatIsUnmetHasAStepAndWhatIsMetHasNone() {
    List<ListenerStatus.State> all =
        List.of(
            new ListenerStatus.Receiving(0),
            new ListenerStatus.Silent(),
            new ListenerStatus.Ending(),
            new ListenerStatus.TokenInUse("x"),
            failed(FailureCode.NETWORK),
            failed(FailureCode.RATE_LIMITED),
            failed(FailureCode.BACKEND_FAILURE),
            new ListenerStatus.NotReceiving(
                Failure.of(FailureCode.NETWORK, "x"), 9, Instant.EPOCH));
    for (ListenerStatus.State state : all) {
      assertThat(listening(state))
          .allMatch(check -> check.isMet() == check.remedy().isEmpty(), state.toString());
    }
  }

  @Test
  void ofAWebhookItIsToldWhereThePlatformSends() {
    assertThat(state(Way.WEBHOOK, null, null, null, "").checks(NOW).getFirst().what())
        .contains("/webhooks/chat/main", "public_url");
    assertThat(
            state(Way.WEBHOOK, null, null, null, "https://bot.example.org/")
                .checks(NOW)
                .getFirst()
                .what())
        .endsWith("https://bot.example.org/webhooks/chat/main");
  }

  @Test
  void anOpenBreakerAndAnAskedPauseKeepRepliesBack() {
    BreakerView open = new BreakerView("channel:chat:main", "open", 5, 1, LATER);
    ChannelCheck broken = state(Way.WEBHOOK, null, open, null, "").checks(NOW).getLast();
    assertThat(broken.isMet()).isFalse();
    assertThat(broken.remedy()).contains("5 posts failed", "3 replies wait", LATER.toString());
    Instant hour = NOW.plus(Duration.ofHours(1));
    ChannelCheck paced = state(Way.WEBHOOK, null, null, hour, "").checks(NOW).getLast();
    assertThat(paced.isMet()).isFalse();
    assertThat(paced.remedy()).contains(hour.toString());
    ChannelCheck well = state(Way.WEBHOOK, null, null, null, "").checks(NOW).getLast();
    assertThat(well).isEqualTo(ChannelCheck.met("no posts are failing; 3 replies wait"));
  }

  @Test
  void ofAPageThereIsNothingToCheck() {
    assertThat(state(Way.PAGE, null, null, null, "").checks(NOW)).isEmpty();
  }
}
