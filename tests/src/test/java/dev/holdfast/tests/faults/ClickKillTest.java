package dev.holdfast.tests.faults;

import dev.holdfast.tests.harness.BoardRig;
import dev.holdfast.tests.harness.Card;
import dev.holdfast.tests.harness.ClickKills;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * kill -9 between the click on a button and its effect: the question is decided once, the call runs
 * at most once, and no question is lost. How often: {@code -Dholdfast.click_kills}; the same run
 * again: {@code -Dholdfast.seed}.
 */
class ClickKillTest {
  private static final int KILLS = Integer.getInteger("holdfast.click_kills", 4);

  private final long seed = Long.getLong("holdfast.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @Test
  @Timeout(7200)
  void decidedOnceRunAtMostOnceAndNoQuestionIsLost() throws Exception {
    try (BoardRig board = new BoardRig()) {
      board.start();
      ClickKills kills = new ClickKills(board.rig(), "board", seed);
      for (int round = 1; round <= KILLS; round++) {
        String thread = "t-" + round;
        Card card = board.ask("m-" + round, thread, "n-" + round);
        kills.round(new OnBoard(board, round, thread, card, random.nextBoolean()));
      }
      kills.end();
    }
  }

  /** On the board a click lies until the server has taken it; by webhook the server says so. */
  private record OnBoard(BoardRig board, int round, String thread, Card card, boolean byWebhook)
      implements ClickKills.Question {
    @Override
    public String threadId() {
      return BoardRig.threadId(thread);
    }

    @Override
    public String person() {
      return "ann";
    }

    @Override
    public String name() {
      return person();
    }

    @Override
    public void press(boolean yes) throws IOException {
      String key = "c-" + round;
      String token = card.token(yes ? "Approve" : "Deny");
      if (!byWebhook) {
        board.click(key, thread, "ann", token);
      } else if (board.post(key, thread, "ann", token).status() != 200) {
        throw new IOException("it was not taken");
      }
    }

    @Override
    public String told() {
      return board.answer("c-" + round);
    }

    @Override
    public int runs() throws IOException {
      return board.runs("n-" + round);
    }

    @Override
    public String settled() {
      return board.settled(card.id());
    }
  }
}
