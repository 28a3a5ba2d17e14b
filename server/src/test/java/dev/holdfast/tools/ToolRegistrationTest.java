package dev.holdfast.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.config.Secrets;
import dev.holdfast.registry.Refusal;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.TimedWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class ToolRegistrationTest {
  private static final String ANY = "{\"type\":\"object\"}";
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir Path scratch;
  private final ManualTime time = new ManualTime();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Toolbox box =
      new Toolbox(
          List.of(new Plain("own")), new ToolOutputConfig(1000, 100), new Secrets(), time, meters);

  /** Says what it is told to say about itself. */
  private static class Plain implements Tool {
    private final ToolSpec spec;
    final AtomicInteger asked = new AtomicInteger();

    Plain(String name) {
      this(new ToolSpec(name, "a tool", ANY));
    }

    Plain(ToolSpec spec) {
      this.spec = spec;
    }

    @Override
    public ToolSpec spec() {
      asked.incrementAndGet();
      return spec;
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) throws InterruptedException {
      return ToolResult.ok("ran");
    }
  }

  private List<String> offered() {
    return box.specs().stream().map(ToolSpec::name).toList();
  }

  private ToolResult call(String tool) throws InterruptedException {
    return box.run(new ToolCall("c", tool, "{}"), context());
  }

  private ToolContext context() {
    return new ToolContext("t", "e", "s", "c", "k", scratch, ToolContext.Progress.SILENT);
  }

  private Refusal refusalOf(Tool tool) {
    try {
      box.add(tool);
      throw new AssertionError("it was added");
    } catch (RegistrationRefusedException e) {
      assertThat(offered()).containsExactly("own");
      assertThat(e).hasNoCause();
      return e.refusal();
    }
  }

  @Test
  void aToolIsOfferedFromItsAdditionToItsRemoval() throws Exception {
    Registration added = box.add(new Plain("late"));
    assertThat(offered()).containsExactly("late", "own");
    assertThat(call("late").text()).isEqualTo("ran");
    added.remove();
    assertThat(offered()).containsExactly("own");
    assertThat(added.awaitEnd(SOON)).isTrue();
  }

  @Test
  void aCallOfARemovedToolIsAnErrorThatSaysSo() throws Exception {
    box.add(new Plain("late")).remove();
    ToolResult result = call("late");
    assertThat(result.isError()).isTrue();
    assertThat(result.text()).contains("late").contains("no longer available").contains("own");
  }

  @Test
  void aToolIsAskedForItsFactsOnlyOnce() throws Exception {
    Plain tool = new Plain("late");
    box.add(tool);
    box.specs();
    box.find("late");
    call("late");
    assertThat(tool.asked).hasValue(1);
  }

  @Test
  void aNameThatIsTakenIsRefusedAndTheFirstStays() throws Exception {
    Registration first = box.add(new Plain("late"));
    assertThatThrownBy(() -> box.add(new Plain("late")))
        .isInstanceOfSatisfying(
            RegistrationRefusedException.class,
            e -> assertThat(e.refusal()).isEqualTo(new Refusal.NameTaken("tool", "late")));
    assertThat(call("late").text()).isEqualTo("ran");
    first.remove();
    box.add(new Plain("late"));
    assertThat(call("late").text()).isEqualTo("ran");
  }

  @ParameterizedTest
  @ValueSource(strings = {"own", "OWN", "shell", "Shell", "attach_file", "web_fetch", "write_file"})
  void theNamesOfTheServersOwnToolsAreReservedAlsoOfThoseThatAreOff(String name) {
    assertThat(refusalOf(new Plain(name))).isInstanceOf(Refusal.NameReserved.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "1st", "a b", "a\nb", "a/b", "ä", "a\u202eb", "a.b"})
  void aNameThatModelsCannotTakeIsRefused(String name) {
    assertThat(refusalOf(new Plain(name))).isInstanceOf(Refusal.Malformed.class);
  }

  @Test
  void whatIsTooLongIsRefusedAndNotRepeated() {
    Refusal name = refusalOf(new Plain("a".repeat(1_000_000)));
    assertThat(name.message()).hasSizeLessThan(300);
    String text = "a".repeat(1_000_000);
    assertThat(refusalOf(new Plain(new ToolSpec("late", text, ANY))).message())
        .contains("description")
        .hasSizeLessThan(300);
    String schema = "{\"type\":\"object\",\"title\":\"" + text + "\"}";
    assertThat(refusalOf(new Plain(new ToolSpec("late", "a tool", schema))).message())
        .contains("schema")
        .hasSizeLessThan(300);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\u0000b", "a\u202eb", "a\u200bb", "a\u001b[31m", "a\udb40\udc41b"})
  void aDescriptionThatPeopleSeeOtherwiseThanModelsIsRefused(String description) {
    assertThat(refusalOf(new Plain(new ToolSpec("late", description, ANY))).message())
        .contains("invisible");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "not json",
        "{\"type\":\"array\"}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"http://127.0.0.1/x\"}}}",
        "{\"$ref\":\"#/nowhere\"}",
        "{\"allOf\":[{\"$ref\":\"#\"}]}",
        "{\"properties\":{\"a\":{\"pattern\":\"(((\"}}}"
      })
  void aSchemaThatCannotBeUsedIsRefused(String schema) {
    assertThat(refusalOf(new Plain(new ToolSpec("late", "a tool", schema))))
        .isInstanceOf(Refusal.Malformed.class);
    assertThat(refusalOf(new Plain(new ToolSpec("late", "a tool", ANY, schema + " "))))
        .isInstanceOf(Refusal.Malformed.class);
  }

  static List<Throwable> throwables() {
    return List.of(
        new IllegalStateException("secret"),
        new NoClassDefFoundError("secret"),
        new StackOverflowError(),
        new IOException("secret"));
  }

  /** Throws also what no signature allows, as plugins can. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void aToolThatThrowsAboutItselfIsRefused(Throwable thrown) {
    Tool tool =
        new Plain("late") {
          @Override
          public ToolSpec spec() {
            ToolRegistrationTest.<RuntimeException>sneak(thrown);
            return super.spec();
          }
        };
    assertThat(refusalOf(tool))
        .isInstanceOf(Refusal.CodeFailed.class)
        .extracting(Refusal::message)
        .asString()
        .doesNotContain("secret");
  }

  @Test
  void aToolThatSaysNothingIsRefused() {
    Tool tool =
        new Plain("late") {
          @Override
          @SuppressWarnings("NullAway") // as a plugin might
          public ReplayClass replay() {
            return null;
          }
        };
    assertThat(refusalOf(tool).message()).contains("replay");
    Tool endless =
        new Plain("late") {
          @Override
          public Duration timeout() {
            return Duration.ofDays(1_000_000);
          }
        };
    assertThat(refusalOf(endless).message()).contains("timeout");
  }

  /** Runs until it is let go, whatever interrupts it. */
  private static final class Stubborn extends Plain {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch letGo = new CountDownLatch(1);

    Stubborn() {
      super("late");
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      begun.countDown();
      while (true) {
        try {
          letGo.await();
          return ToolResult.ok("late");
        } catch (InterruptedException _) {
          Thread.onSpinWait(); // that is what it is for
        }
      }
    }
  }

  @Test
  void aCallThatRunsMayEndAndIsWaitedFor() throws Exception {
    Stubborn tool = new Stubborn();
    Registration added = box.add(tool);
    FutureTask<ToolResult> running = background(() -> call("late"));
    tool.begun.await();
    added.remove();
    assertThat(added.awaitEnd(Duration.ofMillis(20))).isFalse();
    assertThat(call("late").text()).contains("no longer available");
    tool.letGo.countDown();
    assertThat(running.get().text()).isEqualTo("late");
    assertThat(added.awaitEnd(SOON)).isTrue();
  }

  @Test
  void aCallThatNobodyWaitsForAnyMoreStillCounts() throws Exception {
    Stubborn tool = new Stubborn();
    Registration added = box.add(tool);
    Thread caller =
        Thread.ofVirtual()
            .start(
                () ->
                    assertThatThrownBy(() -> call("late"))
                        .isInstanceOf(InterruptedException.class));
    tool.begun.await();
    caller.interrupt();
    caller.join();
    added.remove();
    assertThat(added.awaitEnd(Duration.ofMillis(20))).isFalse();
    tool.letGo.countDown();
    assertThat(added.awaitEnd(SOON)).isTrue();
  }

  @Test
  void aToolThatIsRemovedWhileItsCallWaitsForASecondTryGetsNone() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    Registration[] added = new Registration[1];
    added[0] =
        box.add(
            new Plain("late") {
              @Override
              public ReplayClass replay() {
                return ReplayClass.READ;
              }

              @Override
              public ToolResult run(String arguments, ToolContext context) {
                runs.incrementAndGet();
                added[0].remove();
                return ToolResult.error(Failure.of(FailureCode.NETWORK, "gone"));
              }
            });
    assertThat(call("late").isError()).isTrue();
    assertThat(runs).hasValue(1);
    assertThat(added[0].awaitEnd(SOON)).isTrue();
  }

  @Test
  void aRemovedToolLeavesNoMetersBehind() throws Exception {
    call("own");
    int before = meters.getMeters().size();
    for (int i = 0; i < 100; i++) {
      Registration added = box.add(new Plain("late" + i));
      call("late" + i);
      added.remove();
      assertThat(added.awaitEnd(SOON)).isTrue();
    }
    assertThat(meters.getMeters()).hasSize(before);
  }

  @Test
  void aLabelThatFailsOrFloodsIsReplacedOrCut() throws Exception {
    box.add(
        new Plain("fails") {
          @Override
          public String label(String arguments) {
            throw new IllegalStateException("a bug");
          }
        });
    box.add(
        new Plain("floods") {
          @Override
          public String label(String arguments) {
            return "x".repeat(1_000_000);
          }
        });
    assertThat(box.label(new ToolCall("c", "fails", "{}"))).isEqualTo("fails");
    assertThat(box.label(new ToolCall("c", "floods", "{}"))).hasSizeLessThan(1000);
    assertThat(box.label(new ToolCall("c", "gone", "{}"))).isEqualTo("gone");
  }

  @Test
  void whatTakesTooLongToBeCheckedIsToldToTheModelAndLeavesNothingRunning() throws Exception {
    String next = "{\"properties\":{\"a\":{\"$ref\":\"#\"}}},";
    String schema = "{\"allOf\":[" + next.repeat(20) + "true]}";
    box.add(new Plain(new ToolSpec("late", "a tool", schema)));
    String arguments = "{\"a\":".repeat(40) + "{}" + "}".repeat(40);
    ToolResult result = box.run(new ToolCall("c", "late", arguments), context());
    assertThat(result.text())
        .isEqualTo("The arguments cannot be checked: the tool's schema is too costly.");
    time.advance(Duration.ofMinutes(1));
    TimedWait.until("its thread is free", () -> box.hanging() == 0);
  }

  private static <T> FutureTask<T> background(Callable<T> body) {
    FutureTask<T> task = new FutureTask<>(body);
    Thread.ofVirtual().start(task);
    return task;
  }
}
