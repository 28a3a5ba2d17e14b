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

  /** Hears nothing. */
  ModelListener SILENT = delta -> {};
}
