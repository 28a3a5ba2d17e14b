package dev.holdfast.kit.testing;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginHttp;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;

/** A client without a guard, which tells failures apart as the server's does. Thread-safe. */
public final class PlainHttp implements PluginHttp {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @Override
  public Answer send(Request request) throws CallFailedException, InterruptedException {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(request.url()))
            .timeout(request.timeout())
            .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(request.body()));
    request.headers().forEach(builder::header);
    try {
      HttpResponse<byte[]> answer =
          client.send(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
      if (answer.body().length > request.answerBytesMax()) {
        throw new CallFailedException(
            Failure.of(FailureCode.BACKEND_FAILURE, "it sent too many bytes"));
      }
      return new Answer(answer.statusCode(), answer.headers().map(), answer.body());
    } catch (ConnectException e) {
      throw new CallFailedException(Failure.of(FailureCode.NETWORK, "refused").unsent(), e);
    } catch (HttpTimeoutException e) {
      throw new CallFailedException(Failure.of(FailureCode.TIMEOUT, "no answer in time"), e);
    } catch (IOException e) {
      throw new CallFailedException(Failure.of(FailureCode.NETWORK, "the connection broke"), e);
    }
  }
}
