package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.resilience.BreakerSettings;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class HostGuardsTest {
  private static final Vertx VERTX = Vertx.vertx();
  private static final String CHAT = "https://chat.example.org/api";
  private static final String FILES = "https://files.example.org/a";

  private final ManualTime time = new ManualTime();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Guards all = guards(GuardsConfig.defaults());
  private final HostGuards guards = new HostGuards("chat", all, time);

  @AfterAll
  static void stop() throws Exception {
    VERTX.close().await();
  }

  private Guards guards(GuardsConfig config) {
    return Guards.create(config, GuardMemory.none(), time, meters, VERTX, () -> 0.5);
  }

  private String ask(String url) throws Exception {
    return guards.call(
        url, guard -> guard.probe(Deadline.in(time, Duration.ofSeconds(30)), () -> guard.name()));
  }

  private FailureCode failing(String url, Failure failure) {
    return failing(url, HostGuards.Use.CALLS, failure);
  }

  private FailureCode failing(String url, HostGuards.Use use, Failure failure) {
    return catchThrowableOfType(
            CallFailedException.class,
            () ->
                guards.call(
                    url,
                    use,
                    guard ->
                        guard.probe(
                            Deadline.in(time, Duration.ofSeconds(30)),
                            () -> {
                              throw new CallFailedException(failure);
                            })))
        .failure()
        .code();
  }

  private void breakDown(String url) {
    for (int i = 0; i < 5; i++) {
      assertThat(failing(url, Failure.of(FailureCode.NETWORK, "refused")))
          .isEqualTo(FailureCode.NETWORK);
    }
    assertThat(failing(url, Failure.of(FailureCode.NETWORK, "refused")))
        .isEqualTo(FailureCode.CIRCUIT_OPEN);
  }

  private List<String> names() {
    return all.breakers().stream().map(BreakerView::name).toList();
  }

  @Test
  void aHostThatFailsBlocksNoOther() throws Exception {
    breakDown(FILES);
    assertThat(ask(CHAT)).isEqualTo("plugin:chat:chat.example.org");
    assertThat(all.breakers())
        .extracting(BreakerView::name, BreakerView::state)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("plugin:chat:chat.example.org", "closed"),
            org.assertj.core.groups.Tuple.tuple("plugin:chat:files.example.org", "open"));
  }

  @Test
  void filesThatAreCutHoldBackNoOtherCallOfTheirHost() throws Exception {
    Failure cut = Failure.of(FailureCode.NETWORK, "the connection broke");
    for (int i = 0; i < 5; i++) {
      assertThat(failing(CHAT, HostGuards.Use.FILES, cut)).isEqualTo(FailureCode.NETWORK);
    }
    assertThat(failing(CHAT, HostGuards.Use.FILES, cut)).isEqualTo(FailureCode.CIRCUIT_OPEN);
    assertThat(ask(CHAT)).isEqualTo("plugin:chat:chat.example.org");
    assertThat(names())
        .containsExactlyInAnyOrder(
            "plugin:chat:chat.example.org", "plugin:chat:chat.example.org/files");
  }

  @Test
  void aPauseThatOneHostAsksForHoldsBackNoOther() throws Exception {
    Failure busy =
        Failure.of(FailureCode.RATE_LIMITED, "busy").withRetryAfter(Duration.ofMinutes(20));
    assertThat(failing(FILES, busy)).isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(failing(FILES, Failure.of(FailureCode.NETWORK, "never asked")))
        .isEqualTo(FailureCode.RATE_LIMITED);
    assertThat(ask(CHAT)).isEqualTo("plugin:chat:chat.example.org");
  }

  @Test
  void oneHostHasOneGuardHoweverItIsWritten() throws Exception {
    assertThat(HostGuards.host("https://Chat.Example.ORG:443/x?y#z")).isEqualTo("chat.example.org");
    assertThat(HostGuards.host("wss://me:pw@chat.example.org./x")).isEqualTo("chat.example.org");
    assertThat(HostGuards.host("http://chat.example.org:80")).isEqualTo("chat.example.org");
    assertThat(HostGuards.host("http://[::1]:8065/x")).isEqualTo("[::1]:8065");
    assertThat(HostGuards.host("http://127.0.0.1:8065")).isEqualTo("127.0.0.1:8065");
  }

  @Test
  void whatNamesNoHostThatMayBeShownHasTheGuardOfThePlugin() throws Exception {
    for (String url :
        List.of("", "::", "/x", "mailto:me", "http://a_b\"}/", "http://" + "a".repeat(261) + "/")) {
      assertThat(ask(url)).as(url).isEqualTo("plugin:chat");
    }
  }

  @Test
  void furtherHostsShareAGuardUntilOthersAreIdle() throws Exception {
    for (int i = 0; i < 1000; i++) {
      String name = ask("https://h" + i + ".example.org");
      assertThat(name)
          .isEqualTo(
              i < HostGuards.HOSTS_MAX ? "plugin:chat:h" + i + ".example.org" : "plugin:chat");
    }
    assertThat(names()).hasSize(HostGuards.HOSTS_MAX + 1);
    time.advance(HostGuards.IDLE_MAX.plusSeconds(1));
    assertThat(ask("https://h999.example.org")).isEqualTo("plugin:chat:h999.example.org");
    assertThat(names()).containsExactly("plugin:chat:h999.example.org");
  }

  @Test
  void aGuardThatNobodyUsesLeavesNothingBehind() throws Exception {
    breakDown(FILES);
    String _ = ask(CHAT);
    time.advance(HostGuards.IDLE_MAX.plusSeconds(1));
    guards.forgetIdle();
    assertThat(names()).isEmpty();
    assertThat(meters.getMeters()).isEmpty();
    assertThat(time.timers()).isZero();
  }

  @Test
  void aPauseThatLastsIsNotForgotten() {
    Failure busy =
        Failure.of(FailureCode.RATE_LIMITED, "busy").withRetryAfter(Duration.ofMinutes(20));
    assertThat(failing(FILES, busy)).isEqualTo(FailureCode.RATE_LIMITED);
    time.advance(Duration.ofMinutes(19));
    guards.forgetIdle();
    assertThat(all.longHolds()).hasSize(1);
    time.advance(Duration.ofMinutes(2));
    guards.forgetIdle();
    assertThat(names()).isEmpty();
  }

  @Test
  void aGuardStaysForAsLongAsACallBehindItTakes() throws Exception {
    String name =
        guards.call(
            CHAT,
            guard -> {
              time.advance(Duration.ofHours(1));
              guards.forgetIdle();
              assertThat(names()).containsExactly(guard.name());
              guards.close();
              assertThat(names()).as("of a plugin that is gone").containsExactly(guard.name());
              return guard.name();
            });
    assertThat(names()).doesNotContain(name).isEmpty();
    assertThat(ask(FILES)).as("what it does at its end").endsWith("files.example.org");
    assertThat(names()).isEmpty();
    assertThat(meters.getMeters()).isEmpty();
  }

  @Test
  void theSettingsOfThePluginCountForItsHostsUnlessOneHasItsOwn() throws Exception {
    BreakerSettings one = new BreakerSettings(1, 1, Duration.ofSeconds(1), Duration.ofSeconds(1));
    BreakerSettings two = new BreakerSettings(2, 1, Duration.ofSeconds(1), Duration.ofSeconds(1));
    Guards configured =
        guards(
            new GuardsConfig(
                BreakerSettings.DEFAULT,
                Map.of("plugin:set", one, "plugin:set:files.example.org", two)));
    HostGuards hosts = new HostGuards("set", configured, time);
    for (String url : List.of(CHAT, FILES)) {
      CallFailedException _ =
          catchThrowableOfType(
              CallFailedException.class,
              () ->
                  hosts.call(
                      url,
                      guard ->
                          guard.probe(
                              Deadline.in(time, Duration.ofSeconds(30)),
                              () -> {
                                throw new CallFailedException(
                                    Failure.of(FailureCode.NETWORK, "refused"));
                              })));
    }
    assertThat(configured.breakers())
        .extracting(BreakerView::state)
        .containsExactly("open", "closed");
  }
}
