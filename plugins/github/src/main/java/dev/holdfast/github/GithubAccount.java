package dev.holdfast.github;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.kit.ChannelAccounts;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * One user of GitHub who answers.
 *
 * @param webhookSecret what GitHub signs deliveries with; may be empty when it polls
 * @param polls whether comments are asked for; else GitHub delivers them, and only what was missed
 *     is asked for
 * @param pollEvery how long it waits between two polls
 * @param associations what an author must be to a repository, in upper case
 * @param mention the name that addresses it, without an at sign; empty: the login
 */
record GithubAccount(
    String name,
    String token,
    String webhookSecret,
    boolean polls,
    Duration pollEvery,
    RepositoryList repositories,
    Set<String> associations,
    String mention,
    Access access) {
  static final String TOKEN = "GITHUB_TOKEN";
  static final String WEBHOOK_SECRET = "GITHUB_WEBHOOK_SECRET";
  static final int REPOSITORIES_MAX = 20;

  /** GitHub never delivers again by itself what could not be delivered. */
  private static final Duration MISSED_EVERY = Duration.ofMinutes(5);

  private static final int POLL_USUAL = 30;
  private static final int POLL_LEAST = 5;
  private static final int POLL_MOST = 600;
  private static final Duration ANSWER_MAX = Duration.ofMinutes(2);
  private static final List<String> ASSOCIATIONS_USUAL = List.of("OWNER", "MEMBER", "COLLABORATOR");
  private static final List<String> ASSOCIATIONS =
      List.of(
          "OWNER",
          "MEMBER",
          "COLLABORATOR",
          "CONTRIBUTOR",
          "FIRST_TIME_CONTRIBUTOR",
          "FIRST_TIMER",
          "MANNEQUIN",
          "NONE");
  private static final Pattern PRINTABLE = Pattern.compile("[!-~]{1,500}");
  private static final Pattern LOGIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,99}");

  GithubAccount {
    associations = Set.copyOf(associations);
  }

  /**
   * Reads {@code channels.github.accounts.NAME}; what cannot be used is reported to the section.
   *
   * @param variables of the environment, for the account {@value ChannelAccounts#MAIN}
   */
  static GithubAccount read(
      PluginConfig section, String name, Function<String, Optional<String>> variables) {
    String token = ChannelAccounts.secret(section, name, "token", TOKEN, variables.apply(TOKEN));
    checkToken(section, token);
    String mode = section.text("mode", "poll");
    boolean polls = !mode.equals("webhook");
    if (polls && !mode.equals("poll")) {
      section.problem("mode", "mode must be poll or webhook, got " + mode);
    }
    String secret =
        polls
            ? section.secret("webhook_secret")
            : ChannelAccounts.secret(
                section, name, "webhook_secret", WEBHOOK_SECRET, variables.apply(WEBHOOK_SECRET));
    int seconds = section.whole("poll_secs", POLL_USUAL);
    if (seconds < POLL_LEAST || seconds > POLL_MOST) {
      section.problem(
          "poll_secs",
          "poll_secs must be from %d to %d, got %d".formatted(POLL_LEAST, POLL_MOST, seconds));
      seconds = POLL_USUAL;
    }
    return new GithubAccount(
        name,
        token,
        secret,
        polls,
        polls ? Duration.ofSeconds(seconds) : MISSED_EVERY,
        RepositoryList.read(section),
        associations(section),
        mention(section),
        Access.of(section));
  }

  private static void checkToken(PluginConfig section, String token) {
    if (token.isEmpty()) {
      return; // that was reported
    }
    if (!PRINTABLE.matcher(token).matches()) {
      section.problem("token", "token must be one word, as GitHub shows it once");
    } else if (token.startsWith("ghs_")) {
      section.problem(
          "token",
          "token must be a personal access token (github_pat_... or ghp_...): this is one of an"
              + " app, which expires after an hour");
    }
  }

  private static Set<String> associations(PluginConfig section) {
    Set<String> associations = new LinkedHashSet<>();
    for (String said : section.texts("associations", ASSOCIATIONS_USUAL)) {
      String association = said.strip().toUpperCase(Locale.ROOT);
      if (ASSOCIATIONS.contains(association)) {
        associations.add(association);
      } else {
        section.problem(
            "associations",
            "associations must be of %s, got %s"
                .formatted(String.join(", ", ASSOCIATIONS), association));
      }
    }
    return associations;
  }

  private static String mention(PluginConfig section) {
    String said = section.text("mention", "").strip();
    String name = said.startsWith("@") ? said.substring(1) : said;
    if (!said.isEmpty() && !LOGIN.matcher(name).matches()) {
      section.problem("mention", "mention must be a name such as @holdfast-bot");
    }
    return name;
  }

  /** The longest time between two polls that were answered, while all is well. */
  Duration silenceMax() {
    return pollEvery.multipliedBy(2).plus(ANSWER_MAX);
  }

  /** A longer pause between two polls would be taken for a dead connection. */
  Duration pauseMax() {
    return silenceMax().minus(ANSWER_MAX.dividedBy(2));
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "GithubAccount[" + name + "]";
  }
}
