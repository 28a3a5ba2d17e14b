package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.FailureCode;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.Finish;
import dev.holdfast.store.messages.StoryLine;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredAnswersTest {
  @TempDir Path folder;

  private @Nullable FailureCode codeOf(EventState outcome, String story) throws Exception {
    try (TestStore it = new TestStore(folder)) {
      Event event = it.append("t", "k1");
      it.store
          .inbox()
          .finish(
              new Finish(
                  List.of(event.seq()),
                  outcome,
                  "",
                  List.of(),
                  List.of(new StoryLine(event.id(), Instant.now(), "event.finished", story))));
      return new StoredAnswers(it.store).find(event.id()).orElseThrow().failed();
    }
  }

  /** A reason has words of others. */
  @Test
  void theCodeIsWhatTheStoryNamesNotWhatTheReasonSays() throws Exception {
    assertThat(
            codeOf(
                EventState.DEAD_LETTERED,
                "{\"code\":\"TIMEOUT\",\"reason\":\"AUTH: the key was refused\"}"))
        .isEqualTo(FailureCode.TIMEOUT);
  }

  @Test
  void anAnswerWithAReasonIsNoFailure() throws Exception {
    assertThat(codeOf(EventState.ANSWERED, "{\"reason\":\"QUOTA: no code of ours\"}")).isNull();
  }

  /** As earlier and later versions may have left it. */
  @Test
  void anEndWithoutAKnownCodeHasTheUsualOne() throws Exception {
    assertThat(codeOf(EventState.DEAD_LETTERED, "{\"code\":\"NO_SUCH_CODE\"}"))
        .isEqualTo(FailureCode.BACKEND_FAILURE);
  }
}
