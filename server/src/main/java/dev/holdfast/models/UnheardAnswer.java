package dev.holdfast.models;

import java.time.Duration;

/** Of an answer that is read as a whole: nobody hears it grow, but what is paid for it counts. */
public abstract class UnheardAnswer implements AnswerListener {
  @Override
  public void onText(String delta) {
    // Nobody reads along.
  }

  @Override
  public void onWait(Duration silentAtMost) {
    // The call has limits of its own.
  }

  @Override
  public void onRestart() {
    // Nobody has read along.
  }

  @Override
  public void onSlow() {
    // Nobody waits who could be told.
  }
}
