package dev.holdfast.agents.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.TestStore;
import dev.holdfast.store.threads.ContextEntry;
import dev.holdfast.time.ManualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a message replaces is taken out of the context, however often that is begun. */
class TakenOutTest {
  @TempDir Path folder;
  @AutoClose private TestStore store;

  @BeforeEach
  void open() throws Exception {
    store = new TestStore(folder);
  }

  private Conversation load() throws IOException {
    return Conversation.load(store.store.threads().of("t"), Epoch.endless(new ManualTime()));
  }

  private static ContextEntry entry(String type, String event) {
    String json =
        "{\"type\":\"%s\",\"id\":\"%s\",\"event\":\"%s\",\"at\":\"%s\",\"text\":\"%s\"}"
            .formatted(type, event, event, Instant.EPOCH, event);
    return new ContextEntry(type, event, event, Instant.EPOCH, json);
  }

  private Conversation of(String... entries) throws IOException {
    Conversation made = load();
    made.replace(
        Stream.of(entries)
            .map(
                entry ->
                    switch (entry.charAt(0)) {
                      case 'u' -> entry(Entries.USER, entry.substring(1));
                      case 'a' -> entry(Entries.ASSISTANT, entry.substring(1));
                      default -> entry(Entries.SUMMARY, entry);
                    })
            .toList());
    return made;
  }

  private static List<String> ids(Conversation conversation) {
    return conversation.entries().stream().map(ContextEntry::id).toList();
  }

  @Test
  void itIsOnDiskAndMayBeBegunAgain() throws IOException {
    Conversation talk = of("u1", "a1", "u2", "a2", "u3", "a3");
    assertThat(talk.takeOut("2", "4")).isTrue();
    assertThat(ids(talk)).containsExactly("1", "1");
    Conversation after = load();
    assertThat(ids(after)).containsExactly("1", "1");
    assertThat(after.takeOut("2", "4")).isTrue();
    after.append(entry(Entries.USER, "4"));
    assertThat(after.takeOut("2", "4")).isTrue();
    assertThat(ids(after)).containsExactly("1", "1", "4");
  }

  @Test
  void whatCameBehindTheMessageStays() throws IOException {
    Conversation talk = of("u1", "a1", "u2", "a2", "u6", "a6");
    assertThat(talk.takeOut("2", "5")).isTrue();
    assertThat(ids(talk)).containsExactly("1", "1", "6", "6");
  }

  @Test
  void whatASummaryTellsOfIsSaid() throws IOException {
    Conversation talk = of("summary", "u3", "a3");
    assertThat(talk.takeOut("2", "5")).isFalse();
    assertThat(ids(talk)).containsExactly("summary");
    assertThat(of("summary", "u3", "a3").takeOut("3", "5")).isTrue();
  }
}
