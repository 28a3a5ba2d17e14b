package dev.holdfast.slack;

import dev.holdfast.kit.JsonText;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who an app is in its workspace.
 *
 * @param user the id of its bot user
 * @param bot what Slack calls it where it has posted; may be empty
 * @param team the id of the workspace
 * @param scopes what its token may do, as far as Slack says; empty when it does not
 */
record SlackIdentity(String user, String bot, String team, String teamName, Set<String> scopes) {
  /** Of an answer to {@code auth.test} that is ok. */
  static SlackIdentity of(SlackAnswer answer) {
    Map<String, Object> body = answer.body();
    Set<String> scopes =
        answer.headers().getOrDefault("x-oauth-scopes", List.of()).stream()
            .flatMap(line -> Arrays.stream(line.split(",", -1)))
            .map(String::strip)
            .filter(scope -> !scope.isEmpty())
            .collect(Collectors.toUnmodifiableSet());
    return new SlackIdentity(
        JsonText.text(body, "user_id"),
        JsonText.text(body, "bot_id"),
        JsonText.text(body, "team_id"),
        JsonText.text(body, "team"),
        scopes);
  }
}
