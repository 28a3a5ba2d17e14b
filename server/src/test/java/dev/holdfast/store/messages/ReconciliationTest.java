package dev.holdfast.store.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import dev.holdfast.time.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A look at what is open leaves the processors to others, whatever lies between it. */
class ReconciliationTest {
  private static final int EVENTS = 5_000;

  @TempDir Path folder;
  @AutoClose private TestStore it;
  private Reconciliation reconciliation;
  private final List<Duration> rests = new ArrayList<>();
  private final List<List<Waiting>> heard = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    it = new TestStore(folder);
    List<CompletableFuture<Appended>> all =
        IntStream.range(0, EVENTS)
            .mapToObj(number -> it.store.inbox().append(TestStore.event("t", "k" + number)))
            .toList();
    all.forEach(CompletableFuture::join);
    reconciliation = new Reconciliation(it.store.engine(), new ManualTime());
    reconciliation.onLook(heard::add);
  }

  private boolean rest(Duration wait) {
    rests.add(wait);
    return true;
  }

  @Test
  void itRestsBetweenPagesOfWhatIsOpen() throws Exception {
    assertThat(reconciliation.look(this::rest)).isFalse();
    assertThat(rests).hasSize(2).allMatch(wait -> !wait.isNegative());
    assertThat(heard.getFirst()).hasSize(EVENTS);
  }

  /** One message that waits for a day must not have all that came since read in one go. */
  @Test
  void itRestsBetweenPagesOfWhatIsOverToo() throws Exception {
    List<Long> others = IntStream.rangeClosed(2, EVENTS).mapToObj(Long::valueOf).toList();
    it.store.inbox().finish(new Finish(others, EventState.SILENT, "", List.of(), List.of()));
    assertThat(reconciliation.look(this::rest)).isFalse();
    assertThat(rests).hasSize(2);
    assertThat(heard.getFirst()).hasSize(1);
    assertThat(it.store.engine().repairs().count()).isZero();
  }

  @Test
  void whatIsOverAtTheBeginningIsReadOnce() throws Exception {
    List<Long> others = IntStream.range(1, EVENTS).mapToObj(Long::valueOf).toList();
    it.store.inbox().finish(new Finish(others, EventState.SILENT, "", List.of(), List.of()));
    reconciliation.look(this::rest);
    rests.clear();
    reconciliation.look(this::rest);
    assertThat(rests).isEmpty();
    assertThat(heard).hasSize(2).allSatisfy(waiting -> assertThat(waiting).hasSize(1));
  }

  /** A bit of a number that changed lifts it, and all later messages are counted on from there. */
  @ParameterizedTest
  @ValueSource(longs = {EVENTS + (1L << 40), Long.MAX_VALUE - 1_000})
  void itGoesOverAGapInTheNumbersAtOnce(long lifted) throws Exception {
    TestStore.sql(folder, "update events set seq = " + lifted + " where seq = " + EVENTS);
    reconciliation.look(wait -> rest(wait) && rests.size() < 10);
    assertThat(heard).hasSize(1);
    assertThat(heard.getFirst()).hasSize(EVENTS);
    assertThat(rests).hasSize(3);
  }

  @Test
  void toldToEndItTellsNobody() throws Exception {
    assertThat(reconciliation.look(_ -> false)).isFalse();
    assertThat(heard).isEmpty();
  }
}
