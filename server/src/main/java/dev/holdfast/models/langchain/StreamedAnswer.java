package dev.holdfast.models.langchain;

import dev.holdfast.api.ModelListener;
import dev.holdfast.models.http.ModelWire;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import org.jspecify.annotations.Nullable;

/**
 * What LangChain4j made of a stream. Our listener's own errors are kept apart: they are bugs, not
 * answers.
 */
final class StreamedAnswer implements StreamingChatResponseHandler {
  private static final int TEXT_MAX = 4 * 1024 * 1024;

  private final ModelListener listener;
  private final ModelWire wire;
  private final CleanText cleaner = new CleanText();
  private int length;
  private boolean tooLong;
  private @Nullable ChatResponse answer;
  private @Nullable Throwable error;
  private @Nullable RuntimeException bug;

  StreamedAnswer(ModelListener listener, ModelWire wire) {
    this.listener = listener;
    this.wire = wire;
  }

  @Override
  public void onPartialResponse(String delta) {
    length += delta.length();
    if (length > TEXT_MAX) {
      tooLong = true;
      wire.cancel();
      return;
    }
    try {
      String clean = cleaner.next(delta);
      if (!clean.isEmpty()) {
        listener.onText(clean);
      }
    } catch (RuntimeException e) {
      bug = e;
      wire.cancel();
    }
  }

  @Override
  public void onCompleteResponse(ChatResponse complete) {
    answer = complete;
  }

  @Override
  public void onError(Throwable thrown) {
    error = thrown;
  }

  boolean isTooLong() {
    return tooLong;
  }

  @Nullable ChatResponse answer() {
    return answer;
  }

  @Nullable Throwable error() {
    return error;
  }

  void checkBug() {
    if (bug != null) {
      throw bug;
    }
  }
}
