package dev.holdfast.ingress.login;

import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A protocol whose only request is never answered. */
public final class WaitingProgram extends ProgramInterface {
  public static final String PATH = "/waits";

  public final CountDownLatch isRunning = new CountDownLatch(1);

  public WaitingProgram(Authenticator authenticator) {
    super("waiting", authenticator, Duration.ofMillis(50));
  }

  @Override
  public boolean has(String path) {
    return path.equals(PATH);
  }

  @Override
  protected Exchange admit(HttpServerRequest request, Caller caller, Context loop) {
    return new Exchange() {
      @Override
      public void run(byte[] body) throws InterruptedException {
        isRunning.countDown();
        new CountDownLatch(1).await();
      }

      @Override
      public void fail(RefusedRequestException why) {
        loop.runOnContext(_ -> refuse(request, why));
      }
    };
  }

  @Override
  protected void refuse(HttpServerRequest request, RefusedRequestException why) {
    Responses.json(request, why.status(), new JsonObject());
  }
}
