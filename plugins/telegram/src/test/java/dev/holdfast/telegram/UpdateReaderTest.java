package dev.holdfast.telegram;

import static dev.holdfast.telegram.TelegramRig.inGroup;
import static dev.holdfast.telegram.TelegramRig.message;
import static dev.holdfast.telegram.TelegramRig.update;
import static dev.holdfast.telegram.TelegramRig.updates;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UpdateReaderTest {
  @TempDir private Path folder;
  private TelegramRig rig;

  @BeforeEach
  void start() {
    rig = TelegramRig.polling(folder);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private InboundMessage only(String update) {
    return rig.receive(updates(update)).messages().getLast();
  }

  private static String entity(String type, int offset, int length) {
    return ",\"entities\":[{\"type\":\"%s\",\"offset\":%d,\"length\":%d}]"
        .formatted(type, offset, length);
  }

  @Test
  void aPrivateChatIsADirectConversation() {
    InboundMessage said = only(message(1, "hello"));
    assertThat(said.thread()).isEqualTo("7");
    assertThat(said.sender()).isEqualTo("7");
    assertThat(said.origin()).isEqualTo(Origin.direct("Ann Lee").at(1_700_000_000_000L));
  }

  @Test
  void theStartOfAConversationAsksForHelp() {
    assertThat(only(message(1, "/start")).text()).isEqualTo("/help");
    assertThat(only(message(2, "/start now")).text()).isEqualTo("/start now");
  }

  @Test
  void whatIsSaidInAGroupIsNotMeantForTheBotByItself() {
    InboundMessage said = only(inGroup(1, "hello all", ""));
    assertThat(said.thread()).isEqualTo("-100");
    assertThat(said.origin())
        .isEqualTo(
            new Origin(
                Origin.Place.GROUP, "-100", "", "Ann Lee", false, false, 1_700_000_000_000L));
  }

  @Test
  void aMentionIsMeantForTheBotAndLeftOut() {
    InboundMessage first = only(inGroup(1, "@holdfastbot what now?", entity("mention", 0, 12)));
    assertThat(first.text()).isEqualTo("what now?");
    assertThat(first.origin().addressed()).isTrue();
    // Offsets count UTF-16 units.
    InboundMessage second = only(inGroup(2, "😀 hey @HoldfastBot do", entity("mention", 7, 12)));
    assertThat(second.text()).isEqualTo("😀 hey do");
    assertThat(second.origin().addressed()).isTrue();
  }

  @Test
  void aMentionOfAnotherOrOneThatIsNoEntityIsNone() {
    assertThat(only(inGroup(1, "@someone hi", entity("mention", 0, 8))).origin().addressed())
        .isFalse();
    assertThat(only(inGroup(2, "@HoldfastBot hi", "")).origin().addressed()).isFalse();
    assertThat(only(inGroup(3, "@HoldfastBotX hi", entity("mention", 0, 13))).origin().addressed())
        .isFalse();
  }

  @Test
  void entitiesThatLieOutsideOfTheTextChangeNothing() {
    for (String entity :
        new String[] {
          entity("mention", -1, 5),
          entity("mention", 3, 99999),
          entity("mention", 2, -4),
          ",\"entities\":[7,\"x\",{\"type\":\"mention\"},null]",
          ",\"entities\":{}"
        }) {
      assertThat(only(inGroup(1, "hello", entity)).text()).isEqualTo("hello");
    }
  }

  @Test
  void aReplyToTheBotAndAMentionWithoutANameAreMeantForIt() {
    assertThat(
            only(inGroup(1, "yes", ",\"reply_to_message\":{\"from\":{\"id\":900}}"))
                .origin()
                .addressed())
        .isTrue();
    String mention =
        ",\"entities\":[{\"type\":\"text_mention\",\"offset\":0,\"length\":3,\"user\":{\"id\":900}}]";
    InboundMessage said = only(inGroup(2, "bot do it", mention));
    assertThat(said.text()).isEqualTo("do it");
    assertThat(said.origin().addressed()).isTrue();
  }

  @Test
  void aCommandOfTheBotIsOneAndThatOfAnotherBotIsNot() {
    InboundMessage own = only(inGroup(1, "/stop@HoldfastBot", entity("bot_command", 0, 17)));
    assertThat(own.text()).isEqualTo("/stop");
    assertThat(own.origin().addressed()).isTrue();
    assertThat(only(inGroup(2, "/stop", entity("bot_command", 0, 5))).origin().addressed())
        .isTrue();
    rig.receive(updates(inGroup(3, "/stop@OtherBot", entity("bot_command", 0, 14))));
    assertThat(rig.sink().drops()).containsExactly(DropReason.NOT_ADDRESSED);
  }

  @Test
  void eachTopicIsAConversationAsWideAsAGroup() {
    InboundMessage said =
        only(inGroup(1, "hi", ",\"is_topic_message\":true,\"message_thread_id\":42"));
    assertThat(said.thread()).isEqualTo("-100/42");
    assertThat(said.origin().place()).isEqualTo(Origin.Place.GROUP);
    // In other groups it is the message that was replied to.
    assertThat(only(inGroup(2, "hi", ",\"message_thread_id\":42")).thread()).isEqualTo("-100");
  }

  @Test
  void whoeverIsNoPersonIsNotAnswered() {
    rig.receive(
        updates(
            inGroup(1, "as the group", ",\"sender_chat\":{\"id\":-100}"),
            inGroup(2, "by a bot", ",\"via_bot\":{\"id\":5}"),
            "{\"update_id\":3,\"message\":{\"message_id\":1,\"text\":\"x\","
                + "\"chat\":{\"id\":-100,\"type\":\"group\"}}}"));
    assertThat(rig.sink().messages()).isEmpty();
    assertThat(rig.sink().drops()).hasSize(3).containsOnly(DropReason.NOT_ALLOWED);
  }

  @Test
  void postsOfChannelsAreIgnored() {
    rig.receive(updates(update(1, "\"chat\":{\"id\":-5,\"type\":\"channel\"},\"text\":\"x\"")));
    assertThat(rig.sink().messages()).isEmpty();
  }

  @Test
  void ofAPhotoTheLargestIsTakenAndItsCaptionIsTheText() {
    InboundMessage said =
        only(
            update(
                1,
                """
                "chat":{"id":7,"type":"private"},"caption":"look",
                "photo":[{"file_id":"s","width":90,"height":90,"file_size":10},
                         {"file_id":"l","width":1280,"height":960,"file_size":99},
                         {"file_id":"m","width":320,"height":240}]\
                """));
    assertThat(said.text()).isEqualTo("look");
    assertThat(said.attachments())
        .containsExactly(new Attachment("photo.jpg", "image/jpeg", "telegram:l", 99));
  }

  @Test
  void filesOfAllKindsAreAttachments() {
    String document =
        "\"document\":{\"file_id\":\"d\",\"file_name\":\"a.pdf\",\"mime_type\":\"application/pdf\"}";
    assertThat(attachment(document))
        .isEqualTo(new Attachment("a.pdf", "application/pdf", "telegram:d", -1));
    assertThat(attachment("\"voice\":{\"file_id\":\"v\",\"mime_type\":\"audio/ogg\"}").name())
        .isEqualTo("voice.ogg");
    assertThat(attachment("\"audio\":{\"file_id\":\"v\"}").mediaType()).isEqualTo("audio/mpeg");
    assertThat(attachment("\"video\":{\"file_id\":\"v\"}").mediaType()).isEqualTo("video/mp4");
    assertThat(attachment("\"sticker\":{\"file_id\":\"v\"}").mediaType()).isEqualTo("image/webp");
    String name = "n".repeat(9000);
    assertThat(attachment("\"audio\":{\"file_id\":\"v\",\"file_name\":\"" + name + "\"}").name())
        .hasSize(200);
  }

  private Attachment attachment(String file) {
    return only(update(1, "\"chat\":{\"id\":7,\"type\":\"private\"}," + file))
        .attachments()
        .getFirst();
  }

  @Test
  void anAnimatedStickerIsItsEmoji() {
    InboundMessage said =
        only(
            update(
                1,
                "\"chat\":{\"id\":7,\"type\":\"private\"},\"sticker\":{\"file_id\":\"v\","
                    + "\"is_animated\":true,\"emoji\":\"👍\"}"));
    assertThat(said.text()).isEqualTo("👍");
    assertThat(said.attachments()).isEmpty();
  }

  @Test
  void aGroupThatBecomesASupergroupGoesOnUnderItsOldId() {
    rig.receive(
        updates(
            update(1, "\"chat\":{\"id\":-5,\"type\":\"group\"},\"migrate_to_chat_id\":-100"),
            update(2, "\"chat\":{\"id\":-100,\"type\":\"supergroup\"},\"migrate_from_chat_id\":-5"),
            inGroup(3, "still here", "")));
    assertThat(rig.sink().messages().getLast().thread()).isEqualTo("-5");
    assertThat(rig.sink().messages().getLast().origin().chat()).isEqualTo("-5");
    assertThat(rig.sink().messages().getLast().dedupeKey()).isEqualTo("-100:1003");
    rig.start(); // what it knows outlives a restart
    assertThat(only(inGroup(4, "again", "")).thread()).isEqualTo("-5");
  }
}
