package dev.holdfast.whatsapp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.kit.JsonText;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeReaderTest {
  @TempDir private Path folder;
  private WhatsAppRig rig;

  @BeforeEach
  void start() {
    rig = WhatsAppRig.open(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private InboundMessage read(Map<String, Object> message) throws InterruptedException {
    return ((WebhookVerdict.Messages) rig.receive(message)).messages().getFirst();
  }

  private List<DropReason> drops(Map<String, Object> message) throws InterruptedException {
    WebhookVerdict.Messages verdict = (WebhookVerdict.Messages) rig.receive(message);
    assertThat(verdict.messages()).isEmpty();
    return verdict.dropped();
  }

  @Test
  void aTextIsSaidByTheStableIdOfItsPerson() throws Exception {
    assertThat(read(WhatsAppRig.text("wamid.1", "hello")))
        .isEqualTo(
            new InboundMessage(
                "main",
                WhatsAppRig.USER,
                WhatsAppRig.USER,
                "hello",
                List.of(),
                "wamid.1",
                Origin.direct("Ann").at(1_795_000_000_000L)));
  }

  @Test
  void whoShowsNoNumberIsKnownByTheUserIdAndOlderDeliveriesByTheNumber() throws Exception {
    Map<String, Object> hidden = WhatsAppRig.text("wamid.1", "hello");
    hidden.remove("from");
    assertThat(read(hidden).sender()).isEqualTo(WhatsAppRig.USER);
    Map<String, Object> old = WhatsAppRig.text("wamid.1", "hello");
    old.remove("from_user_id");
    assertThat(read(old).sender()).as("as its contact says").isEqualTo(WhatsAppRig.USER);
    old.put("from", "4915112345678");
    InboundMessage byPhone = read(old);
    assertThat(byPhone.sender()).isEqualTo("4915112345678");
    assertThat(byPhone.thread()).isEqualTo("4915112345678");
    assertThat(byPhone.origin().senderName()).as("the contact is another one").isEmpty();
  }

  @Test
  void whoIsNamedByTheNumberAloneLaterKeepsTheConversation() throws Exception {
    Map<String, Object> both = WhatsAppRig.text("wamid.1", "hello");
    both.put("from", "4915112345678");
    both.put("from_user_id", "DE.77");
    assertThat(read(both).thread()).isEqualTo("DE.77");
    Map<String, Object> byPhone = WhatsAppRig.text("wamid.2", "again");
    byPhone.put("from", "4915112345678");
    byPhone.remove("from_user_id");
    assertThat(read(byPhone).thread()).isEqualTo("DE.77");
    assertThat(read(byPhone).sender()).isEqualTo("DE.77");
  }

  @Test
  void whoIsAllowedByTheNumberIsJudgedByItInTheSameConversation() throws Exception {
    try (WhatsAppRig byPhone =
        new WhatsAppRig(
            Map.of("allow", Map.of("users", List.of(WhatsAppRig.PHONE))), Map.of(), folder)) {
      WebhookVerdict verdict = byPhone.receive(WhatsAppRig.text("wamid.1", "hello"));
      InboundMessage message = ((WebhookVerdict.Messages) verdict).messages().getFirst();
      assertThat(message.sender()).isEqualTo(WhatsAppRig.PHONE);
      assertThat(message.thread()).isEqualTo(WhatsAppRig.USER);
      Map<String, Object> other = WhatsAppRig.text("wamid.1", "hello");
      other.put("from", "1999");
      verdict = byPhone.receive(other);
      assertThat(((WebhookVerdict.Messages) verdict).messages().getFirst().sender())
          .isEqualTo(WhatsAppRig.USER);
    }
  }

  @Test
  void aNameThatLooksLikeAnAllowedIdIsOnlyAName() throws Exception {
    Map<String, Object> value =
        WhatsAppRig.value(
            WhatsAppRig.NUMBER, "messages", List.of(WhatsAppRig.text("wamid.1", "hello")));
    value.put(
        "contacts",
        List.of(
            Map.of(
                "profile",
                Map.of("name", "4711\n*", "username", "4711"),
                "wa_id",
                WhatsAppRig.PHONE)));
    WebhookVerdict verdict = rig.receive(WhatsAppRig.signed(WhatsAppRig.change("messages", value)));
    InboundMessage message = ((WebhookVerdict.Messages) verdict).messages().getFirst();
    assertThat(message.sender()).isEqualTo(WhatsAppRig.USER);
    assertThat(message.origin().senderName()).isEqualTo("4711 *");
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "16505551234 ", "US", "US.", "us.1/../..", "1:2"})
  void whatIsNoIdOfAPersonIsNobody(String id) throws Exception {
    Map<String, Object> message = WhatsAppRig.text("wamid.1", "hello");
    message.put("from", id);
    message.put("from_user_id", id);
    assertThat(drops(message)).containsExactly(DropReason.NOT_ALLOWED);
  }

  @ParameterizedTest
  @CsvSource({
    "image,image/jpeg,image.jpg",
    "video,video/mp4,video.mp4",
    "audio,audio/ogg; codecs=opus,audio.ogg",
    "sticker,image/webp,sticker.webp",
    "document,application/x-very-strange,document.bin"
  })
  void aFileIsAnAttachment(String kind, String type, String name) throws Exception {
    InboundMessage message =
        read(
            WhatsAppRig.message(
                "wamid.1", kind, Map.of("id", "123", "mime_type", type, "caption", "see")));
    assertThat(message.text()).isEqualTo("see");
    assertThat(message.attachments())
        .containsExactly(new Attachment(name, type.replaceFirst(";.*", ""), "whatsapp:123", -1));
  }

  @Test
  void aDocumentKeepsItsName() throws Exception {
    InboundMessage message =
        read(
            WhatsAppRig.message(
                "wamid.1",
                "document",
                Map.of("id", 123, "mime_type", "application/pdf", "filename", "Bill.pdf")));
    assertThat(message.text()).isEmpty();
    assertThat(message.attachments().getFirst().name()).isEqualTo("Bill.pdf");
  }

  private void assertText(String type, Object content, String text) throws Exception {
    Map<String, Object> message = new LinkedHashMap<>(WhatsAppRig.text("wamid.1", ""));
    message.put("type", type);
    message.put(type, content);
    assertThat(read(message).text()).isEqualTo(text);
  }

  @Test
  void whatIsNoTextIsToldInWords() throws Exception {
    assertText(
        "location",
        Map.of("latitude", 52.5, "longitude", "13.4", "name", "Office"),
        "[Location: Office, 52.5, 13.4]");
    assertText(
        "contacts",
        List.of(
            Map.of(
                "name",
                Map.of("formatted_name", "Bob B"),
                "phones",
                List.of(Map.of("phone", "+1 555", "type", "CELL")))),
        "[Contact: Bob B, +1 555]");
    assertText(
        "order",
        Map.of(
            "text",
            "quickly",
            "product_items",
            List.of(
                Map.of(
                    "product_retailer_id",
                    "tea",
                    "quantity",
                    2,
                    "item_price",
                    3.5,
                    "currency",
                    "EUR"))),
        "[Order: 2 x tea at 3.5 EUR]\nquickly");
    assertText("button", Map.of("text", "Yes", "payload", "yes"), "Yes");
    assertText(
        "interactive",
        Map.of("type", "list_reply", "list_reply", Map.of("id", "a", "title", "Tea")),
        "Tea");
    assertText("reaction", Map.of("message_id", "wamid.0", "emoji", "🛑"), "/stop");
  }

  @Test
  void whatSaysNothingIsDropped() throws Exception {
    for (Map<String, Object> message :
        List.of(
            WhatsAppRig.message("wamid.1", "reaction", Map.of("message_id", "wamid.0")),
            WhatsAppRig.message(
                "wamid.1", "reaction", Map.of("message_id", "wamid.0", "emoji", "👍")),
            WhatsAppRig.message("wamid.1", "unsupported", Map.of("type", "poll_creation")),
            WhatsAppRig.message("wamid.1", "system", Map.of("type", "user_changed_number")),
            WhatsAppRig.message("wamid.1", "request_welcome", Map.of()),
            WhatsAppRig.message("wamid.1", "image", Map.of("id", "../../x")),
            WhatsAppRig.message("wamid.1", "new_kind", Map.of("body", "x")),
            WhatsAppRig.text("wamid.1", "  "))) {
      assertThat(drops(message)).containsExactly(DropReason.EMPTY);
    }
  }

  @Test
  void whatTheBusinessHasWrittenItselfIsNotAnswered() throws Exception {
    Map<String, Object> own = WhatsAppRig.text("wamid.1", "hello");
    own.put("from", "15550783881");
    assertThat(drops(own)).containsExactly(DropReason.OWN_ECHO);
    String echoes =
        WhatsAppRig.change(
            "smb_message_echoes",
            WhatsAppRig.value(
                WhatsAppRig.NUMBER,
                "message_echoes",
                List.of(WhatsAppRig.text("wamid.1", "by hand"))));
    assertThat(rig.receive(WhatsAppRig.signed(echoes)))
        .isEqualTo(new WebhookVerdict.Messages(List.of(), List.of(DropReason.OWN_ECHO)));
  }

  @Test
  void groupsAreNotAnswered() throws Exception {
    Map<String, Object> group = WhatsAppRig.text("wamid.1", "hello");
    group.put("group_id", "Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAz");
    assertThat(drops(group)).containsExactly(DropReason.NOT_ADDRESSED);
  }

  @Test
  void whatBecomesOfPostsIsNoMessage() throws Exception {
    for (String status : List.of("sent", "delivered", "read", "failed", "deleted")) {
      Map<String, ?> item =
          Map.of(
              "id",
              "wamid.P1",
              "status",
              status,
              "timestamp",
              "1",
              "recipient_id",
              WhatsAppRig.PHONE,
              "errors",
              List.of(Map.of("code", 131047, "title", "Re-engagement message")));
      assertThat(
              rig.receive(
                  WhatsAppRig.signed(
                      WhatsAppRig.delivery(WhatsAppRig.NUMBER, "statuses", List.of(item)))))
          .isEqualTo(new WebhookVerdict.Messages(List.of()));
    }
  }

  @Test
  void nothingThatIsSignedThrows() throws Exception {
    for (Object odd : List.of(1, "x", true, List.of(), List.of(1), Map.of(), JsonText.NULL)) {
      for (String key :
          List.of("from", "id", "type", "text", "context", "interactive", "group_id")) {
        Map<String, Object> message = WhatsAppRig.text("wamid.1", "hello");
        message.put(key, odd);
        assertThat(rig.receive(message)).isNotNull();
      }
      for (String key : List.of("metadata", "contacts", "messages", "statuses", "errors")) {
        Map<String, Object> value =
            WhatsAppRig.value(
                WhatsAppRig.NUMBER, "messages", List.of(WhatsAppRig.text("wamid.1", "hello")));
        value.put(key, odd);
        assertThat(rig.receive(WhatsAppRig.signed(WhatsAppRig.change("messages", value))))
            .isNotNull();
      }
    }
  }
}
