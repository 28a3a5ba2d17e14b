package dev.holdfast.tests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Http;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Row S22: no route of the API opens without a right token in the right place. */
class TokenTest extends SharedServer {
  private static final List<String> ROUTES =
      List.of(
          "/api/v1/status",
          "/api/v1/threads",
          "/api/v1/threads/x",
          "/api/v1/threads/x/log",
          "/api/v1/events/x",
          "/api/v1/stream",
          "/api/v1/dead-letters",
          "/api/v1/breakers",
          "/api/v1/conditions",
          "/api/v1/usage",
          "/api/v1/config");

  /** Elsewhere than the other tests, whose wrong tokens would be slowed down too. */
  private final Http stranger = new Http("127.0.0.8");

  @Test
  void noRouteOpensWithoutItsToken() throws IOException {
    String token = rig.api().token();
    assertThat(stranger.get(rig.setup().url(ROUTES.getFirst()), Map.of()).status()).isEqualTo(401);
    for (String route : ROUTES) {
      String url = rig.setup().url(route);
      refuse(url, Map.of());
      for (String value :
          List.of(
              "Bearer",
              "Bearer ",
              "Bearer  " + token,
              "Bearer wrong",
              "Basic " + token,
              token,
              "Bearer " + token + "x",
              "Bearer " + token.substring(1))) {
        refuse(url, Map.of("authorization", value));
      }
      for (String query : List.of("?token=", "?access_token=", "?authorization=Bearer%20")) {
        refuse(url + query + token, Map.of());
      }
    }
  }

  /** After some wrong ones the brake on guessers answers instead: refused all the same. */
  private void refuse(String url, Map<String, String> headers) throws IOException {
    assertThat(stranger.get(url, headers).status()).as(url + headers).isIn(401, 429);
  }
}
