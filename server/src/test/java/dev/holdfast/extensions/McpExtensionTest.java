package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolResult;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.media.Samples;
import dev.holdfast.time.TimedWait;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real children that speak the protocol, the hostile among them. */
@Timeout(60)
class McpExtensionTest extends ExtensionCase {
  @ParameterizedTest
  @ValueSource(strings = {"first", "modern", "pages"})
  void whatTheServerListsIsOfferedAndCanBeCalled(String flag) throws Exception {
    rig.serve(ExtensionRig.server("demo", flag));
    assertThat(rig.offered()).contains("demo_echo", "demo_add").doesNotContain("demo_as_task");
    assertThat(rig.call("demo_echo", "{\"a\":1}").text()).isEqualTo("echo {\"a\": 1}");
    assertThat(rig.view("demo").lastError()).isEmpty();
    assertThat(rig.counted("holdfast.extension.calls", "id", "demo", "outcome", "ok")).isOne();
  }

  @Test
  void onlyWhatIsAllowedIsOfferedAndUndeclaredToolsAreUnsafe() throws Exception {
    String rules = "  tools: {allow: [echo, a*], replay: {echo: read}}\n";
    rig.serve(ExtensionRig.server("demo", List.of(), rules));
    assertThat(rig.offered()).containsExactly("demo_add", "demo_ask", "demo_echo");
    assertThat(rig.toolbox.find("demo_echo").orElseThrow().replay()).isEqualTo(ReplayClass.READ);
    assertThat(rig.toolbox.find("demo_add").orElseThrow().replay()).isEqualTo(ReplayClass.UNSAFE);
  }

