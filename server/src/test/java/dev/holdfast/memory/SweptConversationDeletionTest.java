package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.SweepConfig.GlobalPromote;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What sweeps have written of a conversation goes with it. */
@Timeout(60)
class SweptConversationDeletionTest extends MemorySweepsFixture {
  @Test
  void nothingIsLeftOfADeletedConversationButWhatAllKnow() throws Exception {
    proposeAll();
    recall("office", "closes workdays", "six");
    model.answers.add(answer());
    String run = sweep(false).getString("id");
    assertThat(store.threadErasure().begin(THREAD)).isEmpty();
    assertThat(sweeps.proposals()).isEmpty();
    assertThat(sweeps.find(run)).isEmpty();
    assertThat(SweepLedger.open(store.engine(), store.audit()).people()).contains("amy");
    assertThat(hits.of(THREAD, "The office closes at six on workdays.").hits()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsKeptOfAConversationThatIsDeletedDuringItsSweep(Deleted when) throws Exception {
    corpus();
    if (when == Deleted.BEFORE_IT_IS_REPLACED) {
      calm.before = this::delete;
    } else if (when == Deleted.AFTER_IT_WAS_REPLACED) {
      calm.after = this::delete;
    }
    String id = sweeps.request("token:ann", THREAD, false).orElseThrow();
    await(() -> model.asked.size() == 1);
    if (when == Deleted.WHILE_THE_MODEL_IS_ASKED) {
      delete();
    }
    model.answers.add(answer(change("drop", 1).put("because_message", "m1"), change("propose", 2)));
    await(() -> sweeps.find(id).isEmpty());
    assertThat(sweeps.proposals()).isEmpty();
    for (String table : List.of("runs", "threads", "marks", "proposals")) {
      assertThat(rows("memory_sweep_" + table)).as(table).isZero();
    }
    calm.before = () -> {};
    calm.after = () -> {};
    store.threadErasure().end(THREAD);
    Files.deleteIfExists(file());
    corpus(); // somebody begins it anew
    model.answers.add(answer(change("propose", 2)));
    assertThat(sweep(false).getJsonArray("stories")).hasSize(1);
    assertThat(sweeps.proposals()).hasSize(1);
  }

  private enum Deleted {
    WHILE_THE_MODEL_IS_ASKED,
    BEFORE_IT_IS_REPLACED,
    AFTER_IT_WAS_REPLACED
  }

  private int rows(String table) {
    return store
        .engine()
        .read(sql -> sql.first(row -> row.getInt(1), "select count(*) from " + table))
        .orElse(0);
  }

  @Test
  void theReasonsOfPromotionsNameNoDeletedConversation() throws Exception {
    promote = GlobalPromote.AUTO;
    proposeAll();
    recall("office", "closes workdays", "six");
    model.answers.add(answer());
    assertThat(sweep(false).getInteger("promoted")).isEqualTo(1);
    Path page = folder.resolve("memory/PROMOTIONS.md");
    assertThat(page).content().contains(THREAD);
    delete();
    await(() -> isTextOf(page, "a deleted conversation"));
    assertThat(page).content().doesNotContain(THREAD).contains("office closes");
  }
}
