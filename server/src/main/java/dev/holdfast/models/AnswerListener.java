package dev.holdfast.models;

import java.time.Duration;

/** Hears how an answer comes about. Called on the asking thread, except {@link #onSlow}. */
public interface AnswerListener {
  /** More visible text. */
  void onText(String delta);

  /**
   * From now on there may be silence for this long before something comes; longer means that the
   * call hangs. Called at each sign of the model, too.
   */
  void onWait(Duration silentAtMost);

  /** The text so far is void: another try or another model begins from nothing. */
  void onRestart();

  /** Each request that was made, also the failed ones. */
  void onCall(ModelCall call);

  /**
   * Once, from a timer's thread, when no first token came within {@code models.park_after_secs};
   * the wait goes on. Not while the call only stands in line behind others.
   */
  void onSlow();
}
