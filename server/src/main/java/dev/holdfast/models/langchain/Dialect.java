package dev.holdfast.models.langchain;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.models.http.StreamWatch;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.model.chat.StreamingChatModel;

/** One wire format. Stateless; one object serves every call. */
interface Dialect {
  /** LangChain4j's model for one call. */
  StreamingChatModel model(ModelRequest request, HttpClientBuilder wire);

  /** New eyes for one call. */
  StreamWatch watch();

  /**
   * Puts into the request what LangChain4j cannot: schemas as they are, parts that go back
   * unchanged.
   */
  void edit(ObjectNode body, ModelRequest request);

  /** Whether a stream is one JSON object a line. */
  default boolean jsonLines() {
    return false;
  }

  /** Whether a failed tool result is marked as such; otherwise its text has to say so. */
  default boolean marksErrors() {
    return false;
  }

  /** Whether a tool result may hold images; otherwise they follow it as a message of their own. */
  default boolean takesImagesInResults() {
    return false;
  }
}
