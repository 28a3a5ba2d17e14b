package dev.holdfast.models.http;

import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpClientBuilder;
import java.time.Duration;

/**
 * Hands LangChain4j a wire that is ready. The timeouts are noted and mean nothing: the wire has its
 * limits.
 */
final class WireBuilder implements HttpClientBuilder {
  private final HttpClient wire;
  private Duration connect = Duration.ZERO;
  private Duration read = Duration.ZERO;

  WireBuilder(HttpClient wire) {
    this.wire = wire;
  }

  @Override
  public Duration connectTimeout() {
    return connect;
  }

  @Override
  public HttpClientBuilder connectTimeout(Duration timeout) {
    connect = timeout;
    return this;
  }

  @Override
  public Duration readTimeout() {
    return read;
  }

  @Override
  public HttpClientBuilder readTimeout(Duration timeout) {
    read = timeout;
    return this;
  }

  @Override
  public HttpClient build() {
    return wire;
  }
}
