package dev.holdfast.ingress.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.IngressCase;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import dev.holdfast.registry.Registration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebhooksTest extends IngressCase {
  private static final String PATH = "/webhooks/webhook/ci";
  private static final String SIGNED = "x-sign: ok";

  @Test
  void aSignedMessageIsCommittedThenAnswered() throws Exception {
    CompletableFuture<String> commit = new CompletableFuture<>();
    rig.inbox.gate = commit;
    try (Raw raw = rig.raw()) {
      raw.send(Raw.request("POST", PATH, "t1|hi|m1", SIGNED));
      raw.send("");
      assertThat(rig.inbox.events).isEmpty();
      commit.complete("done");
      Raw.Answer answer = raw.answer();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("{}");
    }
    assertThat(rig.inbox.events).hasSize(1);
    assertThat(rig.inbox.events.getFirst().threadId()).isEqualTo("webhook:ci:t1");
    assertThat(rig.count("holdfast.events", "channel", "webhook", "outcome", "accepted")).isOne();
  }

  /** S5: the same request a hundred times at once is one event, and each sender hears 2xx. */
  @Test
  void aRedeliveryIsAcknowledgedAndNothingElse() throws Exception {
    List<Callable<Integer>> senders = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      senders.add(() -> rig.post(PATH, "t1|hi|m1", SIGNED).status());
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Integer> sent : threads.invokeAll(senders)) {
        assertThat(sent.get()).isEqualTo(200);
      }
    }
    assertThat(rig.inbox.events).hasSize(1);
    assertThat(rig.count("holdfast.events", "channel", "webhook", "outcome", "duplicate"))
        .isEqualTo(99);
  }

  /** A platform that hears 404 gives the address up; 503 makes it send again. */
  @Test
  void aChannelThatIsAbsentForNowIsToldFromOneThatNeverWas() throws Exception {
    String path = "/webhooks/late/ci";
    assertThat(rig.post(path, "t1|hi|m1", SIGNED).status()).isEqualTo(404);
    Registration added = rig.channels.add(new IngressRig.FakeAdapter("late"), rig.time.now());
    assertThat(rig.post(path, "t1|hi|m1", SIGNED).status()).isEqualTo(200);
    added.remove();
    assertThat(rig.post(path, "t1|hi|m2", SIGNED).status()).isEqualTo(503);
    Registration _ = rig.channels.add(new IngressRig.FakeAdapter("late"), rig.time.now());
    assertThat(rig.post(path, "t1|hi|m2", SIGNED).status()).isEqualTo(200);
    assertThat(rig.inbox.events).hasSize(2);
  }

  /** Its code is foreign: an event loop that ran it would stand still with it. */
  @Test
  void anAddedChannelIsNeverCalledOnAnEventLoop() throws Exception {
    Registration _ = rig.channels.add(new IngressRig.FakeAdapter("late"), rig.time.now());
    assertThat(rig.post("/webhooks/late/ci", "thread?", SIGNED).body()).startsWith("receive-late");
    assertThat(rig.post(PATH, "thread?", SIGNED).body()).startsWith("vert.x-eventloop");
    assertThat(rig.post("/webhooks/late/ci", "boom", SIGNED).status()).isEqualTo(500);
    assertThat(rig.post("/webhooks/late/ci", "t1|" + "x".repeat(900_000) + "|m1", SIGNED).status())
        .isEqualTo(200);
  }

  /** Slash commands are forms, and some platforms speak XML; its signature tells whose it is. */
  @Test
  void anAddedChannelReceivesWhateverItsPlatformSends() throws Exception {
    Registration _ = rig.channels.add(new IngressRig.FakeAdapter("late"), rig.time.now());
    for (String type : List.of("application/x-www-form-urlencoded", "text/xml; charset=utf-8")) {
      String head = "x-sign: ok\r\nContent-Type: " + type;
      assertThat(rig.send(typed("/webhooks/late/ci", head)).status()).isEqualTo(200);
      assertThat(rig.send(typed(PATH, head)).status()).isEqualTo(415);
      assertThat(rig.send(typed("/webhooks/late/ci", "Content-Type: " + type)).status())
          .isEqualTo(401);
    }
  }

  private static String typed(String path, String head) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n"
        + head
        + "\r\n\r\nt1|hi|m1";
  }

  /** A homeserver of Matrix puts its transactions below the address that it was told. */
  @Test
  void aChannelMayHavePathsBelowItsAccountsAndTakePut() throws Exception {
    Registration _ = rig.channels.add(new IngressRig.FakeAdapter("paths"), rig.time.now());
    Registration _ = rig.channels.add(new IngressRig.FakeAdapter("late"), rig.time.now());
    String below = "/_matrix/app/v1/transactions/a%20b?x=1";
    assertThat(put("/webhooks/paths/ci" + below, "path?").body())
        .isEqualTo("PUT _matrix/app/v1/transactions/a%20b");
    assertThat(rig.post("/webhooks/paths/ci", "path?", SIGNED).body()).isEqualTo("POST ");
    assertThat(put("/webhooks/paths/ci" + below, "t1|hi|m1").body()).isEqualTo("{}");
    assertThat(rig.inbox.events).hasSize(1);
    assertThat(put("/webhooks/paths/other" + below, "path?").status()).isEqualTo(401);
    assertThat(put("/webhooks/paths//x", "path?").status()).isEqualTo(400);
    assertThat(put("/webhooks/late/ci", "path?").status()).isEqualTo(405);
    assertThat(rig.post("/webhooks/late/ci/more", "path?", SIGNED).status()).isEqualTo(404);
    assertThat(rig.send(Raw.request("DELETE", "/webhooks/paths/ci/x", "", SIGNED)).status())
        .isEqualTo(405);
  }

  private Raw.Answer put(String path, String body) throws Exception {
    return rig.send(Raw.request("PUT", path, body, SIGNED));
  }

  /** S1: without a believable signature nothing happens, and the answer gives no reason. */
  @Test
  void anUnsignedMessageIsRefusedWithoutAReason() throws Exception {
    Raw.Answer answer = rig.post(PATH, "t1|hi|m1");
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.body()).doesNotContain("signature");
    assertThat(rig.inbox.events).isEmpty();
    assertThat(rig.count("holdfast.events", "channel", "webhook", "outcome", "refused")).isOne();
  }

  @Test
  void everyVerdictHasItsStatus() throws Exception {
    assertThat(rig.post(PATH, "junk", SIGNED).status()).isEqualTo(400);
    assertThat(rig.post("/webhooks/webhook/other", "t|x|m", SIGNED).status()).isEqualTo(401);
    assertThat(rig.post("/webhooks/webhook", "t|x|m", SIGNED).status()).isEqualTo(401);
    assertThat(rig.post("/webhooks/nothing/ci", "t|x|m", SIGNED).status()).isEqualTo(404);
    assertThat(rig.post("/webhooks/webhook/ci/more", "t|x|m", SIGNED).status()).isEqualTo(404);
    assertThat(rig.post(PATH, "hello?", SIGNED).body()).isEqualTo("hello!");
    assertThat(rig.send(Raw.request("DELETE", PATH, "", SIGNED)).status()).isEqualTo(405);
    assertThat(rig.inbox.events).isEmpty();
  }

  /** Who guesses does not learn which accounts there are, and takes nothing with a body. */
  @Test
  void anUnknownAccountIsRefusedBeforeItsBodyInTheWordsOfAWrongSignature() throws Exception {
    String head =
        "POST /webhooks/webhook/other HTTP/1.1\r\nHost: localhost\r\nx-correlation-id: c\r\n"
            + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    Raw.Answer unknown = rig.send(head);
    Raw.Answer unsigned = rig.post(PATH, "t1|hi|m1", "x-correlation-id: c");
    assertThat(unknown.status()).isEqualTo(401);
    assertThat(unknown.body()).isEqualTo(unsigned.body());
    assertThat(unknown.headers()).isEqualTo(unsigned.headers());
  }

  /** The sender is told what it sent, and what it may send. */
  @Test
  void aMessageOfAnUnknownTypeIs422() throws Exception {
    Raw.Answer answer = rig.post(PATH, "martian", SIGNED);
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body())
        .contains(
            "UNKNOWN_MESSAGE_TYPE",
            "\"details\":{\"received\":\"martian\",\"supported\":[\"message\"]}",
            "correlation_id");
    assertThat(rig.inbox.events).isEmpty();
  }

  /** Large ones are read beside the event loop; their order among themselves is their sender's. */
  @Test
  void largeBodiesAreTakenInToo() throws Exception {
    assertThat(rig.post(PATH, "t1|" + "x".repeat(900_000) + "|m1", SIGNED).status()).isEqualTo(200);
    assertThat(rig.post(PATH, "x".repeat(900_000), SIGNED).status()).isEqualTo(400);
    assertThat(rig.post(PATH, "t1|" + "x".repeat(900_000) + "|m2").status()).isEqualTo(401);
    assertThat(rig.inbox.events).hasSize(1);
  }

  @Test
  void aMessageOfNothingIsAcknowledgedAndFiltered() throws Exception {
    assertThat(rig.post(PATH, "t1|  |m1", SIGNED).status()).isEqualTo(200);
    assertThat(rig.inbox.events).isEmpty();
    assertThat(rig.count("holdfast.events", "channel", "webhook", "outcome", "filtered")).isOne();
  }

  @Test
  void allMessagesOfARequestAreCommittedBeforeItsAnswer() throws Exception {
    assertThat(rig.post(PATH, "t1|a|m1\nt2|b|m2\nt1|c|m3", SIGNED).status()).isEqualTo(200);
    assertThat(rig.inbox.events).hasSize(3);
  }

  @Test
  void aFullStoreIsSaidAndTellsWhenToComeAgain() throws Exception {
    rig.inbox.refusal = Failure.of(FailureCode.OVERLOADED, "too full");
    Raw.Answer answer = rig.post(PATH, "t1|hi|m1", SIGNED);
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("retry-after")).isEqualTo("5");
  }

  /** To come again with it would not help. */
  @Test
  void anIdThatTheStoreDoesNotTakeIsTheSendersMistake() throws Exception {
    rig.inbox.refusal = Failure.of(FailureCode.INVALID_REQUEST, "not such an id");
    Raw.Answer answer = rig.post(PATH, "t1|hi|m1", SIGNED);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains("INVALID_REQUEST", "not such an id");
    assertThat(answer.header("retry-after")).isEmpty();
  }

  @Test
  void aHangingDiskIsSaidBeforeThePlatformGivesUp() throws Exception {
    rig.inbox.gate = new CompletableFuture<>();
    Raw.Answer answer = rig.post(PATH, "t1|hi|m1", SIGNED);
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("retry-after")).isEqualTo("5");
  }

  /** S56: what went wrong inside stays inside. */
  @Test
  void aBugOfAnAdapterIsAPlain500() throws Exception {
    Raw.Answer answer = rig.post(PATH, "boom", SIGNED);
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("bug").doesNotContain("Exception");
  }

  /** F28: half a body leaves nothing behind, and the next client is served. */
  @Test
  void aClientThatVanishesLeavesNoEvent() throws Exception {
    for (int i = 0; i < 20; i++) {
      try (Raw raw = rig.raw()) {
        raw.send(
            "POST "
                + PATH
                + " HTTP/1.1\r\nHost: localhost\r\n"
                + SIGNED
                + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\nt1|h");
        raw.socket().setSoLinger(true, 0);
      }
    }
    assertThat(rig.post(PATH, "t1|hi|m1", SIGNED).status()).isEqualTo(200);
    assertThat(rig.inbox.events).hasSize(1);
  }

  @Test
  void expectingClientsAreToldToGoOn() throws Exception {
    try (Raw raw = rig.raw()) {
      raw.send(
          "POST "
              + PATH
              + " HTTP/1.1\r\nHost: localhost\r\n"
              + SIGNED
              + "\r\n"
              + "Expect: 100-continue\r\n"
              + "Content-Type: application/json\r\n"
              + "Content-Length: 8\r\n\r\n");
      assertThat(raw.line()).startsWith("HTTP/1.1 100");
      raw.line();
      raw.send("t1|hi|m1");
      assertThat(raw.answer().status()).isEqualTo(200);
    }
  }

  private static final String CLICK = "click|t1|ann|AAAAAAAAAAAAAAAAAAAAAA";

  private IngressRig.FakeAdapter buttons() throws Exception {
    IngressRig.FakeAdapter adapter = new IngressRig.FakeAdapter("late");
    Registration _ = rig.channels.add(adapter, rig.time.now());
    return adapter;
  }

  @Test
  void aClickIsDecidedThenAnsweredAndThenItsPersonIsTold() throws Exception {
    IngressRig.FakeAdapter adapter = buttons();
    CompletableFuture<String> commit = new CompletableFuture<>();
    rig.clicks.gate = commit;
    try (Raw raw = rig.raw()) {
      raw.send(Raw.request("POST", "/webhooks/late/ci", CLICK, SIGNED));
      assertThat(adapter.told()).isEmpty();
      commit.complete("done");
      Raw.Answer answer = raw.answer();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("taken");
    }
    assertThat(rig.clicks.clicked).containsExactly("late:ci:t1 ann AAAAAAAAAAAAAAAAAAAAAA");
    IngressRig.until(() -> adapter.told().equals(List.of("r1 Approved.")));
    assertThat(rig.count("holdfast.clicks", "channel", "late", "outcome", "approved")).isOne();
    assertThat(rig.inbox.events).isEmpty();
  }

  @Test
  void aClickThatTheStoreDoesNotTakeIsSentAgainByItsPlatform() throws Exception {
    IngressRig.FakeAdapter adapter = buttons();
    rig.clicks.refusal = Failure.of(FailureCode.IO, "the disk is full");
    assertThat(rig.post("/webhooks/late/ci", CLICK, SIGNED).status()).isEqualTo(503);
    rig.clicks.refusal = null;
    rig.clicks.gate = new CompletableFuture<>();
    assertThat(rig.post("/webhooks/late/ci", CLICK, SIGNED).status())
        .as("a hanging disk")
        .isEqualTo(503);
    assertThat(adapter.told()).isEmpty();
  }

  @Test
  void aTokenThatIsNoneIsNotLookedFor() throws Exception {
    IngressRig.FakeAdapter adapter = buttons();
    for (String token :
        List.of("", "A".repeat(21), "A".repeat(23), "A".repeat(21) + "=", "\u00e4")) {
      assertThat(rig.post("/webhooks/late/ci", "click|t1|ann|" + token, SIGNED).status())
          .isEqualTo(200);
    }
    assertThat(rig.clicks.clicked).isEmpty();
    IngressRig.until(() -> adapter.told().size() == 5);
    assertThat(adapter.told()).containsOnly("r1 This question is no longer open.");
    assertThat(rig.count("holdfast.clicks", "channel", "late", "outcome", "closed")).isEqualTo(5);
  }

  @Test
  void anUnsignedClickDecidesNothing() throws Exception {
    IngressRig.FakeAdapter _ = buttons();
    assertThat(rig.post("/webhooks/late/ci", CLICK).status()).isEqualTo(401);
    assertThat(rig.clicks.clicked).isEmpty();
  }
}
