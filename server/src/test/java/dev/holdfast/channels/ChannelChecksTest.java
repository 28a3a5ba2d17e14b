package dev.holdfast.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.Use;
import dev.holdfast.time.SystemTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ChannelChecksTest {
  private static final List<String> ACCOUNTS = List.of("a", "b", "c");

  private final Channels channels = new Channels(List.of());

  /** What the channel does when it is asked of an account. */
  private interface Check {
    List<ChannelCheck> of(String account) throws Exception;
  }

  private record Checked(Check check) implements ChannelAdapter {
    @Override
    public String channel() {
      return "checked";
    }

    @Override
    public Set<String> accounts() {
      return Set.copyOf(ACCOUNTS);
    }

    @Override
    public List<ChannelCheck> check(String account) throws InterruptedException {
      try {
        return check.of(account);
      } catch (InterruptedException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public int textUnitsMax() {
      return 100;
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

  private Map<String, List<ChannelCheck>> ask(Duration limit, Check check) throws Exception {
    Registration added = channels.add(new Checked(check), Instant.EPOCH);
    try (Use<Channel> use = channels.begin("checked").orElseThrow()) {
      // Real time: it interrupts threads.
      return new ChannelChecks(limit, new SystemTime()).ask(use, ACCOUNTS);
    } finally {
      added.remove();
      assertThat(added.awaitEnd(Duration.ofSeconds(5))).as("nothing of it is in use").isTrue();
    }
  }

  @Test
  void allAccountsAreAskedSideBySideAndAnsweredInTheirOrder() throws Exception {
    CyclicBarrier all = new CyclicBarrier(ACCOUNTS.size());
    Map<String, List<ChannelCheck>> said =
        ask(
            Duration.ofSeconds(20),
            account -> {
              all.await(10, TimeUnit.SECONDS);
              return List.of(ChannelCheck.met("the token of " + account + " is valid"));
            });
    assertThat(said.keySet()).containsExactly("a", "b", "c");
    assertThat(said.get("b")).containsExactly(ChannelCheck.met("the token of b is valid"));
  }

  @Test
  void oneThatHangsOrThrowsIsAnUnmetCheckAndTheOthersAreAnswered() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    Map<String, List<ChannelCheck>> said =
        ask(
            Duration.ofMillis(500),
            account ->
                switch (account) {
                  case "a" -> {
                    try {
                      yield hang();
                    } finally {
                      interrupted.countDown();
                    }
                  }
                  case "b" -> throw new IllegalStateException("first line\nat its.own.Code");
                  default -> List.of(ChannelCheck.met("fine"));
                });
    assertThat(interrupted.await(5, TimeUnit.SECONDS)).isTrue();
    assertThat(said.get("a"))
        .singleElement()
        .matches(check -> !check.isMet())
        .extracting(ChannelCheck::remedy)
        .asString()
        .contains("did not answer within 0 s");
    assertThat(said.get("b"))
        .singleElement()
        .matches(check -> !check.isMet())
        .extracting(ChannelCheck::remedy)
        .asString()
        .contains("first line")
        .doesNotContain("its.own.Code");
    assertThat(said.get("c")).containsExactly(ChannelCheck.met("fine"));
  }

  private static List<ChannelCheck> hang() throws InterruptedException {
    new CountDownLatch(1).await();
    return List.of();
  }

  @Test
  void noMoreThanAHundredAreTold() throws Exception {
    Map<String, List<ChannelCheck>> said =
        ask(
            Duration.ofSeconds(20),
            _ -> Collections.nCopies(1000, ChannelCheck.met("one of many")));
    assertThat(said.get("a")).hasSize(100);
  }
}
