package dev.holdfast.kit;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.channels.HttpOutcome;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Posts a part of a reply that is several messages, since many platforms take one file in each. How
 * many of them have arrived is on disk, so that none comes again because a later one failed. Blocks
 * the calling thread. Thread-safe.
 */
public final class PostPieces {
  /** Of how many parts the progress is kept. */
  public static final int PARTS_KEPT = 1000;

  private static final String DONE = "done";
  private static final String FIRST = "first";

  private final StateFile progress;
  private final Logger logger;

  /**
   * By a file of the plugin.
   *
   * @param file where the progress is kept, by the id of the reply
   */
  public PostPieces(Path file, Logger logger) throws IOException {
    this.progress = StateFile.open(file, PARTS_KEPT);
    this.logger = logger;
  }

  /** One message of a part. */
  @FunctionalInterface
  public interface Piece {
    PostOutcome post() throws CallFailedException, InterruptedException;
  }

  /**
   * Posts those that have not arrived yet, in their order, until one does not arrive.
   *
   * @param id of the reply
   * @param pieces the same ones in each try; if there are fewer, the last one is posted at least
   * @return what became of the last one that was tried; when all have arrived, the platform's id of
   *     the first. Sent without an id when there are none
   */
  public PostOutcome post(String id, List<Piece> pieces) throws InterruptedException {
    if (pieces.size() == 1) {
      return post(pieces.getFirst());
    }
    Map<String, Object> before = progress.find(id).orElse(Map.of());
    String first = JsonText.text(before, FIRST);
    // With fewer pieces than before, which of them have arrived is not known: the last has not.
    long from = Math.clamp(JsonText.whole(before, DONE, 0), 0L, Math.max(0L, pieces.size() - 1L));
    for (int done = (int) from; done < pieces.size(); done++) {
      PostOutcome outcome = post(pieces.get(done));
      if (!(outcome instanceof PostOutcome.Sent(String platformId))) {
        return outcome;
      }
      first = first.isEmpty() ? platformId : first;
      if (done + 1 < pieces.size()) {
        keep(id, done + 1, first);
      }
    }
    forget(id);
    return new PostOutcome.Sent(first);
  }

  private static PostOutcome post(Piece piece) throws InterruptedException {
    try {
      return piece.post();
    } catch (CallFailedException e) {
      return HttpOutcome.of(e);
    }
  }

  private void keep(String id, int done, String first) {
    try {
      progress.put(id, Map.of(DONE, (long) done, FIRST, first));
    } catch (IOException e) {
      notWritten(e);
    }
  }

  private void forget(String id) {
    try {
      progress.remove(id);
    } catch (IOException e) {
      notWritten(e);
    }
  }

  private void notWritten(IOException e) {
    logger.log(Level.WARNING, "what was posted could not be written down: {0}", e.toString());
  }
}
