package dev.holdfast.tests.channels;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Answer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.DoubleProcess;
import dev.holdfast.tests.harness.DoubleProcess.Kind;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Http;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.RunLength;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A platform that dies without a word: its process is stopped by SIGSTOP, its connections stay open
 * and accept more, and nothing comes any more.
 */
@Timeout(420)
@Execution(ExecutionMode.CONCURRENT)
@Outside(
    covers = {
      "plugins/discord/src/main",
      "plugins/telegram/src/main",
      "plugins/kit/src/main",
      "server/src/main/java/dev/holdfast/channels",
      "server/src/main/java/dev/holdfast/replies"
    })
class SilentPlatformTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int PEOPLE = 3;

  /** How often it may be asked in a minute of silence, and once it is back. */
  private static final int CALLS_MAX = 40;

  @ParameterizedTest
  @EnumSource
  void itIsNamedWhileItIsSilentAndWhatWasSaidIsAnsweredOnceAfterwards(Kind kind) throws Exception {
    Assumptions.assumeTrue(
        kind != Kind.SLACK || RunLength.isFull(), "takes minutes: ./holdfast test --full");
    String source = kind.name().toLowerCase(Locale.ROOT) + ":main";
    try (DoubleProcess platform = new DoubleProcess(kind);
        ServerRig rig = new ServerRig()) {
      rig.setup().timeScale(3).plugin(kind.name().toLowerCase(Locale.ROOT));
      configure(kind, rig.setup(), platform.origin());
      rig.start();
      Await.until("it is connected", LIMIT, platform::isConnected);
      say(platform, "before");
      awaitAnswers(platform, List.of("echo: before"));
      assertThat(ready(rig)).doesNotContain(source);
      int calls = platform.calls();

      platform.suspend();
      say(platform, "meanwhile");
      Await.until( // its breaker may be named before
          "/ready names it",
          LIMIT,
          () -> ready(rig).contains("listener/" + source) && ready(rig).contains("not_listening"));
      HoldfastCommand.Result list = HoldfastCommand.run(rig.setup(), "channels", "list");
      assertThat(list.exitCode()).isZero();
      assertThat(list.out().lines().filter(line -> line.startsWith(source)))
          .singleElement()
          .asString()
          .containsAnyOf("waiting", "connecting", "silent");

      platform.resume();
      awaitAnswers(platform, List.of("echo: before", "echo: meanwhile"));
      Await.until("/ready has no word of it", LIMIT, () -> !ready(rig).contains(source));
      say(platform, "after");
      awaitAnswers(platform, List.of("echo: before", "echo: meanwhile", "echo: after"));
      rig.api().awaitQuiet(LIMIT);
      int asked = platform.calls() - calls;
      System.out.printf("silent platform: %s was asked %d times%n", kind, asked);
      assertThat(asked).isLessThan(CALLS_MAX);
      assertThat(rig.server().stop()).isZero();
    }
  }

  private static void configure(Kind kind, Setup setup, String origin) {
    switch (kind) {
      case TELEGRAM -> TelegramWorld.serve(setup, origin, false);
      case SLACK -> SlackWorld.serve(setup, origin);
      case DISCORD -> DiscordWorld.serve(setup, origin);
    }
  }

  private static void say(DoubleProcess platform, String text) {
    for (int person = 0; person < PEOPLE; person++) {
      platform.say(person, text);
    }
  }

  private static void awaitAnswers(DoubleProcess platform, List<String> answers) {
    for (int each = 0; each < PEOPLE; each++) {
      int person = each;
      Await.until(
          person + " has the answers " + answers,
          LIMIT.plus(LIMIT),
          () -> platform.shown(person).containsAll(answers));
      assertThat(platform.shown(person)).isEqualTo(answers);
    }
  }

  /** What /ready says; in fast time a request may have too little of it on a busy machine. */
  private static String ready(ServerRig rig) {
    return Await.value(
        "/ready answers",
        LIMIT,
        () ->
            Optional.of(new Http().get(rig.setup().url("/ready"), Map.of()))
                .filter(answer -> answer.status() == 200)
                .map(Answer::body));
  }
}
