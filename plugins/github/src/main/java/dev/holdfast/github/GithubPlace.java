package dev.holdfast.github;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An issue or a pull request, which is a conversation; its id is {@code owner/name#NUMBER}.
 *
 * @param number from 1; issues and pull requests of a repository share the numbers
 */
record GithubPlace(String repository, long number) {
  private static final Pattern THREAD = Pattern.compile("([^#]{1,250})#([1-9][0-9]{0,17})");

  /** Empty when it names no issue. */
  static Optional<GithubPlace> ofThread(String thread) {
    Matcher parts = THREAD.matcher(thread);
    return parts.matches() && RepositoryList.isName(parts.group(1))
        ? Optional.of(new GithubPlace(parts.group(1), Long.parseLong(parts.group(2))))
        : Optional.empty();
  }

  String thread() {
    return repository + "#" + number;
  }

  /** Where the API has it. */
  String path() {
    return "/repos/" + repository + "/issues/" + number;
  }
}
