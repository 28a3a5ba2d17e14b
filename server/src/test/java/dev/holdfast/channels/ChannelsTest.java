package dev.holdfast.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.registry.Refusal;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.registry.Use;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChannelsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Channels channels = new Channels(List.of(new WebChannel()));

  private record Adapter(String channel, Set<String> accounts, int textUnitsMax)
      implements ChannelAdapter {
    Adapter(String channel) {
      this(channel, Set.of("main"), 1000);
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      return new WebhookVerdict.NoAccount();
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      return new PostOutcome.Sent("");
    }
  }

  private List<String> names() {
    return channels.all().stream().map(ChannelFacts::name).toList();
  }

  private Refusal refusalOf(ChannelAdapter adapter) {
    try {
      channels.add(adapter, NOW);
      throw new AssertionError("it was added");
    } catch (RegistrationRefusedException e) {
      assertThat(names()).containsExactly("web");
      return e.refusal();
    }
  }

  @Test
  void aChannelIsThereFromItsAdditionToItsRemoval() throws Exception {
    Registration added = channels.add(new Adapter("late"), NOW);
    assertThat(names()).containsExactly("late", "web");
    added.remove();
    assertThat(names()).containsExactly("web");
    assertThat(channels.begin("late")).isEmpty();
  }

  @Test
  void whatAnAbsentChannelTakesIsRememberedAndGuessedWhenItWasNeverSeen() throws Exception {
    channels.add(new Adapter("late", Set.of("main"), 160), NOW).remove();
    assertThat(channels.textUnitsMax("late")).isEqualTo(160);
    assertThat(channels.textUnitsMax("later")).isEqualTo(2000);
    assertThat(channels.mayBeAdded("late")).isTrue();
    assertThat(channels.mayBeAdded("webhook")).isFalse();
  }

  @Test
  void theListenersHearOfItsComingAndOfItsLastCallsEnd() throws Exception {
    List<String> heard = new ArrayList<>();
    channels.onAdded(name -> heard.add("added " + name));
    channels.onGone(facts -> heard.add("gone " + facts.name() + " " + facts.accounts()));
    Registration added = channels.add(new Adapter("late"), NOW);
    try (Use<Channel> _ = channels.begin("late").orElseThrow()) {
      added.remove();
      assertThat(heard).containsExactly("added late");
    }
    assertThat(heard).containsExactly("added late", "gone late [main]");
  }

  /** A new version takes over while the old one still ends its calls. */
  @Test
  void whoeverHasTheNameAgainIsNotToldGone() throws Exception {
    List<String> gone = new ArrayList<>();
    channels.onGone(facts -> gone.add(facts.name()));
    Registration first = channels.add(new Adapter("late"), NOW);
    try (Use<Channel> _ = channels.begin("late").orElseThrow()) {
      first.remove();
      channels.add(new Adapter("late"), NOW);
    }
    assertThat(first.awaitEnd(Duration.ZERO)).isTrue();
    assertThat(gone).isEmpty();
    assertThat(names()).contains("late");
  }

  @Test
  void aTakenOrReservedNameIsRefused() throws Exception {
    assertThat(refusalOf(new Adapter("web"))).isInstanceOf(Refusal.NameReserved.class);
    assertThat(refusalOf(new Adapter("webhook"))).isInstanceOf(Refusal.NameReserved.class);
    Registration first = channels.add(new Adapter("late"), NOW);
    try {
      channels.add(new Adapter("late"), NOW);
    } catch (RegistrationRefusedException e) {
      assertThat(e.refusal()).isEqualTo(new Refusal.NameTaken("channel", "late"));
    }
    first.remove();
    assertThat(names()).containsExactly("web");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Late", "a:b", "a/b", "../x", "1a", "a\n", "ä", "a_b"})
  void aNameThatCannotStandInAPathIsRefused(String name) {
    assertThat(refusalOf(new Adapter(name))).isInstanceOf(Refusal.Malformed.class);
  }

  @Test
  void accountsAndLimitsThatCannotBeUsedAreRefused() {
    Set<String> many = IntStream.range(0, 2000).mapToObj(i -> "a" + i).collect(Collectors.toSet());
    for (Set<String> accounts : List.of(Set.of("a:b"), Set.of(""), Set.of("a/b"), many)) {
      assertThat(refusalOf(new Adapter("late", accounts, 1000)))
          .isInstanceOf(Refusal.Malformed.class);
    }
    for (int units : List.of(-1, 0, 1, Integer.MAX_VALUE)) {
      assertThat(refusalOf(new Adapter("late", Set.of("main"), units)))
          .isInstanceOf(Refusal.Malformed.class);
    }
  }
}
