package dev.holdfast.net;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A blocking HTTP client for virtual threads. No retries, no redirects. Interrupting the caller aborts the request. */
public final class HttpCaller implements AutoCloseable {
  HttpCaller() {}

  /** {@code headers}: one value a name. {@code body} empty: none. */
  @SuppressWarnings("ArrayRecordComponent") // bytes as they go out
  public record Request(String method, String url, Map<String, String> headers, byte[] body) {}

  /**
   * {@code firstByte}: from the request's end to the first byte of the body; {@code idle}: between bytes; {@code
   * total}: all of it. {@code bodyBytesMax}: a longer answer is a failure.
   */
  public record Limits(
      Duration connect, Duration firstByte, Duration idle, Duration total, long bodyBytesMax) {}

  /** Header names in lower case. */
  @SuppressWarnings("ArrayRecordComponent") // bytes as they came
  public record Response(int status, Map<String, List<String>> headers, byte[] body) {}

  /** An answer that is still coming; reading blocks, within the limits. Closing it aborts the rest. */
  public record Streamed(int status, Map<String, List<String>> headers, InputStream body) {}

  /** Every status is an answer; only the lack of a whole answer is a failure. */
  public Response send(Request request, Limits limits) throws HttpFailedException, InterruptedException {
    throw new UnsupportedOperationException(request.url() + limits);
  }

  /** As {@link #send}, but returns when the head is there. */
  public Streamed stream(Request request, Limits limits) throws HttpFailedException, InterruptedException {
    throw new UnsupportedOperationException(request.url() + limits);
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
