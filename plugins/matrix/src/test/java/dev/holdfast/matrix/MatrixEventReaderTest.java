package dev.holdfast.matrix;

import static dev.holdfast.matrix.MatrixRig.ANN;
import static dev.holdfast.matrix.MatrixRig.ROOM;
import static dev.holdfast.matrix.MatrixRig.event;
import static dev.holdfast.matrix.MatrixRig.message;
import static dev.holdfast.matrix.MatrixRig.refused;
import static dev.holdfast.matrix.MatrixRig.sync;
import static dev.holdfast.matrix.MatrixRig.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MatrixEventReaderTest {
  private static final String BOB = "@bob:hs.example";
  @TempDir private Path folder;

  private MatrixRig direct() {
    return MatrixRig.syncing(folder);
  }

  private MatrixRig group() {
    MatrixRig rig = direct();
    String _ = rig.room("room", ANN, BOB);
    return rig;
  }

  private static String says(String body, String more) {
    return message("a", ANN, "\"msgtype\":\"m.text\",\"body\":" + JsonText.write(body) + more);
  }

  private static InboundMessage read(MatrixRig rig, String event) {
    try (rig) {
      return rig.receive(sync("s1", event)).messages().getFirst();
    }
  }

  private static List<DropReason> dropped(MatrixRig rig, String event) {
    try (rig) {
      rig.receive(sync("s1", event));
      assertThat(rig.sink().messages()).isEmpty();
      return rig.sink().drops();
    }
  }

  @Test
  void twoInARoomAreAConversationWithOnePerson() {
    InboundMessage said = read(direct(), text("a", "hello"));
    assertThat(said.thread()).isEqualTo(ROOM);
    assertThat(said.sender()).isEqualTo(ANN);
    assertThat(said.dedupeKey()).isEqualTo(ROOM + "|$a");
    assertThat(said.origin())
        .isEqualTo(new Origin(Origin.Place.DIRECT, "", "hs.example", "", false, true));
  }

  /** Another server may say of its people's messages what it likes. */
  @Test
  void whenItWasWrittenIsBelievedOfPeopleOfItsOwnServer() {
    String own = timed(text("a", "hello"));
    assertThat(read(direct(), own).origin().writtenAtMillis()).isEqualTo(1_700_000_000_123L);
    String other = own.replace(ANN, "@ann:other.example");
    Map<String, ?> everybody = Map.of("allow", Map.of("users", List.of("*")));
    assertThat(read(new MatrixRig(everybody, folder), other).origin().writtenAtMillis()).isZero();
  }

  private static String timed(String event) {
    return event.replaceFirst("\\{", "{\"origin_server_ts\":1700000000123,");
  }

  @Test
  void aRoomOfMoreIsAGroupWhateverItWasMeantToBe() {
    InboundMessage said = read(group(), text("a", "hello"));
    assertThat(said.origin())
        .isEqualTo(new Origin(Origin.Place.GROUP, ROOM, "hs.example", "", false, false));
  }

  @Test
  void anAllowedRoomOfTwoIsJudgedAsARoom() {
    Map<String, ?> keys = Map.of("allow", Map.of("chats", List.of(ROOM)));
    InboundMessage said = read(new MatrixRig(keys, folder), text("a", "hello"));
    assertThat(said.origin())
        .isEqualTo(new Origin(Origin.Place.GROUP, ROOM, "hs.example", "", false, true));
  }

  @Test
  void aThreadIsAConversationOfItsOwn() {
    String inThread =
        says(
            "hello",
            ",\"m.relates_to\":{\"rel_type\":\"m.thread\",\"event_id\":\"$root\","
                + "\"is_falling_back\":true,\"m.in_reply_to\":{\"event_id\":\"$x\"}}");
    InboundMessage said = read(group(), inThread);
    assertThat(said.thread()).isEqualTo(ROOM + "|$root");
    assertThat(said.origin().place()).isEqualTo(Origin.Place.THREAD);
    assertThat(said.origin().addressed()).isFalse();
  }

  @Test
  void aMentionByIdAddressesTheAccountAndIsLeftOut() {
    InboundMessage said =
        read(
            group(),
            says(
                "Holdfast: what now?",
                ",\"formatted_body\":\"<a"
                    + " href=\\\"https://matrix.to/#/%40bot%3Ahs.example\\\">Holdfast</a>: what"
                    + " now?\",\"m.mentions\":{\"user_ids\":[\"@bot:hs.example\"]}"));
    assertThat(said.origin().addressed()).isTrue();
    assertThat(said.text()).isEqualTo("what now?");
  }

  @Test
  void aLinkOfAnOldClientAddressesTheAccount() {
    InboundMessage said =
        read(
            group(),
            says(
                "well Holdfast, what now?",
                ",\"formatted_body\":\"well <a"
                    + " href='https://matrix.to/#/@bot:hs.example'>Holdfast</a>, what now?\""));
    assertThat(said.origin().addressed()).isTrue();
    assertThat(said.text()).isEqualTo("well Holdfast, what now?");
  }

  @Test
  void theIdInATextAddressesTheAccount() {
    InboundMessage said = read(group(), says("@bot:hs.example: /stop", ",\"m.mentions\":{}"));
    assertThat(said.origin().addressed()).isTrue();
    assertThat(said.text()).isEqualTo("/stop");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Holdfast: hello",
        "bot: hello",
        "@bot:hs.example.evil.org hello",
        "x@bot:hs.example hello",
        "@bot:hs.exampleX hello"
      })
  void whatOnlyLooksLikeTheAccountDoesNotAddressIt(String body) {
    assertThat(read(group(), says(body, "")).origin().addressed()).isFalse();
  }

  @Test
  void aDisplayNameThatLooksLikeAnAllowedIdChangesNothing() {
    String stranger = "@mallory:evil.example";
    String link =
        ",\"formatted_body\":\"<a"
            + " href='https://matrix.to/#/@mallory:evil.example'>@bot:hs.example</a>\"";
    MatrixRig rig = group();
    try (rig) {
      rig.receive(
          sync(
              "s1",
              MatrixRig.member(stranger, stranger, "join").replace("Name of " + stranger, ANN),
              message("a", stranger, "\"msgtype\":\"m.text\",\"body\":\"hello\"" + link)));
    }
    InboundMessage said = rig.sink().messages().getFirst();
    assertThat(said.sender()).isEqualTo(stranger);
    assertThat(said.origin().senderName()).isEqualTo(ANN);
    assertThat(said.origin().team()).isEqualTo("evil.example");
    assertThat(said.origin().addressed()).isFalse();
  }

  @Test
  void anAnswerToAPostOfTheAccountIsAddressedAndItsQuotationLeftOut() throws Exception {
    try (MatrixRig rig = group()) {
      rig.channel().post(MatrixRig.reply(ROOM, "It is ready."));
      rig.receive(
          sync(
              "s1",
              says(
                  "> <@bot:hs.example> It is ready.\n> Really.\n\nThanks",
                  ",\"m.relates_to\":{\"m.in_reply_to\":{\"event_id\":\"$e1\"}}")));
      InboundMessage said = rig.sink().messages().getFirst();
      assertThat(said.text()).isEqualTo("Thanks");
      assertThat(said.origin().addressed()).isTrue();
    }
  }

  @Test
  void aQuotationOfTheIdDoesNotAddress() {
    InboundMessage said =
        read(
            group(),
            says(
                "> <@bot:hs.example> hi\n\nwho is that?",
                ",\"m.relates_to\":{\"m.in_reply_to\":{\"event_id\":\"$other\"}}"));
    assertThat(said.text()).isEqualTo("who is that?");
    assertThat(said.origin().addressed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"msgtype\":\"m.notice\",\"body\":\"from a program\"",
        "\"msgtype\":\"m.text\",\"body\":\"* new\",\"m.new_content\":{\"body\":\"new\"},"
            + "\"m.relates_to\":{\"rel_type\":\"m.replace\",\"event_id\":\"$x\"}",
        "\"msgtype\":\"m.location\",\"body\":\"here\"",
        "\"body\":\"of no type\"",
        "\"x\":1"
      })
  void whatIsNoMessageOfAPersonIsIgnored(String content) {
    assertThat(dropped(direct(), message("a", ANN, content))).isEmpty();
  }

  @Test
  void whatIsNoEventIsIgnored() {
    try (MatrixRig rig = direct()) {
      rig.receive(
          sync(
              "s1",
              text("a", "state").replace("\"type\"", "\"state_key\":\"\",\"type\""),
              message("a|b", ANN, "\"msgtype\":\"m.text\",\"body\":\"x\""),
              message("b", "ann", "\"msgtype\":\"m.text\",\"body\":\"x\""),
              message("c", "@ann\\n:hs.example", "\"msgtype\":\"m.text\",\"body\":\"x\""),
              event("m.room.topic", "d", ANN, "\"topic\":\"x\""),
              "{}",
              "{\"type\":\"m.room.message\",\"event_id\":7,\"sender\":[],\"content\":\"x\"}"));
      assertThat(rig.sink().messages()).isEmpty();
      assertThat(rig.sink().position()).contains("s1");
    }
  }

  @Test
  void nothingIsEmpty() {
    assertThat(dropped(direct(), says(" ", ""))).containsExactly(DropReason.EMPTY);
    String secretFile =
        "\"msgtype\":\"m.image\",\"body\":\"a.png\",\"file\":{\"url\":\"mxc://h/x\"}";
    assertThat(dropped(direct(), message("a", ANN, secretFile))).containsExactly(DropReason.EMPTY);
  }

  @Test
  void aFileComesWithItsCaption() {
    InboundMessage said =
        read(
            direct(),
            message(
                "a",
                ANN,
                "\"msgtype\":\"m.image\",\"body\":\"what is this?\",\"filename\":\"a.png\","
                    + "\"url\":\"mxc://hs.example/AbC\",\"info\":{\"mimetype\":\"image/png\",\"size\":12}"));
    assertThat(said.text()).isEqualTo("what is this?");
    assertThat(said.attachments())
        .containsExactly(new Attachment("a.png", "image/png", "mxc://hs.example/AbC", 12));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example/x",
        "mxc://hs.example/../../admin",
        "mxc://hs.example/a/b",
        "mxc://hs.example?x/a",
        "file:///etc/passwd"
      })
  void aFileLiesOnAHomeserverOrNowhere(String url) {
    String file = "\"msgtype\":\"m.file\",\"body\":\"x\",\"url\":\"" + url + "\"";
    assertThat(dropped(direct(), message("a", ANN, file))).containsExactly(DropReason.EMPTY);
  }

  @Test
  void whatAnotherServerOfThisKindWritesIsAProgrammes() {
    InboundMessage said = read(direct(), says("hello", ",\"dev.holdfast.reply\":\"r9\""));
    assertThat(said.origin().fromBot()).isTrue();
  }

  @Test
  void aStopSignOnAPostStopsItsConversation() throws Exception {
    try (MatrixRig rig = group()) {
      rig.channel().post(MatrixRig.reply(ROOM + "|$root", "Working on it"));
      rig.receive(
          sync(
              "s1",
              reaction("a", "$e1", "\uD83D\uDED1\uFE0F"),
              reaction("b", "$e1", "\uD83D\uDC4D"),
              reaction("c", "$other", "\uD83D\uDED1")));
      assertThat(rig.sink().texts()).containsExactly("/stop");
      InboundMessage stop = rig.sink().messages().getFirst();
      assertThat(stop.thread()).isEqualTo(ROOM + "|$root");
      assertThat(stop.sender()).isEqualTo(ANN);
      assertThat(stop.origin().addressed()).isTrue();
    }
  }

  private static String reaction(String id, String of, String key) {
    return event(
        "m.reaction",
        id,
        ANN,
        "\"m.relates_to\":{\"rel_type\":\"m.annotation\",\"event_id\":\"%s\",\"key\":\"%s\"}"
            .formatted(of, key));
  }

  @Test
  void aMessageIsNotJudgedBeforeItIsKnownWhoReadsIt() {
    try (MatrixRig rig = direct()) {
      rig.next(MatrixRig.MEMBERS, refused(502, ""));
      assertThat(rig.listen(sync("s0"), sync("s1", text("a", "hello"))).failure().isPassing())
          .isTrue();
      assertThat(rig.sink().messages()).isEmpty();
      assertThat(rig.sink().position()).contains("s0");
    }
  }

  @Test
  void aThirdMemberMakesAGroupOfAConversationAtOnce() {
    try (MatrixRig rig = direct()) {
      rig.receive(sync("s1", text("a", "alone")));
      String _ = rig.room("room", ANN, BOB);
      rig.receive(sync("s2", MatrixRig.member(BOB, BOB, "join"), text("b", "not alone")));
      assertThat(rig.sink().messages())
          .extracting(message -> message.origin().place())
          .containsExactly(Origin.Place.DIRECT, Origin.Place.GROUP);
    }
  }

  @Test
  void aTextThatIsMadeToBeSlowIsReadInTime() {
    String html = "<a href='https://matrix.to/#/@".repeat(2000);
    InboundMessage said = read(group(), says("x", ",\"formatted_body\":" + JsonText.write(html)));
    assertThat(said.text()).isEqualTo("x");
  }
}
