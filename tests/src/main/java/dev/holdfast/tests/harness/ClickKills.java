package dev.holdfast.tests.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Kills a server with kill -9 between the click on a button and its effect, and judges each time:
 * the question is decided once, the call runs at most once, and the post says so in the end.
 */
public final class ClickKills {
  private static final int DELAY_MILLIS_MAX = 60;
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final ServerRig rig;
  private final ApprovalRecords records;
  private final Random random;
  private final String words;
  private int kills;
  private int decidedBefore;
  private int ranBefore;
  private int ran;
  private int approved;

  /** A question that has come to a person, with buttons. */
  public interface Question {
    /** The whole id of its chat thread. */
    String threadId();

    /** The id of the person who was asked. */
    String person();

    /** How posts name that person. */
    String name();

    /**
     * The person presses a button; also again.
     *
     * @throws IOException when the server surely has not taken it
     */
    void press(boolean yes) throws IOException;

    /** What the person was told of the last press; waits for it. */
    String told();

    /** How often the call has run. */
    int runs() throws IOException;

    /** What its post says, once it has no buttons any more; waits for it. */
    String settled();
  }

  /**
   * @param rig a started server
   * @param name names the run in its summary
   */
  public ClickKills(ServerRig rig, String name, long seed) {
    this.rig = rig;
    this.records = new ApprovalRecords(rig);
    this.random = new Random(seed);
    this.words = name + ", seed " + seed;
  }

  /** How many so far. */
  public int kills() {
    return kills;
  }

  /** One kill. */
  public void round(Question question) throws Exception {
    kills++;
    String round = "round " + kills + ", " + words;
    boolean yes = random.nextInt(4) > 0;
    Duration delay = Duration.ofNanos((long) (random.nextDouble() * DELAY_MILLIS_MAX * 1_000_000));
    Thread pressing = Thread.ofVirtual().start(() -> pressOnce(question, yes));
    Await.pause(delay);
    rig.server().kill9();
    pressing.join();
    ranBefore += question.runs();
    decidedBefore += records.isDecided(question.threadId()) ? 1 : 0;
    rig.start();
    // What the server did not take comes again, as from any platform.
    Await.until("the click is taken, " + round, LIMIT, () -> isTaken(question, yes));
    assertThat(question.told()).as(round).isIn(sentences(yes));
    JsonNode decided = records.ended(question.threadId(), LIMIT);
    assertThat(decided.path("state").asText())
        .as(round)
        .isIn(yes ? Set.of("approved", "used") : Set.of("denied"));
    assertThat(decided.path("decided_by").asText()).isEqualTo("person:" + question.person());
    assertThat(records.decisions(decided)).as(round).hasSize(1);
    int runs = question.runs();
    assertThat(runs).as(round).isBetween(0, yes ? 1 : 0);
    approved += yes ? 1 : 0;
    ran += runs;
    assertThat(question.settled())
        .as(round)
        .endsWith((yes ? "Approved" : "Denied") + " by " + question.name() + ".");
  }

  private static void pressOnce(Question question, boolean yes) {
    try {
      question.press(yes);
    } catch (IOException _) {
      // The server is gone: it comes again after the start.
    }
  }

  private static boolean isTaken(Question question, boolean yes) throws IOException {
    question.press(yes);
    return true;
  }

  private static List<String> sentences(boolean yes) {
    return yes
        ? List.of("Approved.", "This was already approved.")
        : List.of("Denied.", "This was already denied.");
  }

  /** Looks at what only the end shows, and tells what hit. */
  public void judge(CampaignLedger ledger) throws IOException {
    assertThat(records.isAuditWhole()).as(words).isTrue();
    ledger.with(
        "clicks",
        Map.of(
            "kills",
            kills,
            "decided_before",
            decidedBefore,
            "ran_before",
            ranBefore,
            "approved",
            approved,
            "ran_once",
            ran));
  }

  /** The end of a campaign of nothing else. */
  public void end(CampaignLedger ledger) throws IOException {
    judge(ledger);
    ledger.write();
    assertThat(rig.server().stop()).as(words).isZero();
  }
}
