package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ingress.IngressRig;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** openapi.yaml as a whole: what the server enforces of it, and what it only describes. */
@Timeout(60)
class ContractTest {
  @Test
  void theWholeDocumentIsAContractAndDescribesWhatStandsOutsideTheApi() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      OpenAPIContract contract =
          OpenAPIContract.from(vertx, Api.readContract())
              .toCompletionStage()
              .toCompletableFuture()
              .get(30, TimeUnit.SECONDS);
      assertThat(contract.operations())
          .extracting(Operation::getOperationId)
          .contains("receiveWebhook", "getLive", "getReady", "getHealth", "logIn", "chat");
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  /** Whatever operation is asked for, its schema can say what is wrong with a body. */
  @Test
  void eachBodyThatItDescribesIsJudged() throws Exception {
    JsonObject document = Api.readContract();
    BodyProblems problems = new BodyProblems(document);
    int judged = 0;
    for (Object path : document.getJsonObject("paths").getMap().values()) {
      for (Object each : ((Map<?, ?>) path).values()) {
        if (each instanceof Map<?, ?> operation && operation.containsKey("requestBody")) {
          String id = String.valueOf(operation.get("operationId"));
          judged += problems.of(id, Buffer.buffer("[]")).isEmpty() ? 0 : 1;
        }
      }
    }
    assertThat(judged).isGreaterThan(15);
  }

  /** A path that nobody serves any more would be 404, whatever the page says. */
  @Test
  void whatItDescribesOutsideTheApiIsThere() throws Exception {
    try (IngressRig rig = new IngressRig()) {
      for (String path : Api.readContract().getJsonObject("paths").fieldNames()) {
        // Other interfaces are tried on the whole server, with the libraries of others.
        boolean isOther = path.startsWith("/v1/") || path.equals("/mcp");
        if (!path.startsWith(Api.PREFIX) && !isOther) {
          String real = path.replace("{channel}/{account}", "webhook/ci");
          assertThat(rig.get(real).status()).as(path).isNotEqualTo(404);
        }
      }
      assertThat(rig.get("/webhooks/nobody/ci").status()).isEqualTo(404);
    }
  }
}
