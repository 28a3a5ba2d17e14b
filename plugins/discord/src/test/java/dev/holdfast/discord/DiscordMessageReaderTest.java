package dev.holdfast.discord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.testing.FakeConfig;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiscordMessageReaderTest {
  /** When ids as small as those of this test were made. */
  private static final long DISCORD_BEGAN = 1_420_070_400_000L;

  private static final DiscordIdentity ME =
      new DiscordIdentity(DiscordRig.BOT, "helper", DiscordRig.APP, 0, "", "");

  @TempDir private Path folder;
  private DiscordRig rig;
  private DiscordMessageReader reader;

  @BeforeEach
  void start() {
    rig = DiscordRig.gateway(folder);
    rig.says("GET /channels/50", "{\"id\":\"50\",\"type\":0,\"guild_id\":\"70\"}");
    rig.says(
        "GET /channels/51", "{\"id\":\"51\",\"type\":11,\"parent_id\":\"50\",\"guild_id\":\"70\"}");
    rig.says(
        "GET /guilds/70/roles",
        "[{\"id\":\"70\"},{\"id\":\"71\",\"tags\":{\"bot_id\":\"900\"}},{\"id\":\"72\"}]");
    reader = reader(true);
  }

  private DiscordMessageReader reader(boolean readsAll) {
    Access access = Access.of(new FakeConfig(Map.of()));
    DiscordAccount account =
        new DiscordAccount("main", DiscordRig.TOKEN, "", true, readsAll, true, access);
    DiscordApi api = new DiscordApi(rig.context(), rig.baseUrl(), DiscordRig.TOKEN);
    return new DiscordMessageReader(account, new KnownChannels(api));
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private InboundMessage said(Map<String, Object> message) throws Exception {
    return ((DiscordEvent.Said) reader.message(message, ME)).message();
  }

  private static Map<String, Object> inServer(String text) {
    return DiscordRig.message("50", "70", "2000", "7", text);
  }

  @Test
  void aDirectMessageIsAlwaysMeantForTheBot() throws Exception {
    InboundMessage message = said(DiscordRig.message("60", "", "2000", "7", "hello"));
    assertThat(message.thread()).isEqualTo("60");
    assertThat(message.dedupeKey()).isEqualTo("60:2000");
    assertThat(message.origin())
        .isEqualTo(new Origin(Origin.Place.DIRECT, "", "", "ann", false, true, DISCORD_BEGAN));
    assertThat(rig.calls()).isEmpty();
  }

  /** The example of Discord's own documentation, and one that is longer than it can be. */
  @Test
  void itsIdTellsWhenItWasWritten() throws Exception {
    assertThat(writtenAt("175928847299117063")).isEqualTo("2016-04-30T11:18:25.796Z");
    assertThat(said(DiscordRig.message("60", "", "9".repeat(20), "7", "hello"))).isNotNull();
  }

  private String writtenAt(String id) throws Exception {
    Origin origin = said(DiscordRig.message("60", "", id, "7", "hello")).origin();
    return Instant.ofEpochMilli(origin.writtenAtMillis()).toString();
  }

  @Test
  void inAChannelItIsMeantForTheBotWhenItIsMentioned() throws Exception {
    assertThat(said(inServer("hello")).origin())
        .isEqualTo(new Origin(Origin.Place.GROUP, "50", "70", "ann", false, false, DISCORD_BEGAN));
    Map<String, Object> mention = inServer("<@900>, what is <@!7> doing with <:wave:123>?");
    mention.put(
        "mentions",
        List.of(
            Map.of("id", "900", "username", "helper"),
            Map.of("id", "7", "username", "ann", "global_name", "Ann")));
    assertThat(said(mention).origin().addressed()).isTrue();
    assertThat(said(mention).text()).isEqualTo("what is @Ann doing with :wave:?");
    assertThat(rig.asked("GET /channels/50")).as("asked once").hasSize(1);
  }

  @Test
  void aReplyToItsPostAndItsOwnRoleAreMentionsToo() throws Exception {
    Map<String, Object> reply = inServer("and then?");
    reply.put("type", 19L);
    reply.put("referenced_message", Map.of("author", Map.of("id", "900")));
    assertThat(said(reply).origin().addressed()).isTrue();
    Map<String, Object> role = inServer("<@&71> hello");
    role.put("mention_roles", List.of("71"));
    assertThat(said(role).origin().addressed()).isTrue();
    assertThat(said(role).text()).isEqualTo("hello");
    Map<String, Object> other = inServer("<@&72> hello");
    other.put("mention_roles", List.of("72"));
    assertThat(said(other).origin().addressed()).isFalse();
    Map<String, Object> everyone = inServer("@everyone hello");
    everyone.put("mention_everyone", true);
    assertThat(said(everyone).origin().addressed()).isFalse();
  }

  @Test
  void aThreadIsAConversationOfItsOwnWithinItsChannel() throws Exception {
    InboundMessage message = said(DiscordRig.message("51", "70", "2000", "7", "hi"));
    assertThat(message.thread()).isEqualTo("51");
    assertThat(message.origin().place()).isEqualTo(Origin.Place.THREAD);
    assertThat(message.origin().chat()).isEqualTo("50");
  }

  @Test
  void aNameIsNeverAnId() throws Exception {
    Map<String, Object> message = inServer("hi");
    message.put("author", Map.of("id", "8", "username", "7", "global_name", "900"));
    message.put("member", Map.of("nick", "4711"));
    assertThat(said(message).sender()).isEqualTo("8");
    assertThat(said(message).origin().senderName()).isEqualTo("4711");
  }

  @Test
  void otherBotsAndWebhooksAreProgramsAndItsOwnPostsAreEchoes() throws Exception {
    Map<String, Object> bot = inServer("hi");
    bot.put("author", Map.of("id", "8", "bot", true));
    assertThat(said(bot).origin().fromBot()).isTrue();
    Map<String, Object> webhook = inServer("hi");
    webhook.put("webhook_id", "8");
    assertThat(said(webhook).origin().fromBot()).isTrue();
    for (String own : List.of("900", "901")) {
      Map<String, Object> echo = inServer("hi");
      echo.put("author", Map.of("id", own, "bot", true));
      echo.put("nonce", "n1");
      assertThat(reader.message(echo, ME)).isEqualTo(new DiscordEvent.Posted("n1", "2000"));
    }
  }

  @Test
  void whatDiscordDoesNotShowWasNotMeantForTheBot() throws Exception {
    assertThat(reader.message(inServer(""), ME))
        .isEqualTo(new DiscordEvent.Dropped(DropReason.EMPTY));
    assertThat(reader(false).message(inServer(""), ME))
        .isEqualTo(new DiscordEvent.Dropped(DropReason.NOT_ADDRESSED));
  }

  @ParameterizedTest
  @CsvSource({"channel_id,../1", "id,x", "type,7", "author,none"})
  void whatMakesNoSenseIsIgnored(String key, String value) throws Exception {
    Map<String, Object> message = inServer("hi");
    message.put(key, key.equals("type") ? (Object) 7L : value);
    assertThat(reader.message(message, ME)).isEqualTo(new DiscordEvent.Ignored());
  }

  @Test
  void aFileAloneIsAMessage() throws Exception {
    Map<String, Object> message = DiscordRig.message("60", "", "2000", "7", "");
    message.put(
        "attachments",
        List.of(
            Map.of(
                "filename", "a.png",
                "content_type", "image/png",
                "size", 3L,
                "url", "https://cdn.discordapp.com/attachments/1/2/a.png?ex=1")));
    assertThat(said(message).attachments())
        .singleElement()
        .satisfies(file -> assertThat(file.bytes()).isEqualTo(3));
  }

  @Test
  void aChannelThatIsNotShownIsJustAChannel() throws Exception {
    rig.always("GET /channels/52", DiscordRig.error(403, 50001));
    assertThat(said(DiscordRig.message("52", "70", "2000", "7", "hi")).origin().chat())
        .isEqualTo("52");
    rig.always("GET /channels/53", DiscordRig.error(502, 0));
    assertThatThrownBy(() -> reader.message(DiscordRig.message("53", "70", "2000", "7", "hi"), ME))
        .isInstanceOf(CallFailedException.class);
  }
}
