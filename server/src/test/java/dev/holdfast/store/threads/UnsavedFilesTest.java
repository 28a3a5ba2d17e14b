package dev.holdfast.store.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a disk refuses is kept, whoever of a chat thread has it. */
class UnsavedFilesTest {
  private static final String THREAD = "web:main:t1";

  @TempDir Path folder;

  private static ContextEntry entry() {
    String json =
        "{\"type\":\"user\",\"id\":\"i\",\"at\":\"1970-01-01T00:00:00Z\",\"event\":\"e\"}";
    return new ContextEntry("user", "i", "e", Instant.EPOCH, json);
  }

  @Test
  void aLineOfTheLogOutlastsAnEntryOfTheContextThatIsRefusedAfterIt() throws Exception {
    ThreadFiles logging;
    try (TestStore it = new TestStore(folder)) {
      ThreadFolders threads = it.store.threads();
      ThreadFiles agents = threads.of(THREAD);
      logging = threads.of(THREAD);
      Path log = logging.folder().resolve("log.jsonl");
      Path context = logging.folder().resolve("context.jsonl");
      Files.createDirectories(log);
      Files.createDirectories(context);
      logging.log("{\"id\":\"kept\"}");
      agents.append(entry());
      assertThat(threads.of(THREAD)).as("who has the context is found").isSameAs(agents);
      Files.delete(log);
      Files.delete(context);
      agents.sync();
      assertThat(threads.of(THREAD)).isSameAs(logging);
    }
    try (TestStore it = new TestStore(folder)) {
      ThreadFiles after = it.store.threads().of(THREAD);
      assertThat(after.loadContext().entries()).isEqualTo(List.of(entry()));
      assertThat(after.readLog(10)).containsExactly("{\"id\":\"kept\"}");
    }
  }
}
