package dev.holdfast.tests.bench;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.BodyHandler;

/**
 * The bare limit: a Vert.x route that reads the body and answers 202, and no more. Runs as a
 * process of its own with the server's flags.
 */
final class BareServer {
  private BareServer() {}

  public static void main(String[] arguments) throws InterruptedException {
    QuietLog.set();
    Vertx vertx = Vertx.vertx();
    Router router = Router.router(vertx);
    router.get("/ready").handler(context -> context.response().end("{}"));
    router.route().handler(BodyHandler.create(false));
    router.route().handler(context -> context.response().setStatusCode(202).end("{}"));
    vertx
        .createHttpServer(new HttpServerOptions().setHost("127.0.0.1"))
        .requestHandler(router)
        .listen(Integer.parseInt(arguments[0]))
        .await();
    Thread.currentThread().join();
  }
}
