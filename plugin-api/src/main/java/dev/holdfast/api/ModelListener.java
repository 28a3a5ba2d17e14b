package dev.holdfast.api;

/** Hears an answer while it streams. Called on the thread that called the model. */
public interface ModelListener {
  /** More visible text. */
  void onText(String delta);

  /**
   * Something came that is not text for people: a ping, a thought, a part of a call. A model that
   * is silent for longer than it may is given up.
   */
  default void onSign() {}

  /**
   * The model is at work on what is not text for people: a thought, a part of a call, never a mere
   * ping. From the first one on nobody is told that the model is away.
   */
  default void onWork() {
    onSign();
  }

  /** Hears nothing. */
  ModelListener SILENT = delta -> {};
}
