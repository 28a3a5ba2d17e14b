package dev.holdfast.ingress.openai;

/**
 * Hears how an answer comes about, on the thread that waits for it. An {@link InterruptedException}
 * ends the wait: the client is gone.
 */
interface AnswerProgress {
  /** For who waits for the end alone. */
  AnswerProgress NONE = _ -> {};

  /** More visible text. */
  void onText(String delta) throws InterruptedException;

  /** The text so far is void: another one begins. */
  default void onRestart() throws InterruptedException {}

  /** What the agent said is whole; after its tools it may say more. */
  default void onRound() {}

  /** A run of the turn begins; {@code run} is 1 for the first. */
  default void onRun(int run) throws InterruptedException {}

  /** A person is asked for a decision. */
  default void onQuestion(String text) throws InterruptedException {}

  /**
   * Still waits for a decision, of which no news may have come.
   *
   * @param runs how many runs its turn has had
   */
  default void onWaiting(String question, int runs) throws InterruptedException {}

  /** Something was missed: no more of this text comes before the end. */
  default void onMissed() {}

  /** Nothing has come for a while. */
  default void onQuiet() throws InterruptedException {}
}
