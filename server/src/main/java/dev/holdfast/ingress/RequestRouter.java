package dev.holdfast.ingress;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.api.Api;
import dev.holdfast.ingress.api.Probes;
import dev.holdfast.ingress.pages.Pages;
import dev.holdfast.ingress.webhooks.Webhooks;
import dev.holdfast.ingress.wire.BodyReader;
import dev.holdfast.ingress.wire.HostNames;
import dev.holdfast.ingress.wire.HttpInterface;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.RequestTarget;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.ingress.wire.Uploads;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The first look at each request, the same for all; then on to webhooks, probes, API, other
 * interfaces or pages.
 */
public final class RequestRouter {
  private static final List<String> OVERRIDES =
      List.of("x-http-method-override", "x-http-method", "x-method-override");

  private final Supplier<Webhooks> webhooks;
  private final Probes probes;
  private final Api api;
  private final List<HttpInterface> interfaces;
  private final Pages pages;
  private final HostNames names;
  private final Refusals refusals;

  /** {@code webhooks}: makes those of each event loop. */
  public RequestRouter(
      Supplier<Webhooks> webhooks,
      Probes probes,
      Api api,
      List<HttpInterface> interfaces,
      Pages pages,
      HostNames names,
      Refusals refusals) {
    this.webhooks = webhooks;
    this.probes = probes;
    this.api = api;
    this.interfaces = List.copyOf(interfaces);
    this.pages = pages;
    this.names = names;
    this.refusals = refusals;
  }

  /** For one event loop: {@code vertx} is its own. */
  Loop loop(Vertx vertx) {
    Map<HttpInterface, Handler<HttpServerRequest>> others = new LinkedHashMap<>();
    interfaces.forEach(each -> others.put(each, each.handler(vertx)));
    return new Loop(webhooks.get(), api.handler(vertx), others);
  }

  /** Ends the streams and the requests that wait. */
  void endWaiting() {
    api.close();
    interfaces.forEach(HttpInterface::close);
  }

  Api api() {
    return api;
  }

  HostNames names() {
    return names;
  }

  /** What one event loop does with its requests. */
  final class Loop implements Handler<HttpServerRequest> {
    private final Webhooks ownWebhooks;
    private final Handler<HttpServerRequest> ownApi;
    private final Map<HttpInterface, Handler<HttpServerRequest>> others;

    private Loop(
        Webhooks ownWebhooks,
        Handler<HttpServerRequest> ownApi,
        Map<HttpInterface, Handler<HttpServerRequest>> others) {
      this.ownWebhooks = ownWebhooks;
      this.ownApi = ownApi;
      this.others = others;
    }

    @Override
    public void handle(HttpServerRequest request) {
      try {
        dispatch(request);
      } catch (RefusedRequestException | RuntimeException e) {
        refusals.send(request, e);
      }
    }

    private void dispatch(HttpServerRequest request) throws RefusedRequestException {
      if (!RequestTarget.isPlain(request.uri())) {
        throw RefusedRequestException.invalid("the path is not plain");
      }
      String path = request.path();
      boolean isWebhook = path.startsWith(Webhooks.PREFIX);
      checkMethod(request, isWebhook && ownWebhooks.takesPut(path));
      checkEncoding(request);
      if (!isWebhook || !ownWebhooks.takesEveryType(path)) {
        checkType(request);
      }
      if (isWebhook) {
        ownWebhooks.handle(request);
        return;
      }
      if (probe(request, path)) {
        return;
      }
      checkBrowser(request);
      if (path.startsWith(Api.PREFIX)) {
        ownApi.handle(request);
      } else {
        Optional<Handler<HttpServerRequest>> other = other(path);
        if (other.isPresent()) {
          other.get().handle(request);
        } else {
          pages.handle(request);
        }
      }
    }

    private Optional<Handler<HttpServerRequest>> other(String path) {
      return others.entrySet().stream()
          .filter(each -> each.getKey().has(path))
          .findFirst()
          .map(Map.Entry::getValue);
    }

    /** To be called several times a second. */
    void sweep() {
      ownWebhooks.sweep();
    }
  }

