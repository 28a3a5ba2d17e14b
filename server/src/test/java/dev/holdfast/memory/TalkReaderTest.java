package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TalkReaderTest {
  private static final String THREAD = "web:main:t";

  private final ManualTime time = new ManualTime();

  @TempDir Path folder;
  @AutoClose private Store store;

  @BeforeEach
  void open() throws Exception {
    store = TestStore.open(folder, time, new SimpleMeterRegistry());
    Files.createDirectories(store.threads().of(THREAD).scratch());
  }

  private NewTalk since(String after) throws Exception {
    return since(new SweepLedger.Mark(after, 0));
  }

  private NewTalk since(SweepLedger.Mark mark) throws Exception {
    return new TalkReader(store.threads(), store.audit(), ZoneOffset.UTC, text -> text)
        .since(THREAD, mark, LocalDate.EPOCH);
  }

  @Test
  void afterEachRefusalHalfAsManyMessagesAreRead() throws Exception {
    for (int i = 0; i < 5; i++) {
      says("m" + i, "ann", "text " + i, "");
    }
    List<Integer> sizes = new ArrayList<>();
    SweepLedger.Mark mark = new SweepLedger.Mark("", 0);
    for (int refusals = 0; refusals < 3; refusals++) {
      NewTalk talk = since(mark);
      sizes.add(talk.messages().size());
      mark = mark.refused(talk.last());
    }
    assertThat(sizes).containsExactly(5, 2, 1);
    assertThat(mark).isEqualTo(new SweepLedger.Mark("m0", 0));
    assertThat(since(mark).messages()).hasSize(4);
  }

  private void says(String id, String sender, String text, String supersedes) throws Exception {
    JsonObject line =
        new JsonObject()
            .put("id", id)
            .put("event", id)
            .put("at", time.now().toString())
            .put("role", "user")
            .put("sender", sender)
            .put("text", text);
    if (!supersedes.isEmpty()) {
      line.put("supersedes", supersedes);
    }
    store.threads().of(THREAD).log(line.encode());
  }

  @Test
  void whatNoPersonSaidIsNotRead() throws Exception {
    says("01", "amy", "hello", "");
    says("02", "schedule:0123", "[wake-up] The deploy is on Sunday.", "");
    says("03", "schedule:plan-1", "[plan] It succeeded.", "");
    NewTalk talk = since("");
    assertThat(talk.count()).isEqualTo(1);
    assertThat(talk.messages()).singleElement().extracting(NewTalk.Said::text).isEqualTo("hello");
    assertThat(talk.last()).isEqualTo("03");
  }

  @Test
  void aReplacedMessageIsNotReadAndOneThatReplacesOnce() throws Exception {
    says("01", "amy", "tea", "");
    says("02", "amy", "wrong", "");
    says("03", "amy", "still wrong", "");
    says("04", "amy", "right", "");
    says("04", "amy", "right", "02");
    NewTalk talk = since("");
    assertThat(talk.messages()).extracting(NewTalk.Said::text).containsExactly("tea", "right");
    assertThat(talk.count()).isEqualTo(2);
    says("05", "amy", "better", "");
    says("05", "amy", "better", "04");
    assertThat(since("").messages())
        .extracting(NewTalk.Said::text)
        .containsExactly("tea", "better");
  }

  @Test
  void aLineThatIsWrittenAgainHidesNothing() throws Exception {
    says("01", "amy", "tea", "");
    assertThat(since("").last()).isEqualTo("01");
    says("02", "amy", "cake", "");
    says("01", "amy", "tea", "00");
    NewTalk talk = since("01");
    assertThat(talk.messages()).extracting(NewTalk.Said::text).containsExactly("cake");
    assertThat(since(talk.last()).messages()).isEmpty();
  }

  @Test
  void knowsWhenALineWasRemembered() throws Exception {
    remembered("k1", "before");
    time.advance(Duration.ofSeconds(1));
    says("01", "amy", "tea", "");
    time.advance(Duration.ofSeconds(1));
    remembered("k2", "after");
    assertThat(since("").remembered()).hasSize(1).containsValue(time.now());
  }

  private void remembered(String call, String text) throws Exception {
    store
        .audit()
        .append(
            new AuditEntry(
                "memory.changed",
                call,
                "e",
                THREAD,
                "amy",
                new JsonObject().put("scope", "thread").put("added", text).encode()));
  }
}
