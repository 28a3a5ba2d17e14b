package dev.holdfast.matrix;

import static dev.holdfast.matrix.MatrixRig.ANN;
import static dev.holdfast.matrix.MatrixRig.ME;
import static dev.holdfast.matrix.MatrixRig.ROOM;
import static dev.holdfast.matrix.MatrixRig.member;
import static dev.holdfast.matrix.MatrixRig.refused;
import static dev.holdfast.matrix.MatrixRig.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionIntakeTest {
  private static final String HS_TOKEN = "secret-of-the-homeserver";
  private static final String BEARER = "Bearer " + HS_TOKEN;
  private static final String PATH = "_matrix/app/v1/transactions/17";
  @TempDir private Path folder;

  private MatrixRig rig() {
    return new MatrixRig(
        Map.of("mode", "appservice", "hs_token", HS_TOKEN, "allow", Map.of("users", List.of(ANN))),
        folder);
  }

  private static WebhookVerdict receive(
      MatrixRig rig, String method, String path, Map<String, List<String>> headers, String body)
      throws Exception {
    return rig.channel()
        .receive(
            new WebhookRequest(
                method,
                "main",
                path,
                headers,
                Map.of("access_token", List.of(HS_TOKEN)),
                body.getBytes(StandardCharsets.UTF_8),
                Instant.EPOCH));
  }

  private static WebhookVerdict put(MatrixRig rig, String body) throws Exception {
    return receive(rig, "PUT", PATH, Map.of("authorization", List.of(BEARER)), body);
  }

  private static String transaction(String... events) {
    return "{\"events\":["
        + String.join(",", events).replace("{\"type\"", "{\"room_id\":\"" + ROOM + "\",\"type\"")
        + "]}";
  }

  private static List<InboundMessage> messages(WebhookVerdict verdict) {
    assertThat(verdict).isInstanceOf(WebhookVerdict.Messages.class);
    return ((WebhookVerdict.Messages) verdict).messages();
  }

  @Test
  void aTransactionBringsMessages() throws Exception {
    try (MatrixRig rig = rig()) {
      assertThat(rig.channel().listens()).isEmpty();
      assertThat(rig.channel().hasWebhookPaths()).isTrue();
      WebhookVerdict verdict = put(rig, transaction(text("a", "one"), text("b", "two")));
      assertThat(messages(verdict)).extracting(InboundMessage::text).containsExactly("one", "two");
      assertThat(((WebhookVerdict.Messages) verdict).answer()).isEmpty();
    }
  }

  @Test
  void aTransactionThatComesAgainHasTheSameKeys() throws Exception {
    try (MatrixRig rig = rig()) {
      String again = transaction(text("a", "one"));
      assertThat(messages(put(rig, again))).isEqualTo(messages(put(rig, again)));
      assertThat(messages(put(rig, again)).getFirst().dedupeKey()).isEqualTo(ROOM + "|$a");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "bearer secret-of-the-homeserver",
        "Bearer secret-of-the-homeserver ",
        "Bearer secret-of-the-homeserver1",
        "secret-of-the-homeserver",
        "Bearer syt_canary-of-a-token"
      })
  void whoeverDoesNotHaveTheTokenIsRefused(String authorization) throws Exception {
    try (MatrixRig rig = rig()) {
      for (String path : List.of(PATH, "_matrix/app/v1/ping", "_matrix/app/v1/users/@x:y", "")) {
        WebhookVerdict verdict =
            receive(
                rig, "PUT", path, Map.of("authorization", List.of(authorization)), transaction());
        assertThat(verdict).isInstanceOf(WebhookVerdict.Refused.class);
        assertThat(verdict.toString()).doesNotContain(HS_TOKEN);
      }
    }
  }

  @Test
  void theTokenInTheAddressAndTwoTokensAreNotBelieved() throws Exception {
    try (MatrixRig rig = rig()) {
      assertThat(receive(rig, "PUT", PATH, Map.of(), transaction()))
          .isInstanceOf(WebhookVerdict.Refused.class);
      Map<String, List<String>> two = Map.of("authorization", List.of(BEARER, "Bearer x"));
      assertThat(receive(rig, "PUT", PATH, two, transaction()))
          .isInstanceOf(WebhookVerdict.Refused.class);
    }
  }

  @Test
  void anAccountThatListensTakesNothingSent() throws Exception {
    Map<String, ?> keys = Map.of("hs_token", HS_TOKEN);
    try (MatrixRig rig = new MatrixRig(keys, folder)) {
      assertThat(put(rig, transaction(text("a", "one"))))
          .isInstanceOf(WebhookVerdict.NoAccount.class);
    }
  }

  @Test
  void aPingIsAnsweredAndNobodyIsThere() throws Exception {
    Map<String, List<String>> signed = Map.of("authorization", List.of(BEARER));
    try (MatrixRig rig = rig()) {
      assertThat(receive(rig, "POST", "_matrix/app/v1/ping", signed, "{}"))
          .isEqualTo(new WebhookVerdict.Answer(200, "application/json", "{}"));
      for (String path : List.of("users/%40x%3Ay", "rooms/%23x%3Ay", "thirdparty/user")) {
        assertThat(receive(rig, "GET", "_matrix/app/v1/" + path, signed, "").toString())
            .contains("404", "M_NOT_FOUND");
      }
      for (String path : List.of("", "transactions/1", PATH + "/more", "_matrix/app/v1/x")) {
        assertThat(receive(rig, "PUT", path, signed, transaction(text("a", "x"))).toString())
            .contains("404", "M_UNRECOGNIZED");
      }
    }
  }

  @Test
  void whatIsNoTransactionIsNotUnderstood() throws Exception {
    try (MatrixRig rig = rig()) {
      for (String body : List.of("", "[]", "{", "null", "{\"events\":[]}x")) {
        assertThat(put(rig, body)).isInstanceOf(WebhookVerdict.Unparsable.class);
      }
      assertThat(messages(put(rig, "{\"events\":7}"))).isEmpty();
      assertThat(messages(put(rig, "{\"events\":[1,null,{}]}"))).isEmpty();
    }
  }

  @Test
  void aTransactionOfTooManyValuesHoldsUpNoOther() throws Exception {
    try (MatrixRig rig = rig()) {
      String large = "{\"events\":[" + "1,".repeat(150_000) + "1]}";
      assertSkipped(rig, large, "it has more than 100,000 values");
    }
  }

  private static void assertSkipped(MatrixRig rig, String body, String why) throws Exception {
    assertThat(put(rig, body))
        .as("else it would come again for ever, and nothing behind it")
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.UNREADABLE)));
    assertThat(rig.context().warnings())
        .anyMatch(line -> line.contains("skipped") && line.contains(why));
  }

  @Test
  void aTransactionThatIsNoJsonInsideHoldsUpNoOther() throws Exception {
    try (MatrixRig rig = rig()) {
      assertSkipped(rig, "{\"events\":[{]}", "no name of a member begins at character 13");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.holdfast.matrix.MatrixRig#oddValues")
  void anEventThatJsonDoesNotAllowCostsItselfAtMost(String odd) throws Exception {
    try (MatrixRig rig = rig()) {
      String bad = MatrixRig.message("b", ANN, "\"msgtype\":\"m.text\",\"body\":" + odd);
      assertThat(messages(put(rig, transaction(text("a", "before"), bad, text("c", "behind")))))
          .extracting(InboundMessage::text)
          .contains("before", "behind");
      assertThat(rig.context().warnings()).isEmpty();
    }
  }

  @Test
  void aDeepEventDoesNotHideTheOthers() throws Exception {
    try (MatrixRig rig = rig()) {
      String deep = MatrixRig.message("a", ANN, "\"x\":" + "[".repeat(30_000) + "]".repeat(30_000));
      assertThat(messages(put(rig, transaction(deep, text("b", "hello")))))
          .extracting(InboundMessage::text)
          .containsExactly("hello");
    }
  }

  @Test
  void ownMessagesAreDroppedAndInvitationsAccepted() throws Exception {
    try (MatrixRig rig = rig()) {
      String own = MatrixRig.message("a", ME, "\"msgtype\":\"m.text\",\"body\":\"echo\"");
      WebhookVerdict verdict =
          put(
              rig,
              transaction(
                  own, member(ANN, ME, "invite"), member("@eve:evil.example", ME, "invite")));
      assertThat(((WebhookVerdict.Messages) verdict).dropped())
          .containsExactly(DropReason.OWN_ECHO, DropReason.NOT_ALLOWED);
      rig.context().job("matrix-invitations").run();
      assertThat(rig.asked(MatrixRig.JOIN)).hasSize(1);
    }
  }

  @Test
  void whatCannotBeJudgedNowHasToComeAgain() throws Exception {
    try (MatrixRig rig = rig()) {
      rig.next("whoami", refused(502, ""));
      assertThat(put(rig, transaction(text("a", "one"))).toString()).contains("503");
      rig.context().advance(Duration.ofSeconds(3));
      rig.next(MatrixRig.MEMBERS, refused(502, ""));
      assertThat(put(rig, transaction(text("a", "one"))).toString()).contains("503");
      assertThat(messages(put(rig, transaction(text("a", "one"))))).hasSize(1);
    }
  }
}
