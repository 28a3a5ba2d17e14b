package dev.holdfast.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.testing.FakeSink;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MissedMessagesTest {
  private static final SlackIdentity ME = new SlackIdentity("UBOT", "BBOT", "T1", "Acme", Set.of());

  @TempDir private Path folder;
  private final FakeSink sink = new FakeSink();
  private SlackRig rig;
  private SlackBot bot;
  private long now;

  @BeforeEach
  void start() {
    rig = SlackRig.socket(folder);
    bot = ((SlackChannel) rig.channel()).bot("main");
    rig.context().advance(Duration.ofDays(20_000));
    now = rig.context().now().getEpochSecond();
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private String ts(long secondsAgo) {
    return now - secondsAgo + ".000100";
  }

  /** Something was said in C1 an hour ago, the app answered below of it, and then it was alone. */
  private void hearAndLeave() {
    bot.marks().heard(rig.context().now().minusSeconds(3600));
    bot.marks()
        .committed(
            new InboundMessage(
                "main",
                "C1:" + ts(3600),
                "U1",
                "hello",
                List.of(),
                "C1:" + ts(3600),
                new Origin(Origin.Place.GROUP, "C1", "T1", "", false, true)));
    bot.talk().posted(new SlackPlace("C1", ts(3600)), ts(3590));
  }

  private void take() throws InterruptedException {
    MissedMessages.since(bot, sink, ME).take();
  }

  private static Said history(String cursor, List<Map<String, Object>> messages) {
    return SlackRig.ok(
        "\"messages\":%s,\"response_metadata\":{\"next_cursor\":\"%s\"}"
            .formatted(JsonText.write(messages), cursor));
  }

  private static Map<String, Object> said(String ts, String user, String text) {
    return Map.of("type", "message", "ts", ts, "user", user, "text", text, "team", "T1");
  }

  @Test
  void whatWasSaidInChannelsAndThreadsMeanwhileIsTakenInItsOrder() throws Exception {
    hearAndLeave();
    rig.next(
        "conversations.history",
        history(
            "next",
            List.of(said(ts(100), "U2", "<@UBOT> third"), said(ts(200), "UBOT", "an own post"))),
        history("", List.of(said(ts(300), "U1", "<@UBOT> second"))));
    rig.next(
        "conversations.replies",
        history(
            "",
            List.of(
                said(ts(3600), "U1", "the message above"),
                Map.of(
                    "type",
                    "message",
                    "ts",
                    ts(900),
                    "thread_ts",
                    ts(3600),
                    "user",
                    "U1",
                    "text",
                    "first"))));
    take();
    assertThat(sink.texts()).containsExactlyInAnyOrder("first", "second", "third");
    assertThat(sink.texts().indexOf("second")).isLessThan(sink.texts().indexOf("third"));
    InboundMessage inThread =
        sink.messages().stream().filter(each -> each.text().equals("first")).findFirst().get();
    assertThat(inThread.thread()).isEqualTo("C1:" + ts(3600));
    assertThat(inThread.dedupeKey()).as("as an event has it").isEqualTo("C1:" + ts(900));
    assertThat(rig.calls("conversations.history").getFirst().get("oldest")).isEqualTo(ts(3600));
    assertThat(rig.calls("conversations.replies").getFirst().parameters())
        .containsEntry("oldest", ts(3590))
        .containsEntry("ts", ts(3600));
  }

  @Test
  void afterAShortGapNothingIsAskedSinceSlackSendsItAgain() throws Exception {
    hearAndLeave();
    for (int minutesAgo = 58; minutesAgo >= 1; minutesAgo--) {
      bot.marks().heard(rig.context().now().minusSeconds(60L * minutesAgo));
    }
    take();
    assertThat(rig.methods()).isEmpty();
  }

  @Test
  void nothingIsAskedForBeforeTheFirstMessageEver() throws Exception {
    take();
    assertThat(rig.methods()).isEmpty();
    assertThat(bot.marks().position()).isEmpty();
  }

  @Test
  void whatIsOlderThanADayIsLeft() throws Exception {
    hearAndLeave();
    rig.context().advance(Duration.ofDays(9));
    rig.always("conversations.history", history("", List.of()));
    rig.always("conversations.replies", history("", List.of()));
    take();
    long dayAgo = rig.context().now().minus(Duration.ofHours(24)).getEpochSecond();
    assertThat(rig.calls("conversations.history").getFirst().get("oldest"))
        .isEqualTo(dayAgo + ".000000");
  }

  @Test
  void aRateLimitIsWaitedForAndAChannelThatIsGoneHoldsUpNoOther() throws Exception {
    hearAndLeave();
    rig.next(
        "conversations.history",
        new Said(429, Map.of("retry-after", "30"), "{\"ok\":false,\"error\":\"ratelimited\"}"),
        history("", List.of(said(ts(50), "U1", "late"))));
    rig.always("conversations.replies", SlackRig.error("channel_not_found"));
    take();
    assertThat(sink.texts()).containsExactly("late");
    assertThat(rig.calls("conversations.replies")).hasSize(1);
    assertThat(rig.context().sleeps()).contains(Duration.ofSeconds(30));
  }

  @Test
  void whatFailsAndMayPassIsAskedForAgainForADay() throws Exception {
    hearAndLeave();
    rig.always("conversations.replies", history("", List.of()));
    Said[] failures = new Said[7];
    Arrays.fill(failures, new Said(500, Map.of(), ""));
    rig.next("conversations.history", failures);
    rig.next("conversations.history", history("", List.of(said(ts(50), "U1", "late"))));
    take();
    assertThat(sink.texts()).containsExactly("late");
    assertThat(rig.context().sleeps()).contains(Duration.ofMinutes(5));
    assertThat(rig.calls("conversations.replies")).as("it is there").hasSize(1);

    rig.context().advance(Duration.ofHours(1));
    rig.always("conversations.history", new Said(500, Map.of(), ""));
    Instant begun = rig.context().now();
    take();
    assertThat(Duration.between(begun, rig.context().now()))
        .isBetween(Duration.ofHours(24), Duration.ofHours(25));
    assertThat(bot.marks().missing()).isEmpty();
  }

  @Test
  void anAbsenceWhileAnotherOneIsAskedForIsNotForgotten() {
    hearAndLeave();
    bot.marks().heard(rig.context().now());
    List<ReadMarks.Mark> first = bot.marks().missing();
    bot.talk().posted(new SlackPlace("C2", ""), ts(0));
    rig.context().advance(Duration.ofMinutes(10));
    bot.marks().heard(rig.context().now());
    first.forEach(bot.marks()::filled);
    assertThat(bot.marks().missing().stream().map(ReadMarks.Mark::place))
        .contains(new SlackPlace("C1", ""), new SlackPlace("C2", ""));
    assertThat(bot.marks().missing().stream().map(ReadMarks.Mark::ts)).contains(ts(3600), ts(0));
  }

  @Test
  void aPostOfTheAppMovesNoMarkPastWhatHasNotComeYet() throws Exception {
    hearAndLeave();
    bot.talk().posted(new SlackPlace("C1", ts(3600)), ts(10));
    rig.always("conversations.history", history("", List.of()));
    rig.always("conversations.replies", history("", List.of()));
    take();
    assertThat(rig.calls("conversations.replies").getFirst().get("oldest")).isEqualTo(ts(3590));
  }

  @Test
  void aMessageThatWasEditedMeanwhileIsTakenAsItIsAndOneWithoutATeamIsOfThisOne() throws Exception {
    hearAndLeave();
    rig.next(
        "conversations.history",
        history(
            "",
            List.of(
                Map.of(
                    "type",
                    "message",
                    "ts",
                    ts(60),
                    "user",
                    "U1",
                    "text",
                    "<@UBOT> corrected",
                    "edited",
                    Map.of("user", "U1", "ts", ts(50))))));
    rig.always("conversations.replies", history("", List.of()));
    take();
    assertThat(sink.texts()).containsExactly("corrected");
    assertThat(sink.messages().getFirst().origin().team()).isEqualTo("T1");
    assertThat(sink.receives()).as("only a socket proves that it lives").isZero();
  }

  @Test
  void aMarkIsSavedOnlyWhenAllBeforeItIsThere() throws Exception {
    hearAndLeave();
    String before = bot.marks().position().orElseThrow();
    MissedMessages missed = MissedMessages.since(bot, sink, ME);
    bot.marks().heard(rig.context().now());
    assertThat(bot.marks().position()).as("a crash now begins again").isEmpty();
    rig.always("conversations.history", history("", List.of()));
    rig.always("conversations.replies", history("", List.of()));
    missed.take();
    assertThat(bot.marks().position()).isPresent();
    ReadMarks again = new ReadMarks();
    again.load(before);
    assertThat(again.position()).hasValue(before);
    again.load("{\"heard\":5}");
    assertThat(again.position()).as("a run knows better than what was saved").hasValue(before);
  }

  @Test
  void whatIsSavedFitsAndKeepsTheLatest() {
    bot.marks().heard(rig.context().now());
    List<String> threads = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      String channel = "C" + "X".repeat(60) + i;
      threads.add(channel);
      bot.talk().posted(new SlackPlace(channel, ""), ts(1000 - i));
    }
    String position = bot.marks().position().orElseThrow();
    assertThat(position.length()).isLessThanOrEqualTo(16_384);
    assertThat(position).contains(threads.getLast()).doesNotContain(threads.getFirst() + "\"");
  }

  @Test
  void aDamagedPositionIsAsNone() {
    for (String damaged :
        List.of("", "no JSON", "[]", "{\"marks\":{\"C1\":\"x\"},\"heard\":\"y\"}")) {
      ReadMarks marks = new ReadMarks();
      marks.load(damaged);
      assertThat(marks.position()).isEmpty();
    }
  }
}
