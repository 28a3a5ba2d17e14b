package dev.holdfast.ingress.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.Secret;
import dev.holdfast.ingress.FakeLogouts;
import dev.holdfast.ingress.IngressCase;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoginTest extends IngressCase {
  private static final String MESSAGES = "/api/v1/threads/t1/messages";
  private static final String HI = "{\"text\":\"hi\"}";
  private static final String OWN = "Origin: http://localhost";

  private String cookieOf(String login) throws Exception {
    Raw.Answer answer = rig.post("/login", login);
    assertThat(answer.status()).isEqualTo(204);
    String cookie = answer.header("set-cookie");
    assertThat(cookie)
        .containsIgnoringCase("HttpOnly")
        .contains("SameSite=Strict")
        .contains("Path=/");
    return "Cookie: " + cookie.substring(0, cookie.indexOf(';'));
  }

  @Test
  void aCodeLogsInOnce() throws Exception {
    String code = rig.sessions.issueCode("main");
    String cookie = cookieOf("{\"code\":\"" + code + "\"}");
    assertThat(rig.get("/api/v1/config", cookie).status()).isEqualTo(200);
    assertThat(rig.post("/login", "{\"code\":\"" + code + "\"}").status()).isEqualTo(401);
  }

  @Test
  void aTokenLogsInWithItsOwnScope() throws Exception {
    String cookie = cookieOf("{\"token\":\"" + IngressRig.READ + "\"}");
    assertThat(rig.get("/api/v1/status", cookie).status()).isEqualTo(200);
    assertThat(rig.get("/api/v1/config", cookie).status()).isEqualTo(403);
    assertThat(rig.post(MESSAGES, HI, cookie, OWN).status()).isEqualTo(403);
  }

  /** S26: what a browser sends by itself counts only on pages of ours. */
  @Test
  void aCookieChangesNothingWithoutTheOriginOfOurPage() throws Exception {
    String cookie = cookieOf("{\"token\":\"" + IngressRig.CHAT + "\"}");
    assertThat(rig.post(MESSAGES, HI, cookie).status()).isEqualTo(403);
    assertThat(rig.post(MESSAGES, HI, cookie, "Origin: http://evil.example").status())
        .isEqualTo(403);
    assertThat(rig.post(MESSAGES, HI, cookie, OWN).status()).isEqualTo(202);
    assertThat(rig.inbox.events).hasSize(1);
  }

  @Test
  void aChangedOrEndedCookieOpensNothing() throws Exception {
    String cookie = cookieOf("{\"token\":\"" + IngressRig.ADMIN + "\"}");
    assertThat(rig.get("/api/v1/status", cookie.replace("main|", "reader|")).status())
        .isEqualTo(401);
    assertThat(rig.get("/api/v1/status", cookie + "x").status()).isEqualTo(401);
    assertThat(rig.get("/api/v1/status", "Cookie: holdfast_session=a|b|c|d").status())
        .isEqualTo(401);
    assertThat(rig.get("/api/v1/status", "Cookie: holdfast_session=").status()).isEqualTo(401);
    Raw.Answer out = rig.post("/logout", "{}", cookie, OWN);
    assertThat(out.status()).isEqualTo(204);
    assertThat(out.header("set-cookie")).contains("Max-Age=0");
    assertThat(rig.get("/api/v1/status", cookie).status()).isEqualTo(401);
  }

  /** S25: a rotated token takes the logins that it made with it. */
  @Test
  void aRotatedTokenEndsItsSessions() throws Exception {
    String cookie = cookieOf("{\"token\":\"" + IngressRig.ADMIN + "\"}");
    rig.tokens.replace(
        List.of(new TokenConfig("main", new Secret("another-token-0123456789"), Scope.ADMIN)));
    assertThat(rig.get("/api/v1/status", cookie).status()).isEqualTo(401);
    assertThat(rig.get("/api/v1/status", IngressRig.bearer(IngressRig.ADMIN)).status())
        .isEqualTo(401);
  }

  /** A page that was left open is no guesser. */
  @Test
  void staleCookiesDoNotBringTheBrakeDown() throws Exception {
    for (int i = 0; i < 15; i++) {
      assertThat(rig.get("/api/v1/status", "Cookie: holdfast_session=main|1|x|y").status())
          .isEqualTo(401);
    }
    assertThat(rig.get("/api/v1/status", IngressRig.bearer(IngressRig.ADMIN)).status())
        .isEqualTo(200);
  }

  @Test
  void junkDoesNotLogIn() throws Exception {
    for (String body : List.of("{}", "{\"code\":7}", "{\"token\":\"\"}", "{\"code\":\"\"}")) {
      assertThat(rig.post("/login", body).status()).isEqualTo(401);
    }
    assertThat(rig.post("/login", "[]").status()).isEqualTo(400);
    assertThat(rig.get("/login").status()).isEqualTo(405);
  }

  @Test
  void codesAndSessionsEndByTime() {
    ManualTime time = new ManualTime();
    Tokens tokens = new Tokens(IngressRig.TOKENS);
    FakeLogouts logouts = new FakeLogouts();
    Sessions sessions = new Sessions(tokens, logouts, time);
    String late = sessions.issueCode("main");
    time.advance(Duration.ofMinutes(10));
    assertThat(sessions.openByCode(late)).isEmpty();
    String cookie = sessions.openByCode(sessions.issueCode("main")).orElseThrow();
    assertThat(sessions.find(cookie)).contains(new Caller("main", Scope.ADMIN, true));
    assertThat(new Sessions(tokens, logouts, time).find(cookie)).as("after a restart").isPresent();
    time.advance(Duration.ofDays(7));
    assertThat(sessions.find(cookie)).isEmpty();
  }

  @Test
  void aCodeGivesTheRightsOfTheTokenThatItWasMadeFor() {
    Sessions sessions =
        new Sessions(new Tokens(IngressRig.TOKENS), new FakeLogouts(), new ManualTime());
    String cookie = sessions.openByCode(sessions.issueCode("talker")).orElseThrow();
    assertThat(sessions.find(cookie)).contains(new Caller("talker", Scope.CHAT, true));
    assertThat(sessions.openByCode(sessions.issueCode("nobody"))).isEmpty();
  }

  @Test
  void aLogoutOutlivesARestart() {
    ManualTime time = new ManualTime();
    Tokens tokens = new Tokens(IngressRig.TOKENS);
    FakeLogouts logouts = new FakeLogouts();
    Sessions sessions = new Sessions(tokens, logouts, time);
    String cookie = sessions.openByCode(sessions.issueCode("main")).orElseThrow();
    String other = sessions.openByCode(sessions.issueCode("main")).orElseThrow();
    assertThat(sessions.close(cookie)).isCompleted();
    Sessions restarted = new Sessions(tokens, logouts, time);
    assertThat(restarted.find(cookie)).isEmpty();
    assertThat(restarted.find(other)).isPresent();
  }

  /** Whoever logs in and out for ever brings no ended session back. */
  @Test
  void noLogoutIsForgottenForTheSakeOfOthers() {
    ManualTime time = new ManualTime();
    Tokens tokens = new Tokens(IngressRig.TOKENS);
    FakeLogouts logouts = new FakeLogouts();
    Sessions sessions = new Sessions(tokens, logouts, time);
    String first = sessions.openByToken(IngressRig.READ).orElseThrow();
    String admins = sessions.openByToken(IngressRig.ADMIN).orElseThrow();
    assertThat(sessions.close(first)).isCompleted();
    for (int i = 0; i < 1100; i++) {
      assertThat(sessions.close(sessions.openByToken(IngressRig.READ).orElseThrow())).isCompleted();
      time.advance(Duration.ofSeconds(1));
    }
    Sessions restarted = new Sessions(tokens, logouts, time);
    for (Sessions each : List.of(sessions, restarted)) {
      assertThat(each.find(first)).isEmpty();
      assertThat(each.find(admins)).isPresent();
      assertThat(each.find(sessions.openByToken(IngressRig.READ).orElseThrow())).isPresent();
    }
  }

  @Test
  void aLogoutThatCannotBeWrittenDownSaysSo() throws Exception {
    String cookie = cookieOf("{\"token\":\"" + IngressRig.ADMIN + "\"}");
    rig.logouts.fails = true;
    assertThat(rig.post("/logout", "{}", cookie, OWN).status()).isEqualTo(503);
    assertThat(rig.get("/api/v1/status", cookie).status()).isEqualTo(401);
    rig.logouts.fails = false;
    assertThat(rig.post("/logout", "{}", cookie, OWN).status()).isEqualTo(204);
    assertThat(rig.logouts.load()).hasSize(1);
  }
}