  private static void checkMethod(HttpServerRequest request, boolean takesPut)
      throws RefusedRequestException {
    HttpMethod method = request.method();
    boolean known =
        method.equals(HttpMethod.GET)
            || method.equals(HttpMethod.POST)
            || method.equals(HttpMethod.HEAD)
            || method.equals(HttpMethod.DELETE)
            || (takesPut && method.equals(HttpMethod.PUT));
    if (!known || OVERRIDES.stream().anyMatch(name -> request.headers().contains(name))) {
      String allowed = takesPut ? "GET, HEAD, POST, DELETE, PUT" : "GET, HEAD, POST, DELETE";
      request.response().putHeader(HttpHeaders.ALLOW, allowed);
      throw notAllowed();
    }
  }

  private static RefusedRequestException notAllowed() {
    return new RefusedRequestException(405, FailureCode.ACTION_NOT_SUPPORTED, "method not allowed");
  }

  private static void checkEncoding(HttpServerRequest request) throws RefusedRequestException {
    if (request.headers().contains(HttpHeaders.CONTENT_ENCODING)) {
      throw unsupported("compressed bodies are not accepted");
    }
  }

  /** JSON or nothing: a form of a stranger's page can send neither. */
  private static void checkType(HttpServerRequest request) throws RefusedRequestException {
    if (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD)) {
      return;
    }
    List<String> types = request.headers().getAll(HttpHeaders.CONTENT_TYPE);
    if (Uploads.isOne(request)) { // no form of a stranger's page can send this type either
      if (!types.equals(List.of(Uploads.TYPE))) {
        throw unsupported("a file must be sent as " + Uploads.TYPE);
      }
      return;
    }
    if (types.isEmpty() && !BodyReader.announced(request)) {
      return;
    }
    if (types.size() != 1 || !isJson(types.getFirst())) {
      throw unsupported("the body must be application/json");
    }
  }

  private static boolean isJson(String contentType) {
    if (contentType.equals("application/json")) {
      return true;
    }
    String[] parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    if (!parts[0].trim().equals("application/json")) {
      return false;
    }
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].trim().replace("\"", "");
      if (parameter.startsWith("charset=") && !parameter.equals("charset=utf-8")) {
        return false;
      }
    }
    return true;
  }

  private static RefusedRequestException unsupported(String message) {
    return new RefusedRequestException(415, FailureCode.INVALID_REQUEST, message);
  }

  /** What a browser may be made to send by a page that is not ours. */
  private void checkBrowser(HttpServerRequest request) throws RefusedRequestException {
    String host = request.getHeader(HttpHeaders.HOST);
    if (!names.isAllowed(host)) {
      throw RefusedRequestException.forbidden();
    }
    List<String> origins = request.headers().getAll(HttpHeaders.ORIGIN);
    if (origins.size() > 1
        || (!origins.isEmpty() && !names.isOwnOrigin(origins.getFirst(), host))) {
      throw RefusedRequestException.forbidden();
    }
    if ("cross-site".equals(site(request)) && !isNavigation(request)) {
      throw RefusedRequestException.forbidden();
    }
  }

  private static @Nullable String site(HttpServerRequest request) {
    return request.getHeader("sec-fetch-site");
  }

  /** Following a link to the chat page from elsewhere is fine. */
  private static boolean isNavigation(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET)
        && "navigate".equals(request.getHeader("sec-fetch-mode"))
        && !request.path().startsWith(Api.PREFIX);
  }

  private boolean probe(HttpServerRequest request, String path) throws RefusedRequestException {
    JsonObject answer;
    switch (path) {
      case "/live" -> answer = probes.live();
      case "/ready" -> answer = probes.ready();
      case "/health" -> answer = probes.health();
      default -> {
        return false;
      }
    }
    if (!names.isAllowedForProbes(request.getHeader(HttpHeaders.HOST))) {
      throw RefusedRequestException.forbidden();
    }
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      request.response().putHeader(HttpHeaders.ALLOW, "GET, HEAD");
      throw notAllowed();
    }
    Responses.json(request, "UP".equals(answer.getString("status")) ? 200 : 503, answer);
    return true;
  }
}
