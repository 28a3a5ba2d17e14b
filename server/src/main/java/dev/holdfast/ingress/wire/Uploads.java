package dev.holdfast.ingress.wire;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;

/** Requests that bring a file: the only ones whose body is no JSON, and larger. */
public final class Uploads {
  public static final String TYPE = "application/octet-stream";

  private static final String PREFIX = "/api/v1/threads/";
  private static final String SUFFIX = "/attachments";

  private Uploads() {}

  public static boolean isOne(HttpServerRequest request) {
    return request.method().equals(HttpMethod.POST) && isPath(request.path());
  }

  static boolean isPath(String path) {
    return path.startsWith(PREFIX) && path.endsWith(SUFFIX);
  }
}
