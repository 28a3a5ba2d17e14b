package dev.holdfast.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PostOutcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostPiecesTest {
  private static final Failure LOST = Failure.of(FailureCode.TIMEOUT, "no answer in time");

  @TempDir private Path folder;
  private final List<String> posted = new ArrayList<>();
  private boolean fails;

  private PostPieces pieces() throws Exception {
    return new PostPieces(folder.resolve("posts.json"), System.getLogger("plugin"));
  }

  private List<PostPieces.Piece> abc() {
    return List.of(() -> post("a"), () -> post("b"), () -> post("c"));
  }

  private PostOutcome post(String name) throws CallFailedException {
    posted.add(name);
    if (fails && name.equals("b")) {
      throw new CallFailedException(LOST);
    }
    return new PostOutcome.Sent("id-" + name);
  }

  @Test
  void whatHasArrivedDoesNotComeAgainThoughTheProcessDied() throws Exception {
    fails = true;
    assertThat(pieces().post("r1", abc())).isEqualTo(new PostOutcome.Unknown(LOST));
    fails = false;
    assertThat(pieces().post("r1", abc())).isEqualTo(new PostOutcome.Sent("id-a"));
    assertThat(posted).containsExactly("a", "b", "b", "c");
    assertThat(folder.resolve("posts.json")).content().isEqualTo("{}");
  }

  @Test
  void theLastOfFewerPiecesThanBeforeIsPosted() throws Exception {
    List<PostPieces.Piece> withLost =
        List.of(() -> post("a"), () -> post("x"), () -> new PostOutcome.NotDelivered(LOST));
    assertThat(pieces().post("r1", withLost)).isEqualTo(new PostOutcome.NotDelivered(LOST));
    assertThat(pieces().post("r1", abc().subList(0, 2))).isEqualTo(new PostOutcome.Sent("id-a"));
    assertThat(posted).containsExactly("a", "x", "b");
  }

  @Test
  void aSinglePieceLeavesNothingOnDisk() throws Exception {
    assertThat(pieces().post("r1", abc().subList(0, 1))).isEqualTo(new PostOutcome.Sent("id-a"));
    assertThat(pieces().post("r2", List.of())).isEqualTo(new PostOutcome.Sent(""));
    assertThat(folder.resolve("posts.json")).doesNotExist();
  }
}
