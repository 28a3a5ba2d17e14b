package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.StopSequence.Outcome;
import dev.holdfast.StopSequence.Result;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.time.ManualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The windows of a real server, with parts that hang and throw. */
@Timeout(120)
class StopSequenceTest {
  private static final Duration USUAL = Duration.ofSeconds(25);
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  @TempDir Path folder;
  private Server server;
  private List<StopStep> table;
  private final ManualTime time = new ManualTime();
  private final Queue<String> begun = new ConcurrentLinkedQueue<>();
  private final CountDownLatch over = new CountDownLatch(1);

  @BeforeEach
  void start() throws Exception {
    ServerRunner runner = new ServerRunner(folder, "http: {port: 0}\nmetrics: {port: 0}\n");
    server = runner.start(new Opened(_ -> {}));
    // Answered when the contract was read, which unpacks files that a stop would meet half way.
    assertThat(ServerRunner.get(server, "/api/v1/status").statusCode()).isEqualTo(200);
    table = server.stopSteps();
  }

  @AfterEach
  void stop() throws Exception {
    over.countDown();
    server.stop(() -> false);
    assertThat(folder.resolve("data/clean_shutdown")).exists();
  }

  @Test
  void allStepsRunInTheirOrder() throws Exception {
    List<Result> results = run(table.stream().map(this::well), USUAL);
    assertThat(begun).containsExactlyElementsOf(names());
    assertThat(results).extracting(Result::outcome).containsOnly(Outcome.DONE);
    assertThat(time.nanos()).as("nobody waited").isZero();
  }

  @Test
  void whateverHangsAllBehindItRuns() throws Exception {
    for (StopStep stuck : table) {
      long beginNanos = time.nanos();
      begun.clear();
      List<Result> results =
          run(table.stream().map(step -> step.equals(stuck) ? hanging(step) : well(step)), USUAL);
      assertThat(begun).as("%s hangs", stuck.name()).containsExactlyElementsOf(names());
      assertThat(results)
          .as("%s hangs", stuck.name())
          .filteredOn(result -> result.outcome() != Outcome.DONE)
          .singleElement()
          .satisfies(
              result -> {
                assertThat(result.step()).isEqualTo(stuck.name());
                assertThat(result.outcome()).isEqualTo(Outcome.LEFT_BEHIND);
              });
      assertThat(sinceNanos(beginNanos)).isLessThanOrEqualTo(USUAL);
    }
  }

  @Test
  void whateverThrowsAllBehindItRuns() throws Exception {
    for (StopStep broken : table) {
      begun.clear();
      List<Result> results =
          run(table.stream().map(step -> step.equals(broken) ? throwing(step) : well(step)), USUAL);
      assertThat(begun).as("%s throws", broken.name()).containsExactlyElementsOf(names());
      assertThat(results)
          .filteredOn(result -> result.outcome() == Outcome.FAILED)
          .extracting(Result::step)
          .containsExactly(broken.name());
    }
  }

  @Test
  void allHangAndTheBudgetHolds() throws Exception {
    List<Result> results = run(table.stream().map(this::hanging), USUAL);
    assertThat(begun).containsExactlyElementsOf(names());
    assertThat(sinceNanos(0)).isLessThanOrEqualTo(USUAL);
    for (int number = 0; number < table.size(); number++) {
      assertThat(results.get(number).took())
          .as(table.get(number).name())
          .isGreaterThanOrEqualTo(table.get(number).min());
    }
    assertThat(new StopSequence(time, table).minimum().multipliedBy(2))
        .as("the usual budget keeps the minimums free")
        .isLessThanOrEqualTo(USUAL);
  }

  @Test
  void aBudgetThatIsTooShortCostsTheMinimumsAtMost() throws Exception {
    List<Result> _ = run(table.stream().map(this::hanging), SHORTEST);
    assertThat(begun).containsExactlyElementsOf(names());
    assertThat(sinceNanos(0))
        .isLessThanOrEqualTo(SHORTEST.plus(new StopSequence(time, table).minimum()));
  }