  @Test
  void anErrorOfAToolIsToldToTheModelAndNeverOpensTheBreaker() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    for (int i = 0; i < 8; i++) {
      ToolResult failed = rig.call("demo_fail");
      assertThat(failed.text()).isEqualTo("it went wrong");
      assertThat(failure(failed).kind()).isEqualTo(FailureKind.INVALID);
      assertThat(failure(rig.call("demo_refuse")).code()).isEqualTo(FailureCode.INVALID_REQUEST);
    }
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  @Test
  void argumentsThatDoNotFitDoNotReachTheServer() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(failure(rig.call("demo_add", "{}")).code()).isEqualTo(FailureCode.INVALID_REQUEST);
    assertThat(rig.counted("holdfast.extension.calls", "id", "demo", "outcome", "ok")).isZero();
  }

  @Test
  void aStructuredResultMustFitItsSchema() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.call("demo_structured", "{\"n\":3}").text()).isEqualTo("{\"n\":3}");
    assertThat(failure(rig.call("demo_structured", "{\"n\":\"x\"}")).code())
        .isEqualTo(FailureCode.BACKEND_FAILURE);
  }

  @Test
  void imagesAndResourcesAreDescribed() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.call("demo_image").text())
        .isEqualTo(
            "[image: image/png, 8 characters of base64]\n[resource: x file:///x]\n"
                + "[resource: demo://y]\ninside");
  }

  /** A result with images of these bytes. */
  private ToolResult images(boolean isError, byte[]... all) throws Exception {
    JsonArray data = new JsonArray();
    List.of(all).forEach(bytes -> data.add(Base64.getEncoder().encodeToString(bytes)));
    return rig.call(
        "demo_image", new JsonObject().put("images", data).put("error", isError).encode());
  }

  @Test
  void imagesAreSavedInTheWorkingFolderWithinTheLimits() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    byte[] png = Samples.png(8, 8);
    byte[] gif = Samples.image("gif", 9, 9);
    ToolResult result = images(false, png, gif, png);
    assertThat(result.images())
        .as("as many as one result may have")
        .containsExactly(Path.of("images/key-1-1.png"), Path.of("images/key-1-2.gif"));
    assertThat(rig.folder.resolve("images/key-1-1.png")).hasBinaryContent(png);
    assertThat(rig.folder.resolve("images/key-1-2.gif")).hasBinaryContent(gif);
    assertThat(result.text().lines())
        .hasSize(3)
        .startsWith("[image: images/key-1-1.png]", "[image: images/key-1-2.gif]")
        .last()
        .asString()
        .startsWith("[image: image/png, ");
  }

  @Test
  void imagesThatAreTooLargeOrNoneAreDescribed() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    byte[] png = Samples.png(8, 8);
    byte[] html = "<html>".getBytes(StandardCharsets.UTF_8);
    ToolResult result =
        images(
            false, html, Arrays.copyOf(png, 601), Arrays.copyOf(png, 598), Arrays.copyOf(png, 599));
    assertThat(result.images()).containsExactly(Path.of("images/key-1-1.png"));
    assertThat(result.text().lines().filter(line -> line.contains("characters of base64")))
        .hasSize(3);
    assertThat(images(true, png).images()).isEmpty();
    assertThat(images(true, png).text()).contains("characters of base64");
  }

  @Test
  void noImageIsSavedWhereALinkLeadsTo() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    Path elsewhere = Files.createDirectory(rig.folder.resolve("elsewhere"));
    Files.createSymbolicLink(rig.folder.resolve("images"), elsewhere);
    assertThat(images(false, Samples.png(8, 8)).text()).contains("characters of base64");
    assertThat(elsewhere).isEmptyDirectory();
  }

  @Test
  void progressIsShownWhileTheToolRuns() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.call("demo_progress").isError()).isFalse();
    assertThat(rig.labels).containsExactly("demo: step 1 (1 of 2)", "demo: step 2 (2 of 2)");
  }

  @Test
  void wordsOfProgressAreShortAndAllOfThemVisible() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    String words = "a\u202eb\u001b %d " + "x".repeat(190) + "\ud83d\ude00".repeat(20);
    assertThat(rig.call("demo_progress", new JsonObject().put("say", words).encode()).isError())
        .isFalse();
    String shown = Objects.requireNonNull(rig.labels.peek()).substring("demo: ".length());
    assertThat(shown).startsWith("ab 1 xxx").hasSizeLessThanOrEqualTo(200);
    assertThat(Character.isHighSurrogate(shown.charAt(shown.length() - 1))).isFalse();
  }

  @Test
  void aRequestOfTheServerIsRefused() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(new JsonObject(rig.call("demo_ask").text()).getInteger("code")).isEqualTo(-32601);
  }

  @Test
  void theServerGetsTheVariablesThatWereGrantedAndItsOwnFolderOnly() throws Exception {
    rig.environment.put("DEMO_TOKEN", "s3cret-of-demo");
    rig.environment.put("OTHER_TOKEN", "other");
    rig.serve(ExtensionRig.server("demo", List.of(), "  env: [DEMO_TOKEN]\n"));
    JsonObject seen = new JsonObject(rig.call("demo_environment").text());
    assertThat(seen.fieldNames())
        .contains("DEMO_TOKEN", "PATH", "HOME")
        .doesNotContain("OTHER_TOKEN");
    assertThat(seen.getString("DEMO_TOKEN")).as("a model never reads it").isEqualTo("***");
    assertThat(rig.call("demo_folder").text())
        .isEqualTo(rig.folder.resolve("demo/files").toString());
  }

  @Test
  void withoutItsVariableItIsParkedAndStartsWhenThatIsThere() throws Exception {
    List<String> _ = rig.declare(ExtensionRig.server("demo", List.of(), "  env: [DEMO_TOKEN]\n"));
    rig.await("demo", ExtensionState.PARKED);
    assertThat(rig.extensions().reports().getFirst().message()).contains("DEMO_TOKEN is not set");
    rig.environment.put("DEMO_TOKEN", "s3cret-of-demo");
    rig.await("demo", ExtensionState.READY);
    assertThat(rig.extensions().reports()).isEmpty();
    TimedWait.until("it is told", () -> rig.incidents.recovered.contains("extension_down demo"));
  }

  @Test
  void aServerThatDiesInACallFailsItAtOnceAndIsBackForTheNext() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    long begun = System.nanoTime();
    ToolResult died = rig.call("demo_die");
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(2));
    assertThat(failure(died).code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failure(died).isPassing()).isTrue();
    assertThat(died.text()).endsWith("The outcome is unknown: check before repeating.");
    assertThat(rig.call("demo_echo").text()).isEqualTo("echo {}");
    assertThat(rig.view("demo").restarts()).isOne();
    assertThat(rig.starts("demo")).isEqualTo(2);
  }

  @Test
  void halfALineIsADeathToo() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(failure(rig.call("demo_half")).code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  @Test
  void oneThatClosesItsOutputIsKilledAndStartedAgain() throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of(), "  timeouts: {call_secs: 1}\n"));
    assertThat(rig.call("demo_close_output").isError()).isTrue();
    TimedWait.until("killed", () -> rig.view("demo").restarts() > 0);
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  @Test
  void aTimeoutTellsTheServerAndLeavesItRunning() throws Exception {
    String more = "  timeouts: {call_secs: 1}\n";
    rig.serve(ExtensionRig.server("demo", List.of(), more));
    ToolResult late = rig.call("demo_hang");
    assertThat(failure(late).code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(rig.call("demo_echo").isError()).isFalse();
    Path cancelled = rig.folder.resolve("demo/files/cancelled");
    TimedWait.until("told", () -> Files.exists(cancelled));
    assertThat(Files.readString(cancelled)).contains("timeout");
    assertThat(rig.starts("demo")).isOne();
  }

  /** In a call that the server has, and does not answer. */
  private Thread inCall() {
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    rig.call("demo_hang");
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                  }
                });
    Path hanging = rig.folder.resolve("demo/files/hanging");
    TimedWait.until("the server has it", () -> Files.exists(hanging));
    return caller;
  }

  @Test
  void oneThatWasStoppedInACallIsKilledAndStartedAgain() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    Thread caller = inCall();
    for (long pid : rig.extensions().processes("demo")) {
      int _ = new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
    }
    TimedWait.until("started again", () -> rig.view("demo").restarts() == 1);
    assertThat(rig.view("demo").lastError()).contains("gives no sign of life");
    caller.join();
    rig.await("demo", ExtensionState.READY);
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  @Test
  void anInterruptTellsTheServerAndEndsTheCallAtOnce() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    Thread turn = inCall();
    turn.interrupt();
    turn.join();
    Path cancelled = rig.folder.resolve("demo/files/cancelled");
    TimedWait.until("told", () -> Files.exists(cancelled));
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  @Test
  void itsLastWordsAreTakenWhenItHasEnded() throws Exception {
    List<String> _ =
        rig.declare(
            """
            - id: demo
              command:
                - bash
                - -c
                - |
                  refusal='{"jsonrpc": "2.0", "id": \\1, "error": {"code": -32603, "message": "no"}}'
                  sed -u -E 's/.*"id":([0-9]+).*/'"$refusal"'/'
                  echo cannot go on >&2
              restart: {max: 0}
            """);
    rig.await("demo", ExtensionState.PARKED);
    assertThat(rig.incidents.reported)
        .singleElement()
        .satisfies(
            incident -> assertThat(incident.details().output()).containsExactly("cannot go on"));
  }

  @Test
  void oneThatCrashesAtEachStartIsParkedAndShown() throws Exception {
    List<String> _ = rig.declare(ExtensionRig.server("demo", "crash"));
    rig.await("demo", ExtensionState.PARKED);
    assertThat(rig.starts("demo")).isEqualTo(6);
    assertThat(rig.extensions().reports())
        .singleElement()
        .satisfies(
            report -> {
              assertThat(report.reason()).isEqualTo("parked");
              assertThat(report.subject()).isEqualTo("demo");
              assertThat(report.nextAttemptAt()).isNotNull();
            });
    assertThat(rig.extensions().logs("demo").orElseThrow()).contains("server starts");
    int before = rig.starts("demo");
    TimedWait.until("it is tried again", () -> rig.view("demo").restarts() > before + 1);
    assertThat(rig.incidents.reported)
        .as("once, however often it is tried")
        .singleElement()
        .satisfies(
            told -> {
              assertThat(told.kind()).isEqualTo(IncidentKind.EXTENSION_DOWN);
              assertThat(told.part()).isEqualTo("demo");
              assertThat(told.details().output()).contains("server starts");
            });
  }

  private Path mended() {
    return rig.folder.resolve("demo/files/mended");
  }

  @Test
  void aTryThatFailsDoesNotEndThatItIsGivenUpAndOneThatSucceedsDoes() throws Exception {
    List<String> _ = rig.declare(ExtensionRig.server("demo", "crash"));
    rig.await("demo", ExtensionState.PARKED);
    long before = rig.view("demo").restarts();
    TimedWait.until("tried", () -> isTriedInVain(ExtensionState.STARTING));
    TimedWait.until(
        "failed again",
        () -> isTriedInVain(ExtensionState.PARKED) && rig.view("demo").restarts() > before + 1);
    assertThat(rig.incidents.recovered).isEmpty();
    Path _ = Files.createFile(mended());
    TimedWait.until("it works", () -> !rig.view("demo").givenUp());
    assertThat(rig.view("demo").state()).isEqualTo(ExtensionState.READY);
    assertThat(rig.extensions().reports()).isEmpty();
    TimedWait.until("it is told", () -> rig.incidents.recovered.contains("extension_down demo"));
  }

  private boolean isTriedInVain(ExtensionState state) {
    ExtensionView view = rig.view("demo");
    assertThat(view.givenUp()).as("while it is %s", view.state()).isTrue();
    assertThat(rig.extensions().reports())
        .singleElement()
        .returns("parked", ConditionReport::reason);
    return view.state() == state;
  }

  @Test
  void oneThatDiesWheneverItIsReadyStaysGivenUpAndIsToldOnce() throws Exception {
    List<String> _ = rig.declare(ExtensionRig.server("demo", "brief"));
    rig.await("demo", ExtensionState.PARKED);
    rig.incidents.recovered.clear();
    long before = rig.view("demo").restarts();
    TimedWait.until(
        "tried again",
        () -> {
          assertThat(rig.view("demo").givenUp()).isTrue();
          return rig.view("demo").restarts() > before + 2;
        });
    assertThat(rig.incidents.recovered).isEmpty();
    assertThat(rig.incidents.reported).hasSize(1);
  }

  @Test
  void whatAnEarlierRunReportedIsOverWhenItRestsAfterTheStart() throws Exception {
    Path _ = Files.createDirectories(rig.folder.resolve("demo/files"));
    Path _ = Files.createFile(mended());
    rig.serve(ExtensionRig.server("demo", "crash"));
    Files.delete(mended());
    assertThat(rig.extensions().restart("demo")).isTrue();
    rig.await("demo", ExtensionState.PARKED);
    rig.incidents.recovered.clear();
    rig.again(Pace.USUAL);
    List<String> _ = rig.declare(ExtensionRig.server("demo", "crash"));
    TimedWait.until("it is over", () -> rig.incidents.recovered.contains("extension_down demo"));
    assertThat(rig.view("demo").state()).isEqualTo(ExtensionState.IDLE);
    assertThat(rig.view("demo").givenUp()).isFalse();
  }

  @Test
  void oneThatGivesNoSignOfLifeIsKilledAndStartedAgain() throws Exception {
    rig.serve(ExtensionRig.server("demo", "no-ping"));
    TimedWait.until("killed", () -> rig.view("demo").restarts() > 0);
    rig.await("demo", ExtensionState.READY);
    assertThat(rig.starts("demo")).isGreaterThan(1);
  }

  @Test
  void oneThatNeverAnswersIsGivenUpAfterItsTimeToStart() throws Exception {
    String more = "  timeouts: {start_secs: 1}\n";
    List<String> _ = rig.declare(ExtensionRig.server("demo", List.of("silent"), more));
    TimedWait.until("given up", () -> rig.view("demo").restarts() > 0);
    assertThat(rig.view("demo").lastError()).contains("did not answer within 1 s");
  }

  @Test
  void garbageDoubleAnswersAndWrongIdsAreCountedAndDropped() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.call("demo_garbage").text()).isEqualTo("garbage {}");
    assertThat(rig.call("demo_twice").text()).isEqualTo("twice {}");
    assertThat(rig.call("demo_wrong").text()).isEqualTo("wrong {}");
    assertThat(rig.call("demo_echo").text()).isEqualTo("echo {}");
    assertThat(rig.view("demo").strays()).isEqualTo(6);
    assertThat(rig.starts("demo")).isOne();
  }

  @Test
  void whatIsCountedIsCountedOverRestarts() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.call("demo_garbage").isError()).isFalse();
    long before = rig.view("demo").strays();
    assertThat(before).isPositive();
    rig.extensions().restart("demo");
    TimedWait.until("again", () -> startsOf("demo") == 2);
    rig.await("demo", ExtensionState.READY);
    assertThat(rig.view("demo").strays()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({
    "digits, more than 1000 digits",
    "early, more than 1000 digits",
    "nested, nested more than 100000 deep",
    "broken, no JSON from character"
  })
  void anAnswerThatCannotBeReadFailsItsCallAtOnceWithTheReason(String how, String reason)
      throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of(), "  timeouts: {call_secs: 50}\n"));
    ToolResult unread = rig.call("demo_unreadable", "{\"how\":\"" + how + "\"}");
    assertThat(unread.text()).contains("its answer is not readable: it", reason);
    assertThat(failure(unread).code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(rig.call("demo_echo").isError()).isFalse();
    assertThat(rig.starts("demo")).isOne();
    assertThat(rig.view("demo").strays()).isOne();
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "modern", "pages"})
  void aToolThatCannotBeReadIsNamedAndTheOthersAreOffered(String flag) throws Exception {
    rig.serve(ExtensionRig.server("demo", "unreadable", flag));
    assertThat(rig.offered())
        .contains("demo_add", "demo_echo")
        .doesNotContain("demo_heavy", "demo_abyss");
    assertThat(rig.view("demo").refused())
        .contains(
            "heavy: it cannot be read: it has a number of more than 1000 digits",
            "abyss: it cannot be read: it is nested more than 1000 deep");
    assertThat(rig.view("demo").restarts()).isZero();
  }

  @Test
  void whatAServerWritesInThePlaceOfMessagesIsSaidWhenItDoesNotServe() throws Exception {
    String more = "  timeouts: {start_secs: 4}\n";
    List<String> _ = rig.declare(ExtensionRig.server("demo", List.of("banner", "silent"), more));
    TimedWait.until("given up", () -> rig.view("demo").restarts() > 0);
    assertThat(rig.view("demo").lastError())
        .contains("did not answer within 4 s. What it wrote was not understood: it is no JSON")
        .contains("Listening on port 5");
    assertThat(rig.view("demo").strays()).isPositive();
  }

  /** Also from what is kept, before it runs again. */
  @Test
  void eachToolThatIsNotOfferedIsNamedWithItsReason() throws Exception {
    rig.serve(ExtensionRig.server("demo", "homonyms"));
    assertUnusableAreNamed();
    rig.again(Pace.USUAL);
    List<String> _ = rig.declare(ExtensionRig.server("demo", "homonyms"));
    TimedWait.until("offered", () -> rig.offered().contains("demo_c_d"));
    assertUnusableAreNamed();
    assertThat(rig.call("demo_c_d").text()).isEqualTo("c_d {}");
  }

  private void assertUnusableAreNamed() {
    String noName = "a tool without a name: its name is missing, empty or no text";
    assertThat(rig.view("demo").refused())
        .containsExactly(
            "c d: models would call it demo_c_d, as they call c_d",
            "c.d: models would call it demo_c_d, as they call c_d",
            "as_task: it can be called as a task only",
            noName,
            "x".repeat(64) + "…: its name has more than 128 characters",
            "echo: it is listed twice",
            noName,
            noName,
            noName,
            "a tool without a name: it is no object",
            "a tool without a name: it is no object");
  }

  @Test
  void thousandsOfToolsThatCannotBeOfferedAreCounted() throws Exception {
    rig.serve(ExtensionRig.server("demo", "odd-names"));
    assertThat(rig.view("demo").refused()).hasSize(21).last().isEqualTo("and 981 more");
    assertThat(rig.offered()).contains("demo_echo");
  }

  @Test
  void membersThatAreNullOrOfAnotherTypeEndNothing() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.call("demo_nulls").isError()).isFalse();
    assertThat(rig.call("demo_echo").isError()).isFalse();
    assertThat(rig.starts("demo")).isOne();
    assertThat(rig.view("demo").strays()).isEqualTo(3);
  }

  @Test
  void aFloodOfGarbageEndsTheServer() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.call("demo_flood").text()).contains("lines that are no messages");
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  @Test
  void aLineOf100MegabytesAndAFloodOfErrorsHoldNobodyUp() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.call("demo_long").text()).isEqualTo("long {}");
    assertThat(rig.call("demo_stderr").text()).isEqualTo("stderr {}");
    assertThat(rig.extensions().logs("demo").orElseThrow()).hasSizeLessThanOrEqualTo(50);
  }

  @Test
  void tenThousandToolsAndASchemaOf5MegabytesAreBoundedAndNamed() throws Exception {
    rig.serve(ExtensionRig.server("demo", "large", "many"));
    ExtensionView view = rig.view("demo");
    assertThat(view.tools()).hasSize(OfferedTools.OFFERED_MAX);
    assertThat(view.refused()).anyMatch(reason -> reason.startsWith("demo_large: "));
    assertThat(view.refused()).anyMatch(reason -> reason.contains(" tools: no more than 200"));
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  @Test
  void toolsWhoseSchemasCannotBeUsedAreNamedWithTheReasonAndTheOthersAreOffered() throws Exception {
    rig.serve(ExtensionRig.server("demo", "unusable"));
    assertOthersAreOffered();
    rig.again(Pace.USUAL);
    List<String> _ = rig.declare(ExtensionRig.server("demo", "unusable"));
    TimedWait.until("offered", () -> rig.offered().contains("demo_echo"));
    assertOthersAreOffered();
    assertThat(rig.view("demo").state()).isEqualTo(ExtensionState.IDLE);
  }

  private void assertOthersAreOffered() {
    assertThat(rig.offered())
        .contains("demo_add", "demo_echo")
        .doesNotContain("demo_circle", "demo_deep", "demo_unclear");
    assertThat(rig.view("demo").refused())
        .anyMatch(why -> why.startsWith("demo_circle: ") && why.contains("refers to itself"))
        .anyMatch(why -> why.startsWith("demo_deep: ") && why.contains("deeper than 200"))
        .anyMatch(why -> why.startsWith("demo_unclear: ") && why.contains("((("));
  }

  @Test
  void aToolThatWouldHaveTheNameOfABuiltInOneIsNotOffered() throws Exception {
    rig.serve(ExtensionRig.server("read", "built-in"));
    assertThat(rig.offered()).contains("read_echo").doesNotContain("read_file");
    assertThat(rig.view("read").refused()).anyMatch(reason -> reason.startsWith("read_file: "));
  }

  @Test
  void aChangedListIsReadSoon() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.offered()).doesNotContain("demo_grown");
    assertThat(rig.call("demo_change").isError()).isFalse();
    TimedWait.until("read", () -> waits("demo", "grown"));
  }

  private boolean waits(String id, String tool) {
    return rig.view(id).held().stream().anyMatch(held -> held.name().equals(tool));
  }

  /** It reads nothing while it works: neither the request for its list nor a ping. */
  @Test
  void aChangeRightBehindTheFirstListIsRead() throws Exception {
    rig.serve(ExtensionRig.server("demo", "late"));
    TimedWait.until("read", () -> !rig.view("demo").held().isEmpty());
  }

  @Test
  void oneWhoseListChangesWheneverItIsReadIsStoppedWhenNobodyNeedsIt() throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of("restless"), "  timeouts: {idle_secs: 1}\n"));
    rig.await("demo", ExtensionState.IDLE);
  }

  @Test
  void aListThatIsAsItWasIsNotWrittenAgain() throws Exception {
    rig.serve(ExtensionRig.server("demo", "features"));
    Path tools = rig.folder.resolve("demo/tools.json");
    Path prompts = rig.folder.resolve("demo/prompts.json");
    List<Object> before = List.of(identity(tools), identity(prompts));
    rig.extensions().restart("demo");
    TimedWait.until("again", () -> startsOf("demo") == 2);
    rig.await("demo", ExtensionState.READY);
    assertThat(List.of(identity(tools), identity(prompts))).isEqualTo(before);
    assertThat(rig.call("demo_change").isError()).isFalse();
    TimedWait.until("written", () -> !before.getFirst().equals(identity(tools)));
  }

  /** Another one when the file is written anew. */
  private static Object identity(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aServerThatWorksAtACallIsNotDisturbedInIt() throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of(), "  timeouts: {list_secs: 1}\n"));
    assertThat(rig.call("demo_busy").text()).isEqualTo("busy {}");
    TimedWait.until("read", () -> waits("demo", "grown"));
    assertThat(rig.starts("demo")).isOne();
  }

  @Test
  void whatWasListedBeforeIsOfferedWithoutAStartAndTheFirstCallStartsIt() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    rig.again(Pace.USUAL);
    List<String> _ = rig.declare(ExtensionRig.server("demo"));
    TimedWait.until("offered", () -> rig.offered().contains("demo_echo"));
    assertThat(rig.view("demo").state()).isEqualTo(ExtensionState.IDLE);
    assertThat(rig.view("demo").server()).isEqualTo("test 1");
    assertThat(rig.starts("demo")).isOne();
    assertThat(rig.call("demo_echo").isError()).isFalse();
    assertThat(rig.starts("demo")).isEqualTo(2);
  }

  @Test
  void whatCannotBeUnderstoodOfAnEarlierRunIsShownAndDoesNotKeepItFromStarting() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    Path kept = rig.folder.resolve("demo/tools.json");
    JsonObject list = new JsonObject(Files.readString(kept));
    rig.again(rig.pace);
    list.getJsonArray("tools").getJsonObject(0).remove("schema");
    Files.writeString(kept, list.encode());
    List<String> _ =
        rig.extensions()
            .replaceAll(
                "configuration",
                ExtensionRig.parsed(
                    ExtensionRig.server("demo")
                        .replace(
                            "initial_backoff_ms: 20, max_backoff_ms: 40",
                            "initial_backoff_ms: 3600000, max_backoff_ms: 3600000")));
    TimedWait.until("shown", () -> !rig.extensions().reports().isEmpty());
    assertThat(rig.view("demo").lastError()).isEqualTo("It was not understood.");
    assertThat(rig.extensions().restart("demo")).isTrue();
    rig.await("demo", ExtensionState.READY);
    assertThat(rig.offered()).contains("demo_echo");
  }

  @Test
  void anotherCommandDoesNotInheritTheList() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    rig.again(Pace.USUAL);
    rig.serve(ExtensionRig.server("demo", "modern"));
    assertThat(rig.starts("demo")).isEqualTo(2);
  }

  @Test
  void oneThatIsNotUsedIsStoppedAndStartedByTheNextCall() throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of(), "  timeouts: {idle_secs: 1}\n"));
    rig.await("demo", ExtensionState.IDLE);
    assertThat(rig.offered()).contains("demo_echo");
    assertThat(rig.call("demo_echo").isError()).isFalse();
    assertThat(rig.starts("demo")).isEqualTo(2);
    assertThat(rig.view("demo").restarts()).as("nothing has crashed").isZero();
  }

  /** By its own account it never ends; the kernel would end it in mid-call. */
  @Test
  void oneThatFillsItsMemoryIsStartedAnewBetweenCalls() throws Exception {
    rig.serve(ExtensionRig.server("demo", List.of(), "  limits: {memory_mb: 200}\n"));
    assertThat(rig.call("demo_grow", "{\"mb\":20}").isError()).isFalse();
    assertThat(rig.view("demo").restarts()).isZero();
    for (int i = 0; i < 2; i++) {
      assertThat(rig.call("demo_grow", "{\"mb\":80}").isError()).isFalse();
    }
    TimedWait.until("restarted", () -> rig.view("demo").restarts() == 1);
    assertThat(rig.view("demo").lastError() + rig.extensions().reports()).contains("90 %");
    rig.await("demo", ExtensionState.READY);
    assertThat(rig.call("demo_echo").isError()).isFalse();
    assertThat(rig.starts("demo")).isEqualTo(2);
  }

  @Test
  void whileACallRunsNothingIsStartedAnew() throws Exception {
    String more = "  limits: {memory_mb: 200}\n  timeouts: {call_secs: 30}\n";
    rig.serve(ExtensionRig.server("demo", List.of(), more));
    Thread waiting = inCall();
    TimedWait.until("looked at", () -> rig.view("demo").memoryBytes() > 0);
    assertThat(rig.call("demo_grow", "{\"mb\":180}").isError()).isFalse();
    TimedWait.until("no more calls let in", () -> rig.view("demo").memoryBytes() == 0);
    assertThat(rig.call("demo_echo").isError()).as("nor kept out for long").isFalse();
    assertThat(waiting.isAlive()).isTrue();
    assertThat(rig.starts("demo")).isOne();
    waiting.interrupt();
    waiting.join();
    TimedWait.until("restarted", () -> rig.view("demo").restarts() == 1);
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  @Test
  void aRestartByHandStartsItAnew() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    assertThat(rig.extensions().restart("demo")).isTrue();
    assertThat(rig.extensions().restart("other")).isFalse();
    TimedWait.until("started again", () -> startsOf("demo") == 2);
    assertThat(rig.call("demo_echo").isError()).isFalse();
  }

  private int startsOf(String id) {
    try {
      return rig.starts(id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
