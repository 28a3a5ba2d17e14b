package dev.holdfast.ingress.api;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.Json;
import io.vertx.ext.web.RoutingContext;
import io.vertx.json.schema.common.dsl.SchemaType;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import io.vertx.openapi.validation.RequestParameter;
import io.vertx.openapi.validation.ValidatableRequest;
import io.vertx.openapi.validation.impl.RequestParameterImpl;
import io.vertx.openapi.validation.impl.ValidatableRequestImpl;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hands a request to the validator. Each parameter is decoded once: the validator's own extraction
 * would do so twice and take a plus sign for a blank.
 */
final class ContractRequest {
  private ContractRequest() {}

  /** The validator knows only the usual spelling. */
  private static @Nullable String mediaType(@Nullable String contentType) {
    return contentType == null ? null : contentType.toLowerCase(Locale.ROOT);
  }

  /** The validator reads each value as JSON: a text that begins as JSON does would be none. */
  private static RequestParameter parameter(Parameter parameter, @Nullable String value) {
    boolean isText = value != null && parameter.getSchemaType() == SchemaType.STRING;
    return new RequestParameterImpl(isText ? Json.encode(value) : value);
  }

  static ValidatableRequest of(RoutingContext context, Operation operation, Buffer body) {
    Map<String, RequestParameter> path = new HashMap<>();
    Map<String, RequestParameter> query = new HashMap<>();
    Map<String, RequestParameter> headers = new HashMap<>();
    for (Parameter parameter : operation.getParameters()) {
      String name = parameter.getName();
      switch (parameter.getIn()) {
        case PATH -> path.put(name, parameter(parameter, context.pathParam(name)));
        case QUERY ->
            query.put(name, parameter(parameter, context.request().params(true).get(name)));
        case HEADER -> headers.put(name, parameter(parameter, context.request().getHeader(name)));
        case COOKIE -> throw new IllegalStateException("the contract has no cookie parameters");
      }
    }
    if (operation.getRequestBody() == null || body.length() == 0) {
      return new ValidatableRequestImpl(Map.of(), headers, path, query);
    }
    return new ValidatableRequestImpl(
        Map.of(),
        headers,
        path,
        query,
        new RequestParameterImpl(body),
        mediaType(context.request().getHeader(HttpHeaders.CONTENT_TYPE)));
  }
}
