package dev.holdfast.github;

import dev.holdfast.api.PluginConfig;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The repositories that an account reads, as its configuration names them. GitHub does not tell
 * upper from lower case in names.
 */
record RepositoryList(List<String> names) {
  private static final String KEY = "repositories";
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,99}/(?!\\.{1,2}$)[A-Za-z0-9._-]{1,100}");

  RepositoryList {
    names = List.copyOf(names);
  }

  /** What cannot be used is reported to the section. */
  static RepositoryList read(PluginConfig section) {
    List<String> names =
        section.texts(KEY, List.of()).stream().map(String::strip).distinct().toList();
    if (names.isEmpty() || names.size() > GithubAccount.REPOSITORIES_MAX) {
      section.problem(
          KEY,
          "repositories must be from 1 to %d names such as octocat/hello, got %d"
              .formatted(GithubAccount.REPOSITORIES_MAX, names.size()));
      return new RepositoryList(List.of());
    }
    for (String name : names) {
      if (!isName(name)) {
        section.problem(
            KEY, "repositories must be names such as octocat/hello, got " + shown(name));
      }
    }
    return new RepositoryList(names.stream().filter(RepositoryList::isName).toList());
  }

  private static String shown(String name) {
    return name.substring(0, Math.min(name.length(), 100)).replaceAll("\\p{C}", "?");
  }

  /** Whether it is an owner and a name, and leads nowhere else in a path. */
  static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  boolean has(String fullName) {
    return names.stream().anyMatch(fullName::equalsIgnoreCase);
  }
}
