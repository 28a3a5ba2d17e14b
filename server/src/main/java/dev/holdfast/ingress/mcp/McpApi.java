package dev.holdfast.ingress.mcp;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.api.ApiCall;
import dev.holdfast.ingress.login.Authenticator;
import dev.holdfast.ingress.login.ProgramInterface;
import dev.holdfast.ingress.wire.AnswerBudget;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.Refusals;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Responses;
import dev.holdfast.ingress.wire.StrictJson;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.supervision.Fatal;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code /mcp}, over Streamable HTTP without sessions: each message is a request with an answer of
 * its own. Its tools are operations of the API. Thread-safe.
 */
public final class McpApi extends ProgramInterface {
  private static final String PATH = "/mcp";
  private static final Logger LOG = LoggerFactory.getLogger(McpApi.class);

  private final Map<String, ApiCall> calls;
  private final McpMessages messages;
  private final AnswerBudget answers;
  private final Refusals refusals;

  /** {@code calls}: those of the API, by the contract's names. */
  public McpApi(
      Map<String, ApiCall> calls,
      String serverVersion,
      Authenticator authenticator,
      AnswerBudget answers,
      Refusals refusals) {
    super("mcp", authenticator);
    this.calls = calls;
    this.messages = new McpMessages(this::call, serverVersion);
    this.answers = answers;
    this.refusals = refusals;
  }

  @Override
  public boolean has(String path) {
    return path.equals(PATH);
  }

  @Override
  protected Exchange admit(HttpServerRequest request, Caller caller, Context loop)
      throws RefusedRequestException {
    if (!request.method().equals(HttpMethod.POST)) {
      request.response().putHeader(HttpHeaders.ALLOW, "POST");
      throw new RefusedRequestException(
          405, FailureCode.ACTION_NOT_SUPPORTED, "there are no sessions here, only POST");
    }
    if (!McpMessages.isSpoken(request.getHeader("mcp-protocol-version"))) {
      throw RefusedRequestException.invalid("this version of MCP is not supported");
    }
    return new Exchange() {
      @Override
      public void run(byte[] body) throws InterruptedException {
        try {
          StrictJson.check(body);
        } catch (RefusedRequestException refused) {
          JsonObject error = McpMessages.error(null, McpMessages.NOT_JSON, refused.said());
          loop.runOnContext(_ -> Responses.json(request, refused.status(), error));
          return;
        }
        Optional<JsonObject> answer = messages.answer(caller, new JsonObject(Buffer.buffer(body)));
        loop.runOnContext(
            _ -> {
              if (answer.isPresent()) {
                Responses.json(request, 200, answer.get());
              } else {
                Responses.empty(request, 202);
              }
            });
      }

      @Override
      public void fail(RefusedRequestException why) {
        loop.runOnContext(_ -> refuse(request, why));
      }
    };
  }

  @Override
  protected void refuse(HttpServerRequest request, RefusedRequestException why) {
    refusals.send(request, why);
  }

  private JsonObject call(Caller caller, ServedTool tool, JsonObject arguments)
      throws InterruptedException {
    AnswerBudget.Booking memory = answers.open(caller.name());
    try {
      if (tool.isLarge() && memory.take() != AnswerBudget.Grant.GRANTED) {
        return failed("the memory for answers is in use; ask again");
      }
      ApiRequest request =
          new ApiRequest(
              caller,
              UUID.randomUUID().toString(),
              tool.key(arguments),
              tool.path(arguments),
              tool.query(arguments),
              tool.body(arguments),
              new byte[0],
              memory);
      ApiAnswer answer = operation(tool).run(request);
      String text = answer.content().toString(StandardCharsets.UTF_8);
      return answer.status() < 300
          ? told(text).put("structuredContent", answer.body())
          : failed(text);
    } catch (RefusedRequestException refused) {
      return failed(refused.said());
    } catch (StoreException e) {
      return failed(Refusals.ofStore(e).said());
    } catch (IOException | RuntimeException e) {
      Fatal.check(e);
      LOG.error("mcp: the tool {} failed unexpectedly", tool.name(), e);
      return failed("internal error");
    } finally {
      memory.close();
    }
  }

  private ApiCall operation(ServedTool tool) {
    ApiCall call = calls.get(tool.operation());
    if (call == null) {
      throw new IllegalStateException("no code for operation " + tool.operation());
    }
    return call;
  }

  private static JsonObject told(String text) {
    return new JsonObject()
        .put("resultType", "complete")
        .put("content", new JsonArray().add(new JsonObject().put("type", "text").put("text", text)))
        .put("isError", false);
  }

  private static JsonObject failed(String text) {
    return told(text).put("isError", true);
  }
}
