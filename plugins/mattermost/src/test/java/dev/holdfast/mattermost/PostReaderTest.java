package dev.holdfast.mattermost;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostReaderTest {
  private static final ChannelKind PUBLIC = ChannelKind.of("O", "team1");

  private final PostReader reader = new PostReader("main");

  private MattermostEvent read(Map<String, Object> post, ChannelKind kind) {
    return reader.post(post, kind, "@ann", false, MattermostRig.SELF);
  }

  private InboundMessage said(Map<String, Object> post, ChannelKind kind) {
    return ((MattermostEvent.Said) read(post, kind)).message();
  }

  private static Map<String, Object> post(String text) {
    return MattermostRig.post("p1", "chan", text);
  }

  @Test
  void aPostInAChannelBeginsAThreadBelowItself() {
    InboundMessage message = said(post("@holdfast: what is new?"), PUBLIC);
    assertThat(message.thread()).isEqualTo("chan:p1");
    assertThat(message.sender()).isEqualTo("ann");
    assertThat(message.text()).isEqualTo("what is new?");
    assertThat(message.dedupeKey()).isEqualTo("p1");
    assertThat(message.origin())
        .isEqualTo(new Origin(Origin.Place.GROUP, "chan", "team1", "ann", false, true));
  }

  @Test
  void aReplyStaysInItsThread() {
    Map<String, Object> post = post("and then?");
    post.put("root_id", "root1");
    InboundMessage message = said(post, PUBLIC);
    assertThat(message.thread()).isEqualTo("chan:root1");
    assertThat(message.origin().place()).isEqualTo(Origin.Place.THREAD);
    assertThat(message.origin().addressed()).isFalse();
  }

  @Test
  void aDirectConversationIsOneAndEachThreadInItOneMore() {
    Map<String, Object> post = post("hello");
    assertThat(said(post, ChannelKind.DIRECT).thread()).isEqualTo("chan");
    assertThat(said(post, ChannelKind.DIRECT).origin())
        .isEqualTo(new Origin(Origin.Place.DIRECT, "", "", "ann", false, true));
    post.put("root_id", "root1");
    assertThat(said(post, ChannelKind.DIRECT).thread()).isEqualTo("chan:root1");
  }

  @Test
  void aConversationOfSeveralIsAGroupAndHasNoTeam() {
    Origin origin = said(post("hello"), ChannelKind.of("G", "")).origin();
    assertThat(origin).isEqualTo(new Origin(Origin.Place.GROUP, "chan", "", "ann", false, false));
  }

  @Test
  void itsOwnPostIsCountedAndNotRead() {
    Map<String, Object> post = post("echo: hello");
    post.put("user_id", MattermostRig.BOT);
    assertThat(read(post, PUBLIC)).isEqualTo(new MattermostEvent.Dropped(DropReason.OWN_ECHO));
  }

  @ParameterizedTest
  @ValueSource(strings = {"system_join_channel", "system_ephemeral", "custom_calls", "me"})
  void whatNoPersonWroteIsIgnored(String type) {
    Map<String, Object> post = post("@holdfast ann joined");
    post.put("type", type);
    assertThat(read(post, PUBLIC)).isEqualTo(new MattermostEvent.Ignored());
  }

  @Test
  void aDeletedPostAndOneOfAnUnknownKindOfChannelAreIgnored() {
    assertThat(read(post("hello"), ChannelKind.of("X", "")))
        .isEqualTo(new MattermostEvent.Ignored());
    Map<String, Object> post = post("hello");
    post.put("delete_at", 5L);
    assertThat(read(post, PUBLIC)).isEqualTo(new MattermostEvent.Ignored());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "../users/me", "a b", "a/b", "a:b", "a?b"})
  void whatIsNoIdNeverComesIntoAThreadOrAPath(String id) {
    for (String key : List.of("id", "channel_id", "user_id")) {
      Map<String, Object> post = post("hello");
      post.put(key, id);
      assertThat(read(post, PUBLIC)).isEqualTo(new MattermostEvent.Ignored());
    }
    Map<String, Object> post = post("hello");
    post.put("root_id", id);
    assertThat(said(post, PUBLIC).thread()).isEqualTo("chan:p1");
  }

  @Test
  void aWebhookIsNotThePersonWhoMadeIt() {
    Map<String, Object> post = post("@holdfast hello");
    post.put("props", Map.of("from_webhook", "true", "override_username", "ann"));
    InboundMessage message = said(post, PUBLIC);
    assertThat(message.sender()).isEqualTo("webhook:ann");
    assertThat(message.origin().fromBot()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"from_bot", "from_plugin", "from_webhook"})
  void aProgramIsKnownAsOne(String prop) {
    Map<String, Object> post = post("hello");
    post.put("props", Map.of(prop, "true"));
    assertThat(said(post, PUBLIC).origin().fromBot()).isTrue();
    post.put("props", Map.of(prop, true));
    assertThat(said(post, PUBLIC).origin().fromBot()).isTrue();
    post.put("props", Map.of(prop, "false"));
    assertThat(said(post, PUBLIC).origin().fromBot()).isFalse();
  }

  @Test
  void aNameThatLooksLikeAnIdStaysAName() {
    MattermostEvent event = reader.post(post("hello"), PUBLIC, "@boss", false, MattermostRig.SELF);
    InboundMessage message = ((MattermostEvent.Said) event).message();
    assertThat(message.sender()).isEqualTo("ann");
    assertThat(message.origin().senderName()).isEqualTo("boss");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@holdfast",
        "@Holdfast hello",
        "hello @holdfast.",
        "(@holdfast)",
        "x\n@holdfast, y"
      })
  void aMentionIsSeen(String text) {
    assertThat(PostReader.mentions(text, "holdfast")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@holdfast2",
        "@holdfast-dev",
        "@holdfast.dev",
        "@holdfast_x",
        "ann@holdfast",
        "mail ann@holdfast.org",
        "@@holdfast",
        "https://x.org/@holdfast",
        "holdfast",
        "@all",
        ""
      })
  void whatOnlyLooksLikeAMentionIsNone(String text) {
    assertThat(PostReader.mentions(text, "holdfast")).isFalse();
  }

  @Test
  void aMentionByAnotherNameCountsAndOneOfEverybodyDoesNot() {
    Map<String, Object> data = Map.of("mentions", "[\"" + MattermostRig.BOT + "\"]");
    assertThat(PostReader.isMentioned(data, "@helpers hello", MattermostRig.SELF)).isTrue();
    for (String text : List.of("@all hello", "hello @Channel!", "@here", "@all-hands")) {
      assertThat(PostReader.isMentioned(data, text, MattermostRig.SELF)).isFalse();
    }
    assertThat(PostReader.isMentioned(Map.of("mentions", "[\"ann\"]"), "hello", MattermostRig.SELF))
        .isFalse();
  }

  @Test
  void aMentionAloneIsEmptyAndAFileAloneIsNot() {
    Map<String, Object> post = post("@holdfast ");
    assertThat(read(post, PUBLIC)).isEqualTo(new MattermostEvent.Dropped(DropReason.EMPTY));
    post.put("file_ids", List.of("f1"));
    assertThat(said(post, PUBLIC).attachments())
        .singleElement()
        .satisfies(file -> assertThat(file.url()).isEqualTo("mattermost-file:f1"));
  }

  @Test
  void filesAreDescribedByTheirMetadata() {
    Map<String, Object> post = post("look");
    post.put("file_ids", List.of("f1", "f2"));
    post.put(
        "metadata",
        Map.of(
            "files",
            List.of(
                Map.of("id", "f1", "name", "a.png", "mime_type", "image/png", "size", 12L),
                Map.of("id", "../f2", "name", "b"))));
    assertThat(said(post, PUBLIC).attachments())
        .singleElement()
        .satisfies(
            file -> {
              assertThat(file.name()).isEqualTo("a.png");
              assertThat(file.mediaType()).isEqualTo("image/png");
              assertThat(file.bytes()).isEqualTo(12);
            });
  }

  @Test
  void aSlashInTheThreadIsACommandForTheBot() {
    Map<String, Object> post = post("@holdfast /stop");
    post.put("root_id", "root1");
    assertThat(said(post, PUBLIC).text()).isEqualTo("/stop");
  }

  @Test
  void theTimeOfAHostileMentionIsBounded() {
    String text = "@holdfast ".repeat(20_000);
    assertThat(PostReader.without(text, "holdfast")).isEmpty();
  }
}
