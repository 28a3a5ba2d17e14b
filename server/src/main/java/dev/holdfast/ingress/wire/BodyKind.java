package dev.holdfast.ingress.wire;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.util.Set;

/** What kind of body a request brings, told from its first line alone. */
enum BodyKind {
  MESSAGE,
  /** A file, or a message that may have some: larger than others, and over the same line. */
  UPLOAD,
  /** A code or a token: a few dozen bytes, from people of whom nothing is known yet. */
  LOGIN;

  private static final String WEBHOOKS = "/webhooks/";

  private static final Set<String> WITH_FILES = Set.of("/v1/chat/completions", "/v1/responses");

  static BodyKind of(HttpRequest request) {
    String path = path(request);
    if (path.equals("/login") || path.equals("/logout")) {
      return LOGIN;
    }
    boolean mayBringFiles = Uploads.isPath(path) || WITH_FILES.contains(path);
    return request.method().equals(HttpMethod.POST) && mayBringFiles ? UPLOAD : MESSAGE;
  }

  /** The channel and account that a webhook names; empty for all other requests. */
  static String webhookAccount(HttpRequest request) {
    if (!request.uri().startsWith(WEBHOOKS)) {
      return "";
    }
    String path = path(request);
    int account = path.indexOf('/', WEBHOOKS.length()) + 1;
    int below = account == 0 ? -1 : path.indexOf('/', account);
    return below < 0 ? path : path.substring(0, below);
  }

  private static String path(HttpRequest request) {
    String target = request.uri();
    int end = target.indexOf('?');
    return end < 0 ? target : target.substring(0, end);
  }
}
