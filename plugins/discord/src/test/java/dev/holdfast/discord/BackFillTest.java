package dev.holdfast.discord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.StateFile;
import dev.holdfast.kit.testing.FakeConfig;
import dev.holdfast.kit.testing.HttpDouble.Said;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackFillTest {
  private static final DiscordIdentity ME =
      new DiscordIdentity(DiscordRig.BOT, "helper", DiscordRig.APP, 0, "", "");
  private static final String HISTORY = "GET /channels/60/messages";
  private static final long FIRST = 2_000_000_000_000_000_000L;

  @TempDir private Path folder;
  private DiscordRig rig;
  private DiscordBot bot;
  private TalkedChannels talked;

  @BeforeEach
  void start() throws IOException {
    rig = DiscordRig.gateway(folder);
    rig.says("GET /channels/60", "{\"id\":\"60\",\"type\":0,\"guild_id\":\"70\"}");
    DiscordAccount account =
        DiscordAccount.read(
            new FakeConfig(Map.of("bot_token", DiscordRig.TOKEN)), "main", _ -> Optional.empty());
    bot = new DiscordBot(rig.context(), account, rig.baseUrl());
    talked = talked();
  }

  private TalkedChannels talked() throws IOException {
    StateFile file = StateFile.open(folder.resolve("talked.json"), 8);
    return new TalkedChannels(rig.context(), file, "main");
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static String page(int messages) {
    return JsonText.write(
        IntStream.range(0, messages)
            .mapToObj(i -> DiscordRig.message("60", "", Long.toString(FIRST + i), "7", "m" + i))
            .toList());
  }

  private List<DiscordEvent> all(BackFill filling) throws Exception {
    List<DiscordEvent> events = new ArrayList<>();
    for (int steps = 0; !filling.isDone(); steps++) {
      assertThat(steps).isLessThan(100);
      rig.context().advance(filling.pause());
      events.addAll(filling.step());
    }
    return events;
  }

  @Test
  void whatIsNoHistoryIsNotReadAsNothingMissed() throws Exception {
    talked.taken("60", Long.toString(FIRST));
    rig.says(HISTORY, "<html>log in</html>");
    assertThat(catchThrowable(() -> all(new BackFill(bot, ME, talked))))
        .isInstanceOf(CallFailedException.class);
  }

  @Test
  void withoutAChannelThereIsNothingToRead() {
    assertThat(new BackFill(bot, ME, talked).isDone()).isTrue();
  }

  @Test
  void aMessageOfTheHistoryIsTheSameAsOneOfTheGateway() throws Exception {
    talked.taken("60", Long.toString(FIRST - 1));
    rig.says(HISTORY, page(1));
    DiscordEvent.Said said = (DiscordEvent.Said) all(new BackFill(bot, ME, talked)).getFirst();
    assertThat(said.message().dedupeKey()).isEqualTo("60:" + FIRST);
    assertThat(said.message().origin().team()).isEqualTo("70");
  }

  @Test
  void fiveFullPagesAreTheMost() throws Exception {
    talked.taken("60", Long.toString(FIRST - 1));
    rig.says(HISTORY, page(100));
    assertThat(all(new BackFill(bot, ME, talked))).hasSize(500);
    assertThat(rig.asked(HISTORY)).hasSize(5);
    assertThat(rig.asked(HISTORY).get(1).path()).contains("after=" + (FIRST + 99));
  }

  @Test
  void whatIsOlderThanADayIsLeftAlone() throws Exception {
    rig.context().advance(Duration.between(Instant.EPOCH, Instant.parse("2026-01-03T00:00:00Z")));
    talked.taken("60", "1000");
    assertThat(all(new BackFill(bot, ME, talked))).isEmpty();
    long oldest = Snowflake.at(Instant.parse("2026-01-02T00:00:00Z"));
    assertThat(rig.asked(HISTORY).getFirst().path()).contains("after=" + oldest);
  }

  @Test
  void aChannelThatIsGoneIsForgotten() throws Exception {
    talked.taken("60", Long.toString(FIRST));
    rig.always(HISTORY, DiscordRig.error(403, 50001));
    assertThat(all(new BackFill(bot, ME, talked))).isEmpty();
    assertThat(talked.all()).isEmpty();
  }

  @Test
  void aPassingFailureIsTriedThreeTimesAndThenTold() throws Exception {
    talked.taken("60", Long.toString(FIRST));
    rig.next(HISTORY, DiscordRig.error(502, 0), DiscordRig.error(503, 0));
    rig.says(HISTORY, page(1));
    assertThat(all(new BackFill(bot, ME, talked))).hasSize(1);
    rig.always(HISTORY, DiscordRig.error(502, 0));
    assertThat(failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(rig.asked(HISTORY)).hasSize(6);
    assertThat(talked.all()).as("next time").containsKey("60");
  }

  private Failure failure() {
    BackFill filling = new BackFill(bot, ME, talked);
    return ((CallFailedException) catchThrowable(() -> all(filling))).failure();
  }

  @Test
  void aRevokedTokenIsToldAndAChannelThatIsRefusedLeftOut() throws Exception {
    talked.taken("60", Long.toString(FIRST));
    rig.next(HISTORY, DiscordRig.error(400, 50035));
    assertThat(all(new BackFill(bot, ME, talked))).isEmpty();
    rig.next(HISTORY, DiscordRig.error(401, 0));
    assertThat(failure().code()).isEqualTo(FailureCode.AUTH);
  }

  @Test
  void aShortWaitHoldsUpWhatComesAndALongOneDoesNot() throws Exception {
    talked.taken("60", Long.toString(FIRST));
    rig.next(HISTORY, Said.json(429, "{\"retry_after\":5}"));
    rig.says(HISTORY, page(1));
    BackFill filling = new BackFill(bot, ME, talked);
    assertThat(filling.step()).isEmpty();
    assertThat(filling.pause()).isEqualTo(Duration.ofSeconds(5));
    assertThat(filling.isPostponed()).isFalse();
    assertThat(all(filling)).hasSize(1);
    rig.next(HISTORY, Said.json(429, "{\"retry_after\":3000}"));
    BackFill postponed = new BackFill(bot, ME, talked);
    assertThat(postponed.step()).isEmpty();
    assertThat(postponed.isPostponed()).isTrue();
    assertThat(postponed.isLeft("60")).isTrue();
    assertThat(postponed.pause()).isEqualTo(Duration.ofMinutes(50));
    rig.context().advance(Duration.ofMinutes(50));
    assertThat(all(postponed)).hasSize(1);
    assertThat(postponed.isPostponed()).isFalse();
  }

  @Test
  void theLastFiveHundredChannelsAreKeptOverARestart() throws Exception {
    for (int channel = 1; channel <= TalkedChannels.CHANNELS_MAX + 1; channel++) {
      talked.taken(Integer.toString(channel), Long.toString(FIRST + channel));
    }
    talked.taken("2", "5"); // came late, and is older
    talked.save();
    TalkedChannels later = talked();
    assertThat(later.all()).isEqualTo(talked.all()).hasSize(TalkedChannels.CHANNELS_MAX);
    assertThat(later.all()).doesNotContainKey("1").containsEntry("2", FIRST + 2);
  }
}
