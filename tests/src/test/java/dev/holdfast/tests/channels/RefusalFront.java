package dev.holdfast.tests.channels;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.containing;
import static com.github.tomakehurst.wiremock.client.WireMock.request;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathMatching;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.http.RequestMethod;
import com.github.tomakehurst.wiremock.matching.RequestPatternBuilder;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** WireMock in front of a platform: passes all on but the posts that it is told to refuse. */
final class RefusalFront implements AutoCloseable {
  private static final int FIRST = 1;
  private static final int LAST = 10;

  private final WireMockServer server =
      new WireMockServer(
          WireMockConfiguration.options()
              .bindAddress("127.0.0.1")
              .dynamicPort()
              .preserveUserAgentProxyHeader(true));
  private final String method;
  private final String path;
  private final String mark;

  /**
   * @param behind where the platform is
   * @param method of a request that posts; {@code ANY} for several
   * @param path of such a request, as a regular expression
   * @param mark stands in those that post a reply, and in no draft; may be empty
   */
  RefusalFront(String behind, String method, String path, String mark) {
    this.method = method;
    this.path = path;
    this.mark = mark;
    server.start();
    server.stubFor(any(anyUrl()).atPriority(LAST).willReturn(aResponse().proxiedFrom(behind)));
  }

  String origin() {
    return "http://127.0.0.1:" + server.port();
  }

  /** The first post that holds the words is answered so; it does not arrive. */
  void refuseOnce(String words, PostRefusal refusal) {
    server.stubFor(
        request(method, urlPathMatching(path))
            .withRequestBody(containing(words))
            .withRequestBody(containing(mark))
            .atPriority(FIRST)
            .inScenario(words)
            .whenScenarioStateIs(Scenario.STARTED)
            .willSetStateTo("refused")
            .willReturn(answer(refusal)));
  }

  /** Every post that holds the words is answered so; none arrives. */
  void refuseAlways(String words, PostRefusal refusal) {
    server.stubFor(
        request(method, urlPathMatching(path))
            .withRequestBody(containing(words))
            .withRequestBody(containing(mark))
            .atPriority(FIRST)
            .willReturn(answer(refusal)));
  }

  private static ResponseDefinitionBuilder answer(PostRefusal refusal) {
    ResponseDefinitionBuilder answer =
        aResponse().withStatus(refusal.status()).withBody(refusal.body());
    answer.withHeader("content-type", "application/json");
    refusal.headers().forEach(answer::withHeader);
    return answer;
  }

  /**
   * When the posts came that hold the words, refused ones too, in their order. One that is just
   * being answered is not among them yet.
   */
  List<Instant> posts(String words) {
    return server
        .findAll(
            RequestPatternBuilder.newRequestPattern(
                    RequestMethod.fromString(method), urlPathMatching(path))
                .withRequestBody(containing(words))
                .withRequestBody(containing(mark)))
        .stream()
        .map(LoggedRequest::getLoggedDate)
        .map(date -> date.toInstant())
        .sorted(Comparator.naturalOrder())
        .toList();
  }

  /** Whether something else holds the words: a draft, or an edit of one. */
  boolean hasDraft(String words) {
    return server
            .findAll(
                RequestPatternBuilder.newRequestPattern(RequestMethod.ANY, anyUrl())
                    .withRequestBody(containing(words)))
            .size()
        > posts(words).size();
  }

  @Override
  public void close() {
    server.stop();
  }
}
