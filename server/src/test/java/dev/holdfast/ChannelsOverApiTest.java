package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.registry.Registration;
import dev.holdfast.time.TimedWait;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code /api/v1/channels} of a real server: one account listens, another's token is refused. */
@Timeout(60)
class ChannelsOverApiTest {
  private static final String CONFIG =
      """
      http: {port: 0, public_url: "https://bot.example.org"}
      metrics: {port: 0}
      models: {levels: {operational: [embedded/echo]}}
      """;

  @TempDir Path folder;

  private static final class Chat implements ChannelAdapter {
    @Override
    public String channel() {
      return "chat";
    }

    @Override
    public Set<String> accounts() {
      return Set.of("good", "revoked", "hook");
    }

    @Override
    public Map<String, ListenSpec> listens() {
      return Map.of(
          "good", new ListenSpec("token one", Duration.ofMinutes(1)),
          "revoked", new ListenSpec("token two", Duration.ofMinutes(1)));
    }

    @Override
    public void listen(String account, MessageSink sink) throws Exception {
      if (account.equals("revoked")) {
        throw new CallFailedException(Failure.of(FailureCode.AUTH, "the token two was refused"));
      }
      sink.received();
      new CountDownLatch(1).await();
    }

    @Override
    public List<ChannelCheck> check(String account) {
      return List.of(
          account.equals("revoked")
              ? ChannelCheck.missing("the token is valid", "Ask the platform for another.")
              : ChannelCheck.met("the token is valid"));
    }

    @Override
    public int textUnitsMax() {
      return 1000;
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

  private static JsonObject account(JsonArray all, String account) {
    return all.stream()
        .map(JsonObject.class::cast)
        .filter(each -> each.getString("account").equals(account))
        .findFirst()
        .orElseThrow();
  }

  private static JsonArray accounts(Server server) {
    try {
      return new JsonObject(ServerRunner.get(server, "/api/v1/channels").body())
          .getJsonArray("channels").stream()
              .map(JsonObject.class::cast)
              .filter(each -> each.getString("name").equals("chat"))
              .findFirst()
              .orElseThrow()
              .getJsonArray("accounts");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonArray checked(Server server, String path) throws Exception {
    return new JsonObject(ServerRunner.post(server, path, "{}").body()).getJsonArray("accounts");
  }

  @Test
  void channelsAreListedAndCheckedAsTheConditionsSayToo() throws Exception {
    Server server = new ServerRunner(folder, CONFIG).start(new Opened(_ -> {}));
    try {
      Registration added = server.channels().add(new Chat(), ServerRunner.TIME.now());
      TimedWait.until(
          "both listeners have begun",
          () ->
              account(accounts(server), "good").getString("state").equals("receiving")
                  && account(accounts(server), "revoked").getString("state").equals("waiting"));
      JsonObject revoked = account(accounts(server), "revoked");
      assertThat(revoked.getJsonObject("listener").getString("failure")).isEqualTo("AUTH");
      assertThat(revoked.getJsonObject("listener").getLong("restarts")).isEqualTo(1);
      assertThat(revoked.getJsonObject("listener").getString("next_attempt_at")).isNotNull();
      assertThat(revoked.encode()).doesNotContain("token two");
      JsonObject good = account(accounts(server), "good").getJsonObject("listener");
      assertThat(good.getString("received_at")).isNotNull();
      assertThat(account(accounts(server), "hook").getString("url"))
          .isEqualTo("https://bot.example.org/webhooks/chat/hook");

      JsonArray all = checked(server, "/api/v1/channels/chat/check");
      assertThat(account(all, "good").getJsonArray("checks"))
          .allMatch(check -> ((JsonObject) check).getBoolean("met"));
      assertThat(account(all, "revoked").getJsonArray("checks"))
          .filteredOn(check -> !((JsonObject) check).getBoolean("met"))
          .hasSize(2)
          .allMatch(check -> !((JsonObject) check).getString("step").isEmpty());
      TimedWait.until(
          "the conditions agree", () -> conditions(server).contains("listener/chat:revoked"));
      assertThat(conditions(server)).doesNotContain("listener/chat:good");

      assertThat(checked(server, "/api/v1/channels/chat/check?account=hook")).hasSize(1);
      assertThat(
              ServerRunner.post(server, "/api/v1/channels/chat/check?account=no", "{}")
                  .statusCode())
          .isEqualTo(404);
      assertThat(ServerRunner.post(server, "/api/v1/channels/no/check", "{}").statusCode())
          .isEqualTo(404);
      added.remove();
      assertThat(added.awaitEnd(Duration.ofSeconds(20))).isTrue();
    } finally {
      server.stop(() -> true);
    }
  }

  private static String conditions(Server server) {
    try {
      return ServerRunner.get(server, "/api/v1/conditions").body();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
