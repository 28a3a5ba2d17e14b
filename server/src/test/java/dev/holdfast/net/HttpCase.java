package dev.holdfast.net;

import dev.holdfast.time.SystemTime;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** One caller for all tests of a class. */
abstract class HttpCase {
  static Vertx vertx;
  static HttpCaller http;

  @BeforeAll
  static void openHttp() {
    vertx = Vertx.vertx(new VertxOptions().setAddressResolverOptions(HttpCaller.names()));
    http = HttpCaller.create(vertx, new SystemTime()); // sockets are real
  }

  @AfterAll
  static void closeHttp() {
    http.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
