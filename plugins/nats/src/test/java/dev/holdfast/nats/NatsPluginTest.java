package dev.holdfast.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.FakeContext;
import dev.holdfast.kit.testing.PlainHttp;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NatsPluginTest {
  @TempDir private Path folder;

  private static String problems(Map<String, ?> account) {
    FakeConfig config = new FakeConfig(account);
    NatsAccount _ = NatsAccount.read(config, "main");
    assertThat(config.unread()).isEmpty();
    return config.problems().toString();
  }

  @Test
  void withoutAnyKeyItListensOnThisMachine() throws Exception {
    FakeContext context = new FakeContext(new PlainHttp()).stateFolder(folder);
    NatsPlugin plugin = new NatsPlugin();
    plugin.start(context);
    ChannelAdapter channel = context.channels().getFirst();
    assertThat(channel.accounts()).containsExactly("main");
    assertThat(channel.listens()).containsOnlyKeys("main");
    assertThat(channel.access())
        .hasEntrySatisfying("main", access -> assertThat(access.users()).isEmpty());
    plugin.stop();
  }

  @Test
  void nobodyIsAskedInPlainTextAcrossANetwork() {
    assertThat(problems(Map.of("servers", List.of("nats://127.0.0.1:4222")))).isEqualTo("[]");
    assertThat(problems(Map.of("servers", List.of("nats://ann:canary@nats.example.org:4222"))))
        .contains("without TLS", "***@nats.example.org", "trusted_network: true")
        .doesNotContain("canary");
    assertThat(problems(Map.of("servers", List.of("tls://nats.example.org:4222"))))
        .contains("without credentials");
    assertThat(problems(Map.of("servers", List.of("tls://ann:pw@nats.example.org:4222"))))
        .isEqualTo("[]");
    assertThat(problems(Map.of("servers", List.of("tls://nats.example.org"), "creds", "bot.creds")))
        .isEqualTo("[]");
    assertThat(
            problems(Map.of("servers", List.of("nats://10.0.0.7:4222"), "trusted_network", true)))
        .isEqualTo("[]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1",
        "127.0.0.1:4222",
        "nats://",
        "nats://a b",
        "nats://127.0.0.1:99999"
      })
  void whatIsNoAddressIsNamed(String server) {
    assertThat(problems(Map.of("servers", List.of(server)))).contains("servers must be addresses");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"CANARY/CANARY", "CANARY@CANARY", "CANARY@C/CANARY", "1/CANARY", "CANARY CANARY"})
  void aPasswordThatMustBeEncodedIsNotShown(String password) {
    assertThat(
            problems(
                Map.of("servers", List.of("tls://ann:" + password + "@nats.example.org:4222"))))
        .contains("servers must be addresses", "%2F for /")
        .doesNotContain("CANARY");
    assertThat(problems(Map.of("servers", List.of("ann:" + password + "@nats.example.org"))))
        .contains("got ***@nats.example.org")
        .doesNotContain("CANARY");
  }

  @Test
  void anAnswerNeverBecomesAMessage() {
    assertThat(problems(Map.of("subject", "ask.>", "reply_subject", "ask.answers")))
        .contains("reply_subject must not be below subject");
    for (String subject : List.of(">", "*.ask", "holdfast.inbound.>", "$JS.>", "a..b")) {
      assertThat(problems(Map.of("subject", subject))).contains("subject must be");
    }
    assertThat(problems(Map.of("reply_subject", "$JS.ACK.x"))).contains("reply_subject must be");
  }

  @Test
  void namesAreThoseThatNatsTakes() {
    assertThat(problems(Map.of("stream", "a.b", "durable", "", "reply_allow", List.of("a b"))))
        .contains("stream must have", "durable must have", "reply_allow must be");
    assertThat(problems(Map.of("reply_allow", List.of("answers.>", "$JS.>"))))
        .contains("reply_allow must be");
  }

  @Test
  void otherAgentsAreAnsweredOnlyIfTheOperatorSaysSo() {
    assertThat(NatsRig.account(Map.of()).access().botsPerMinute()).isZero();
    assertThat(NatsRig.account(Map.of("bots_per_minute", 5)).access().botsPerMinute()).isEqualTo(5);
    assertThat(problems(Map.of("bots_per_minute", -1))).contains("bots_per_minute must be");
  }

  @Test
  void theCheckNamesWhoIsAllowedInVain() throws Exception {
    assertThat(firstCheck(List.of("*"), false).what()).contains("can be reached");
    assertThat(firstCheck(List.of("*", "ask.billing"), false).isMet()).isTrue();
    assertThat(firstCheck(List.of("billing"), true).what()).contains("can be reached");
    for (String user : List.of("billing", "ask.*", "ask.>", "ask")) {
      assertThat(firstCheck(List.of("ask.billing", user), false).remedy())
          .startsWith(user + " is none");
    }
  }

  private static ChannelCheck firstCheck(List<String> users, boolean isTrusted) throws Exception {
    NatsAccount account =
        NatsRig.account(
            Map.of(
                "servers",
                List.of("nats://127.0.0.1:1"),
                "allow",
                Map.of("users", users),
                "trust_headers",
                isTrusted));
    try (NatsLink link = new NatsLink(account)) {
      return NatsChecks.of(account, link).getFirst();
    }
  }

  @Test
  void aServerThatIsNotThereIsNamedByTheCheck() throws Exception {
    NatsAccount account =
        NatsRig.account(Map.of("servers", List.of("nats://ann:canary@127.0.0.1:1")));
    try (NatsLink link = new NatsLink(account)) {
      ChannelCheck check = NatsChecks.of(account, link).getFirst();
      assertThat(check.isMet()).isFalse();
      assertThat(check.what() + check.remedy())
          .contains("127.0.0.1:1", "cannot be reached")
          .doesNotContain("canary");
    }
    assertThat(account.toString()).isEqualTo("NatsAccount[main]");
  }
}
