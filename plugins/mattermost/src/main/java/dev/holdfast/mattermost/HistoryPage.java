package dev.holdfast.mattermost;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.kit.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A page of what was posted in a channel, replies in threads included: each as a post of its own,
 * without the rest of its thread, which may be longer than any page. Pages are read backwards from
 * the newest post: {@code since=} would give what was edited or deleted since then too, and leaves
 * out without a word what is beyond 1,000 posts.
 *
 * @param count how many posts the page names
 * @param oldest the id of the oldest post of the page; empty when it has none
 */
record HistoryPage(List<Map<String, Object>> newestFirst, int count, String oldest) {
  /** What one page has at most. */
  static final int SIZE = 100;

  /**
   * Where the page is.
   *
   * @param before the post that it ends before; empty for the newest page
   */
  static String path(String channel, String before) {
    String path = "/channels/%s/posts?per_page=%d&skipFetchThreads=true".formatted(channel, SIZE);
    return before.isEmpty() ? path : path + "&before=" + before;
  }

  /** Reads one; what has no order of posts is none. */
  static HistoryPage of(MattermostAnswer answer) throws CallFailedException {
    Map<String, Object> byId = JsonText.map(answer.orThrow().body(), "posts");
    if (!(answer.body().get("order") instanceof List<?> order)) {
      throw new CallFailedException(MattermostAnswer.notTheApi());
    }
    List<Map<String, Object>> posts = new ArrayList<>();
    String oldest = "";
    for (Object each : order) {
      String id = String.valueOf(each);
      if (MattermostPlace.isId(id)) {
        posts.add(JsonText.map(byId, id));
        oldest = id;
      }
    }
    return new HistoryPage(posts, order.size(), oldest);
  }

  /** Whether nothing older can follow. */
  boolean isLast() {
    return count < SIZE || oldest.isEmpty();
  }
}