  @Test
  void whoeverHurriesWaitsForTheMinimumsAlone() throws Exception {
    AtomicBoolean hurry = new AtomicBoolean();
    CountDownLatch seen = new CountDownLatch(1);
    StopStep first = table.getFirst();
    StopStep.Work hurries =
        _ -> {
          hurry.set(true);
          seen.await();
          return hang(first, Deadline.in(time, first.min().minus(first.notice())));
        };
    List<StopStep> steps =
        Stream.concat(Stream.of(working(first, hurries)), table.stream().skip(1).map(this::hanging))
            .toList();
    List<Result> _ =
        new StopSequence(time, steps)
            .run(
                USUAL,
                () -> {
                  boolean asked = hurry.get();
                  if (asked) {
                    seen.countDown();
                  }
                  return asked;
                });
    assertThat(begun).containsExactlyElementsOf(names());
    assertThat(sinceNanos(0)).isLessThanOrEqualTo(new StopSequence(time, table).minimum());
  }

  @Test
  void aStepThatObeysItsInterruptIsCutOff() throws Exception {
    StopStep children = find("child processes");
    List<Result> results =
        run(
            Stream.of(
                working(
                    children,
                    window -> {
                      time.advance(window.left());
                      over.await();
                      return true;
                    })),
            USUAL);
    assertThat(results).extracting(Result::outcome).containsExactly(Outcome.CUT_OFF);
    assertThat(sinceNanos(0)).isEqualTo(children.max().minus(children.notice()));
  }

  @Test
  void theStoreIsNeverInterrupted() throws Exception {
    AtomicBoolean interrupted = new AtomicBoolean();
    CountDownLatch ended = new CountDownLatch(1);
    StopStep store = find("store");
    StopStep.Work writes =
        window -> {
          try {
            time.advance(window.left().plus(store.notice()));
            over.await();
          } catch (InterruptedException _) {
            interrupted.set(true);
          } finally {
            ended.countDown();
          }
          return true;
        };
    List<Result> results = run(Stream.of(working(store, writes)), USUAL);
    assertThat(results).extracting(Result::outcome).containsExactly(Outcome.LEFT_BEHIND);
    over.countDown();
    ended.await();
    assertThat(interrupted).isFalse();
  }

  @Test
  void aLineSaysWhatBecomesOfUnsafeTasksAndLostResponses() {
    assertThat(find("unfinished tasks").otherwise()).contains("dead letters", "outcome is unknown");
    assertThat(find("outbox").otherwise()).contains("replies.on_unknown");
  }

  @Test
  void thePageHasTheSameTable() throws Exception {
    List<String> rows =
        Files.readAllLines(Path.of("../docs/stopping.md")).stream()
            .filter(line -> line.matches("\\| \\d+ \\|.*"))
            .map(line -> line.replaceFirst("^\\| \\d+ \\| ([^|]+) \\|.*$", "$1"))
            .toList();
    assertThat(rows).containsExactlyElementsOf(names());
    assertThat(Files.readString(Path.of("../docs/stopping.md")))
        .contains(seconds(new StopSequence(time, table).minimum()) + " s");
  }

  private static String seconds(Duration duration) {
    return Double.toString(duration.toMillis() / 1000.0).replaceAll("\\.0$", "");
  }

  private List<Result> run(Stream<StopStep> steps, Duration budget) throws InterruptedException {
    return new StopSequence(time, steps.toList()).run(budget, () -> false);
  }

  private List<String> names() {
    return table.stream().map(StopStep::name).toList();
  }

  private StopStep find(String name) {
    return table.stream().filter(step -> step.name().equals(name)).findFirst().orElseThrow();
  }

  private Duration sinceNanos(long beginNanos) {
    return Duration.ofNanos(time.nanos() - beginNanos);
  }

  private StopStep well(StopStep step) {
    return working(step, _ -> true);
  }

  private StopStep throwing(StopStep step) {
    return working(
        step,
        _ -> {
          throw new IllegalStateException("broken");
        });
  }

  /** Uses up its window and what it has after the interrupt, and never returns by itself. */
  private StopStep hanging(StopStep step) {
    return working(step, window -> hang(step, window));
  }

  private boolean hang(StopStep step, Deadline window) {
    time.advance(window.left().plus(step.notice()));
    boolean returns = false;
    while (!returns) {
      try {
        over.await();
        returns = true;
      } catch (InterruptedException _) {
        returns = over.getCount() == 0; // that is what hanging means
      }
    }
    return true;
  }

  private StopStep working(StopStep step, StopStep.Work work) {
    StopStep.Work noted =
        window -> {
          begun.add(step.name());
          return work.run(window);
        };
    return new StopStep(
        step.name(),
        step.min(),
        step.max(),
        step.share(),
        step.mayInterrupt(),
        step.otherwise(),
        noted);
  }
}
