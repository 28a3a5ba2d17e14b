package dev.holdfast.api;

/** Hears an answer while it streams. Called on the thread that called the model. */
public interface ModelListener {
  /** More visible text. */
  void onText(String delta);

  /** Hears nothing. */
  ModelListener SILENT = delta -> {};
}
