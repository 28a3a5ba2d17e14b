package dev.holdfast.tests.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.WebhookSender;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stranger becomes somebody who is answered, and nobody again. */
@Timeout(240)
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/access",
      "server/src/main/java/dev/holdfast/channels"
    })
class PairingTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Pattern CODE = Pattern.compile("holdfast pair approve ([2-9A-Z]{8}) ");
  private static final String ALICE = "alice"; // as WebhookSender writes

  @AutoClose private ServerRig rig;
  private WebhookSender sender;

  @BeforeEach
  void open() throws IOException {
    rig = new ServerRig();
    Path plugins = rig.folder().resolve("plugins");
    rig.setup()
        .set("server.plugins_dir", plugins.toString())
        .set("channels.relay.secret", ServerRig.SECRET)
        .set("channels.relay.reply_url", rig.platform().replyUrl())
        .set("channels.relay.judged", true)
        .set("channels.relay.strangers", "pair")
        .set("channels.relay.person_per_minute", 20);
    CompiledPlugin.ofResource("relay", "Relay").into(plugins);
    rig.start();
    sender = new WebhookSender(rig.setup().url("/webhooks/relay/main"), ServerRig.SECRET);
  }

  /** While its plugin is being loaded the channel is unknown. */
  private void send(String id, String text) {
    Await.until(
        id + " is taken",
        LIMIT,
        () -> {
          Answer answer = sender.send(id, "t1", text);
          assertThat(answer.status()).isIn(200, 404, 503);
          return answer.isAccepted();
        });
  }

  private String answerTo(String id) {
    send(id, "echo " + id);
    return rig.platform().awaitPost(id, LIMIT).text();
  }

  private HoldfastCommand.Result pair(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "pair";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return HoldfastCommand.run(rig.setup(), all);
  }

  private long accepted() throws IOException {
    return rig.api().status().path("counts").path("accepted").asLong();
  }

  private static String code(String told) {
    Matcher code = CODE.matcher(told);
    assertThat(code.find()).as(told).isTrue();
    return code.group(1);
  }

  @Test
  void aStrangerIsAnsweredFromTheApprovalToItsEndAlsoAfterACrash() throws Exception {
    send("m1", "secret words of a stranger");
    String told = rig.platform().awaitPost("m1", LIMIT).text();
    String code = code(told);
    assertThat(accepted()).as("nothing of a stranger is taken").isZero();
    assertThat(rig.api().status().path("pairings_pending").asInt()).isOne();
    assertThat(HoldfastCommand.run(rig.setup(), "status").out())
        .contains("1 waiting to be let in; see holdfast pair list");
    JsonNode pending = pair("list", "--json").json().path("pending").path(0);
    assertThat(pending.path("account").asText()).isEqualTo("relay:main");
    assertThat(pending.path("sender").asText()).isEqualTo(ALICE);
    assertThat(pending.toString()).doesNotContain(code);

    HoldfastCommand.Result approved = pair("approve", code);
    assertThat(approved.exitCode()).as(approved.err()).isZero();
    assertThat(approved.out()).contains("relay:main alice is answered from now on");
    rig.platform().awaitText("m1", "You are connected now.", LIMIT);
    assertThat(answerTo("m2")).contains("echo m2");
    HoldfastCommand.Result again = pair("approve", code);
    assertThat(again.exitCode()).isNotZero();
    assertThat(again.err()).contains("no such code, or it has expired");

    rig.restart();
    assertThat(answerTo("m3")).contains("echo m3");
    assertThat(pair("list").out()).contains("relay:main", ALICE, "paired", "token:");

    assertThat(pair("revoke", "relay:main", ALICE).exitCode()).isZero();
    long before = accepted();
    send("m4", "am I heard?");
    String next = code(rig.platform().awaitPost("m4", LIMIT).text());
    assertThat(next).isNotEqualTo(code);
    assertThat(accepted()).isEqualTo(before);
    assertThat(pair("revoke", "relay:main", "nobody").exitCode()).isNotZero();
    HoldfastCommand.Result audit = HoldfastCommand.run(rig.setup(), "audit", "list", "--json");
    assertThat(audit.out()).contains("pairing.approved", "pairing.revoked");
    guessesAreRefusedAfterTenAndNeverPair(next);
  }

  private void guessesAreRefusedAfterTenAndNeverPair(String code) throws IOException {
    assertThat(approve("hunter2").status()).as("it has no such shape").isEqualTo(400);
    for (char last : "23456789AB".toCharArray()) {
      assertThat(approve("ABCDEFG" + last).status()).isEqualTo(404);
    }
    Answer refused = approve(code);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(Integer.parseInt(refused.header("retry-after"))).isBetween(3000, 3600);
    assertThat(refused.body()).contains("RATE_LIMITED").doesNotContain(code);
    assertThat(rig.metrics().sum("holdfast_pairings_total", "outcome=\"wrong_code\""))
        .isEqualTo(10);
    assertThat(rig.api().get("/api/v1/pairings").json().path("paired")).isEmpty();
  }

  private Answer approve(String code) throws IOException {
    return rig.api().post("/api/v1/pairings/approve", Map.of("code", code));
  }
}
