package dev.holdfast.github;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whether an account has what it needs. Blocks the calling thread. */
final class GithubChecks {
  private static final Duration ASK_MAX = Duration.ofSeconds(8);
  private static final List<String> SCOPES = List.of("repo", "public_repo");

  /** No call lasts longer than until then. */
  private static final Duration ALL_MAX = Duration.ofSeconds(15);

  private static final Duration ASK_LEAST = Duration.ofSeconds(1);

  private final GithubBot bot;
  private final long begin;
  private final List<String> left = new ArrayList<>();
  private final List<ChannelCheck> checks = new ArrayList<>();

  private GithubChecks(GithubBot bot) {
    this.bot = bot;
    this.begin = bot.context().nanos();
  }

  static List<ChannelCheck> of(GithubBot bot) throws InterruptedException {
    GithubChecks checks = new GithubChecks(bot);
    if (checks.checkToken()) {
      for (String repository : bot.account().repositories().names()) {
        if (checks.hasTime("the repository " + repository)) {
          checks.checkRepository(repository);
        }
      }
      checks.addRefusedLists();
      if (checks.hasTime("the calls that are left")) {
        checks.checkLimit();
      }
      checks.addLeft();
    }
    checks.checkMode();
    checks.checkAccess();
    return List.copyOf(checks.checks);
  }

  private void add(String what, boolean isMet, String remedy) {
    checks.add(isMet ? ChannelCheck.met(what) : ChannelCheck.missing(what, remedy));
  }

  private Duration timeout() {
    Duration rest = ALL_MAX.minusNanos(bot.context().nanos() - begin);
    return rest.compareTo(ASK_MAX) < 0 ? rest : ASK_MAX;
  }

  /** Notes what there is no time for. */
  private boolean hasTime(String what) {
    boolean hasTime = timeout().compareTo(ASK_LEAST) >= 0;
    if (!hasTime) {
      left.add(what);
    }
    return hasTime;
  }

  private void addLeft() {
    if (!left.isEmpty()) {
      add(
          "GitHub answers in time",
          false,
          "Check again later: after %d s these were not looked at: ".formatted(ALL_MAX.toSeconds())
              + String.join(", ", left));
    }
  }

  private boolean checkToken() throws InterruptedException {
    GithubAnswer answer;
    try {
      answer = bot.api().get("/user", timeout());
    } catch (CallFailedException e) {
      add(
          "GitHub can be reached",
          false,
          "let this server connect to it, or set channels.github.base_url: "
              + e.failure().message());
      return false;
    }
    try {
      GithubIdentity me = GithubBot.identity(answer);
      add(
          "the token is valid: it is the one of @%s (id %d)".formatted(me.login(), me.id()),
          true,
          "");
    } catch (CallFailedException e) {
      add("the token is valid", false, sentence(e.failure()));
      return false;
    }
    checkScopes(answer);
    return true;
  }

  /** Of a classic token; of a fine-grained one GitHub does not tell what it may do. */
  private void checkScopes(GithubAnswer answer) {
    List<String> lines = answer.headers().getOrDefault("x-oauth-scopes", List.of());
    if (lines.isEmpty()) {
      return;
    }
    boolean isMet =
        Arrays.stream(String.join(",", lines).split(",", -1))
            .map(String::strip)
            .anyMatch(SCOPES::contains);
    add(
        "the token may write comments",
        isMet,
        "Give it the scope repo, or public_repo when all repositories are public");
  }

  private void checkRepository(String name) throws InterruptedException {
    String what = "the repository %s can be read".formatted(name);
    try {
      Map<String, Object> found = bot.api().get("/repos/" + name, timeout()).orThrow();
      String id = JsonText.id(found, "id");
      Map<String, Object> permissions = JsonText.map(found, "permissions");
      if (JsonText.flag(found, "archived")) {
        add(what, false, "It is archived, so nobody can write there: take it out of repositories");
      } else if (!permissions.isEmpty() && !JsonText.flag(permissions, "pull")) {
        add(what, false, "Let the bot's user into the repository");
      } else {
        add(what + " (id " + id + ")", true, "");
      }
    } catch (CallFailedException e) {
      add(what, false, sentence(e.failure()));
    }
  }

  /** As the last poll found them. */
  private void addRefusedLists() {
    for (String repository : bot.account().repositories().names()) {
      for (GithubSource source : GithubSource.values()) {
        String list = repository + " " + source.list();
        String refusal = bot.refusals().getOrDefault(list, "");
        if (!refusal.isEmpty()) {
          add(list + " can be read", false, sentence(refusal));
        }
      }
    }
  }

  private void checkLimit() throws InterruptedException {
    try {
      GithubAnswer answer = bot.api().get("/rate_limit", timeout());
      Map<String, Object> core = JsonText.map(JsonText.map(answer.body(), "resources"), "core");
      if (!answer.isOk() || core.isEmpty()) {
        return; // a server of one's own may have no limit
      }
      long left = JsonText.whole(core, "remaining", 0);
      add(
          "calls are left in this hour (%d of %d)"
              .formatted(left, JsonText.whole(core, "limit", 0)),
          left > 0,
          "Set a longer poll_secs, or see what else uses the token");
    } catch (CallFailedException e) {
      add("calls are left in this hour", false, sentence(e.failure()));
    }
  }

  private void checkMode() {
    checks.add(
        ChannelCheck.met(
            bot.account().polls()
                ? "it polls every %d s".formatted(bot.account().pollEvery().toSeconds())
                : "a webhook secret is configured, and what was missed is polled for every %d s"
                    .formatted(bot.account().pollEvery().toSeconds())));
  }

  private void checkAccess() {
    Access access = bot.account().access();
    add(
        "somebody is answered",
        !access.users().isEmpty() || !access.chats().isEmpty(),
        "Write ids of repositories into allow.chats of the account, or ids of people into"
            + " allow.users");
  }

  private static String sentence(Failure failure) {
    return sentence(failure.message());
  }

  private static String sentence(String said) {
    return said.substring(0, 1).toUpperCase(Locale.ROOT) + said.substring(1);
  }
}
