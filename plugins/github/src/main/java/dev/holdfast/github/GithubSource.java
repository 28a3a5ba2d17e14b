package dev.holdfast.github;

import dev.holdfast.kit.JsonText;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What people write on GitHub and this channel reads, in the order in which it is read: what begins
 * a conversation comes before what follows in it.
 */
enum GithubSource {
  /** The first text of issues and pull requests: GitHub lists both as issues. */
  ISSUES("issue", "issues", "&state=all", ""),
  /** Comments on issues, and on pull requests outside of their code. */
  COMMENTS("comment", "issues/comments", "", "issue_url"),
  /** Comments on lines of the code of a pull request. */
  REVIEW_COMMENTS("review-comment", "pulls/comments", "", "pull_request_url");

  private static final Pattern NUMBER_AT_END = Pattern.compile("/([1-9][0-9]{0,17})$");

  private final String key;
  private final String list;
  private final String filter;
  private final String parentUrl;

  GithubSource(String key, String list, String filter, String parentUrl) {
    this.key = key;
    this.list = list;
    this.filter = filter;
    this.parentUrl = parentUrl;
  }

  /** What keys of messages and positions call it. */
  String key() {
    return key;
  }

  /** Where a repository lists them, relative to it. */
  String list() {
    return list;
  }

  /** More of the query of that list; empty, or with an ampersand before it. */
  String filter() {
    return filter;
  }

  /** The number of the issue or pull request that an item of the list belongs to, if it says so. */
  OptionalLong number(Map<String, Object> item) {
    if (this == ISSUES) {
      long number = JsonText.whole(item, "number", 0);
      return number > 0 ? OptionalLong.of(number) : OptionalLong.empty();
    }
    Matcher number = NUMBER_AT_END.matcher(JsonText.text(item, parentUrl));
    return number.find() ? OptionalLong.of(Long.parseLong(number.group(1))) : OptionalLong.empty();
  }
}
