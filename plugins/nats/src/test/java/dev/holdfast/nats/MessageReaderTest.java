package dev.holdfast.nats;

import static dev.holdfast.nats.NatsRig.account;
import static dev.holdfast.nats.NatsRig.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageReaderTest {
  private final MessageReader reader =
      new MessageReader(account(Map.of("reply_subject", "replies.all", "trust_headers", true)));

  private InboundMessage read(Map<String, String> headers, String body) {
    return question(headers, body).message();
  }

  private MessageReading.Question question(Map<String, String> headers, String body) {
    return (MessageReading.Question) reader.read(message(7, headers, body));
  }

  private DropReason dropped(StreamMessage message) {
    return ((MessageReading.Unreadable) reader.read(message)).reason();
  }

  @Test
  void headersSayWhoAsksWhereAndWhichMessageItIs() {
    InboundMessage message =
        read(
            Map.of(
                "Nats-Msg-Id",
                "order-7",
                "Holdfast-Thread",
                "orders",
                "Holdfast-Sender",
                "billing"),
            "how much?");
    assertThat(message.dedupeKey()).isEqualTo("ask.shop order-7");
    assertThat(message.thread()).isEqualTo("orders");
    assertThat(message.sender()).isEqualTo("billing");
    assertThat(message.text()).isEqualTo("how much?");
    assertThat(message.origin().writtenAtMillis()).isEqualTo(NatsRig.AT.toEpochMilli());
  }

  @Test
  void headersThatAreNotTrustedNameNothingOutsideTheSubject() {
    MessageReader wary = new MessageReader(account(Map.of()));
    Map<String, String> headers =
        Map.of(
            "Nats-Msg-Id",
            "order-7",
            "Holdfast-Thread",
            "orders",
            "Holdfast-Sender",
            "ask.billing");
    InboundMessage message =
        ((MessageReading.Question) wary.read(message(7, headers, "hello"))).message();
    assertThat(message.sender()).isEqualTo("ask.shop");
    assertThat(message.thread()).isEqualTo("ask.shop orders");
    assertThat(message.dedupeKey()).isEqualTo("ask.shop order-7");
    for (String thread : new String[] {"ask.billing", "ask.billing orders", "ask.shop"}) {
      message =
          ((MessageReading.Question)
                  wary.read(message(7, Map.of("Holdfast-Thread", thread), "hello")))
              .message();
      assertThat(SubjectScope.subject(message.thread())).isEqualTo("ask.shop");
      assertThat(SubjectScope.name(message.thread())).isEqualTo(thread);
    }
    assertThat(message.thread()).isEqualTo("ask.shop"); // named or not: the same conversation
  }

  @Test
  void withoutHeadersTheSubjectAndThePlaceInTheStreamStandForThem() {
    InboundMessage message = read(Map.of(), "hello");
    assertThat(message.thread()).isEqualTo("ask.shop");
    assertThat(message.sender()).isEqualTo("ask.shop");
    assertThat(message.dedupeKey()).startsWith("ASK:7:").endsWith(".000000042Z");
  }

  @Test
  void aStreamThatWasMadeAnewRepeatsNoKey() {
    StreamMessage before = message(7, Map.of(), "hello");
    StreamMessage later =
        new StreamMessage(
            "ASK", 7, NatsRig.AT.plusNanos(1), before.subject(), Map.of(), before.body());
    assertThat(((MessageReading.Question) reader.read(later)).message().dedupeKey())
        .isNotEqualTo(((MessageReading.Question) reader.read(before)).message().dedupeKey());
  }

  @Test
  void aCloudEventHasItsTextInItsData() {
    assertThat(
            read(Map.of(), "{\"specversion\": \"1.0\", \"data\": {\"text\": \"in stock?\"}}")
                .text())
        .isEqualTo("in stock?");
    assertThat(
            read(Map.of(), "\uFEFF{\"specversion\": \"1.0\", \"data\": {\"text\": \"in stock?\"}}")
                .text())
        .isEqualTo("in stock?");
    String other = "{\"data\": {\"text\": \"no event\"}}";
    assertThat(read(Map.of(), other).text()).isEqualTo(other);
    assertThat(read(Map.of(), "{not JSON").text()).isEqualTo("{not JSON");
  }

  @Test
  void whatHasNoTextIsEmpty() {
    for (String nothing : List.of(" \n", "\0\0", "\uFEFF", "\u200B\u2060 ")) {
      assertThat(dropped(message(1, Map.of(), nothing))).isEqualTo(DropReason.EMPTY);
    }
    assertThat(dropped(message(1, Map.of(), "{\"specversion\": \"1.0\", \"data\": {}}")))
        .isEqualTo(DropReason.EMPTY);
  }

  @Test
  void whatIsTooLargeOrNoTextIsUnreadable() {
    assertThat(read(Map.of(), "x".repeat(MessageReader.BYTES_MAX)).text()).hasSize(1_048_576);
    assertThat(dropped(message(1, Map.of(), "x".repeat(MessageReader.BYTES_MAX + 1))))
        .isEqualTo(DropReason.UNREADABLE);
    assertThat(
            dropped(
                new StreamMessage(
                    "ASK", 1, NatsRig.AT, "ask.shop", Map.of(), new byte[] {(byte) 0xc3})))
        .isEqualTo(DropReason.UNREADABLE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a\tb", "ü", "x "})
  void aHeaderWithWhatNoHeaderMayHaveIsNotBelieved(String value) {
    for (String name : new String[] {"Nats-Msg-Id", "Holdfast-Thread", "Holdfast-Sender"}) {
      assertThat(dropped(message(1, Map.of(name, value), "hello")))
          .isEqualTo(DropReason.UNREADABLE);
    }
    assertThat(dropped(message(1, Map.of("Holdfast-Thread", "x".repeat(201)), "hello")))
        .isEqualTo(DropReason.UNREADABLE);
  }

  @Test
  void aSubjectThatNoHeaderMayHaveStandsForNone() {
    StreamMessage message = message(1, Map.of("Holdfast-Thread", "orders"), "hello");
    assertThat(dropped(at("ask.ü", message))).isEqualTo(DropReason.UNREADABLE);
    message =
        message(1, Map.of("Holdfast-Thread", "orders", "Holdfast-Sender", "billing"), "hello");
    assertThat(reader.read(at("ask.ü", message))).isInstanceOf(MessageReading.Question.class);
    assertThat(new MessageReader(account(Map.of())).read(at("ask.ü", message)))
        .isInstanceOf(MessageReading.Unreadable.class);
  }

  private static StreamMessage at(String subject, StreamMessage message) {
    return new StreamMessage(
        message.stream(),
        message.sequence(),
        message.at(),
        subject,
        message.headers(),
        message.body());
  }

  @Test
  void aPostOfAnAgentIsNoQuestion() {
    MessageReader open = new MessageReader(account(Map.of("bots_per_minute", 3)));
    for (String header : List.of("Holdfast-Kind", "Holdfast-Part", "Holdfast-In-Reply-To")) {
      StreamMessage post = message(1, Map.of(header, "answer"), "hello");
      assertThat(dropped(post)).isEqualTo(DropReason.LOOP);
      assertThat(((MessageReading.Question) open.read(post)).message().origin().fromBot()).isTrue();
    }
    for (String kind : List.of("notice", "question", "error", "other")) {
      assertThat(open.read(message(1, Map.of("Holdfast-Kind", kind), "hello")))
          .isInstanceOfSatisfying(
              MessageReading.Unreadable.class,
              unread -> assertThat(unread.reason()).isEqualTo(DropReason.LOOP));
    }
    assertThat(read(Map.of(), "hello").origin().fromBot()).isFalse();
  }

  @Test
  void headersThatWereReplacedAreNotBelieved() {
    assertThat(dropped(message(1, Map.of(HeaderFilter.REPLACED, "headers"), "hello")))
        .isEqualTo(DropReason.UNREADABLE);
  }

  @Test
  void anAnswerGoesWhereTheMessageSaysIfThatIsAllowed() {
    assertThat(question(Map.of("Holdfast-Reply", "answers.shop"), "hello").replySubject())
        .isEqualTo("answers.shop");
    assertThat(question(Map.of("Holdfast-Reply", "replies.all"), "hello").replySubject())
        .isEqualTo("replies.all");
    assertThat(question(Map.of(), "hello").replySubject()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$JS.ACK.ASK.holdfast.1.7.1.1.0",
        "$JS.API.STREAM.DELETE.ASK",
        "holdfast.control.stop",
        "ask.shop",
        "elsewhere",
        "answers.*",
        "answers."
      })
  void noHeaderMakesTheServerPublishAnywhereElse(String subject) {
    assertThat(dropped(message(1, Map.of("Holdfast-Reply", subject), "hello")))
        .isEqualTo(DropReason.UNREADABLE);
  }

  @Test
  void notEvenWhereAllSubjectsAreAllowed() {
    MessageReader open = new MessageReader(account(Map.of("reply_allow", List.of(">"))));
    for (String subject : new String[] {"$JS.ACK.x", "holdfast.control.stop", "ask.shop"}) {
      assertThat(open.read(message(1, Map.of("Holdfast-Reply", subject), "hello")))
          .isInstanceOf(MessageReading.Unreadable.class);
    }
  }
}
