package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.StoreHooks;
import dev.holdfast.store.engine.StoreRefusal;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.StoryLine;
import dev.holdfast.store.threads.ContextEntry;
import dev.holdfast.store.threads.ThreadFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A disk of 16 MiB in memory, filled to its last byte. */
class FullDiskTest extends SmallDiskCase {
  private Path fill() throws IOException {
    Path ballast = root.resolve("ballast");
    try (var out =
        Files.newOutputStream(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      for (int size = 65_536; size >= 1; size /= 16) {
        try {
          while (true) {
            out.write(new byte[size]);
          }
        } catch (IOException _) {
          // full; a smaller piece may still fit
        }
      }
    }
    return ballast;
  }

  private static @Nullable StoreException tryAppend(TestStore it, String key) {
    try {
      it.store.inbox().append(TestStore.event("t1", key, "x".repeat(2000))).join();
      return null;
    } catch (CompletionException e) {
      return (StoreException) e.getCause();
    }
  }

  @Test
  void aFullDiskRefusesClearlyLosesNothingAndHealsByItself() throws Exception {
    Path data = root.resolve("data");
    List<String> accepted = new ArrayList<>();
    try (TestStore it = new TestStore(data)) {
      for (int i = 0; i < 20; i++) {
        assertThat(tryAppend(it, "before" + i)).isNull();
        accepted.add("before" + i);
      }
      Path ballast = fill();
      StoreException refusal = null;
      for (int i = 0; i < 5000 && refusal == null; i++) {
        refusal = tryAppend(it, "during" + i);
        if (refusal == null) {
          accepted.add("during" + i);
        }
      }
      if (refusal == null) {
        throw new AssertionError("the disk never filled");
      }
      assertThat(refusal.failure().code()).isEqualTo(FailureCode.OVERLOADED);
      assertThat(refusal.failure().retryAfter()).isPositive();
      assertThat(it.store.refusal())
          .get()
          .extracting(StoreRefusal::cause)
          .isEqualTo(StoreRefusal.Cause.DISK_TAKES_NOTHING);
      it.store.stories().add(new StoryLine("e1", Instant.EPOCH, "while.full", "{}"));

      Files.delete(ballast);
      TestStore.await(() -> it.store.refusal().isEmpty());
      assertThat(tryAppend(it, "after")).isNull();
      accepted.add("after");
      TestStore.await(() -> !it.store.stories().of("e1").isEmpty());
      assertThat(it.fatals).isEmpty();
      assertThat(it.equationHolds()).isTrue();
    }
    try (TestStore it = new TestStore(data)) {
      assertThat(it.store.inbox().open(0, 10_000).stream().map(Event::dedupeKey))
          .containsExactlyElementsOf(accepted);
      assertThat(it.equationHolds()).isTrue();
    }
  }

  @Test
  void belowTheReserveNothingNewIsTaken() throws Exception {
    StoreConfig config = new StoreConfig(TestStore.INBOX, 8 * 1024 * 1024, TestStore.FILES);
    try (Store store =
        Store.open(
            config,
            root.resolve("data"),
            new dev.holdfast.time.SystemTime(), // the disk is real
            new io.micrometer.core.instrument.simple.SimpleMeterRegistry(),
            new StoreHooks(() -> {}, (_, _) -> {}))) {
      Event event = store.inbox().append(TestStore.event("t1", "k1")).join().event();
      Path ballast = root.resolve("ballast");
      Files.write(ballast, new byte[9 * 1024 * 1024]);
      TestStore.await(() -> isLow(store.refusal()));
      assertThat(store.inbox().append(TestStore.event("t1", "k2"))).isCompletedExceptionally();
      store.inbox().finish(TestStore.finish(event, EventState.SILENT)); // accepted work goes on
      Files.delete(ballast);
      TestStore.await(() -> store.refusal().isEmpty());
      store.inbox().append(TestStore.event("t1", "k2")).join();
    }
  }

  @Test
  void aContextIsKeptInMemoryWhileTheDiskIsFullAlsoForTheNextUserOfItsFolder() throws Exception {
    try (TestStore it = new TestStore(root.resolve("data"))) {
      ThreadFiles files = it.store.threads().of("web:main:t1");
      files.append(entry(0));
      files.sync();
      Path ballast = fill();
      List<ContextEntry> all = new ArrayList<>(List.of(entry(0)));
      for (int i = 1; i < 40; i++) {
        files.append(entry(i));
        all.add(entry(i));
      }
      files.log("{\"id\":\"kept\"}");
      assertThat(org.assertj.core.api.Assertions.catchThrowable(files::sync))
          .isInstanceOf(IOException.class);
      ThreadFiles next = it.store.threads().of("web:main:t1");
      assertThat(next.loadContext().entries()).isEqualTo(all);
      ThreadFiles fresh = it.store.threads().of("web:main:new");
      fresh.append(entry(0));
      assertThat(it.store.threads().of("web:main:new").loadContext().entries()).hasSize(1);

      Files.delete(ballast);
      next.sync();
      fresh.sync();
      ThreadFiles after = it.store.threads().of("web:main:t1");
      assertThat(after).isNotSameAs(files);
      assertThat(after.loadContext()).isEqualTo(new ThreadFiles.Loaded(all, 0, false));
      assertThat(after.readLog(10)).containsExactly("{\"id\":\"kept\"}");
      assertThat(it.store.threads().of("web:main:new").loadContext().entries()).hasSize(1);
      assertThat(it.fatals).isEmpty();
    }
  }

  private static ContextEntry entry(int n) {
    String json =
        "{\"type\":\"user\",\"id\":\"i%d\",\"at\":\"%s\",\"event\":\"e\",\"text\":\"%s\"}"
            .formatted(n, Instant.EPOCH, "y".repeat(300));
    return new ContextEntry("user", "i" + n, "e", Instant.EPOCH, json);
  }

  private static boolean isLow(Optional<StoreRefusal> refusal) {
    return refusal.filter(why -> why.cause() == StoreRefusal.Cause.LOW_SPACE).isPresent();
  }
}
