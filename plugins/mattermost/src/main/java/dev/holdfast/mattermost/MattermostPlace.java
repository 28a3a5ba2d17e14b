package dev.holdfast.mattermost;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where something is said: a channel, and the thread in it. As the id of a conversation it is
 * {@code CHANNEL} or {@code CHANNEL:ROOT}.
 *
 * @param root the id of the post that the thread is under; empty outside of threads
 */
record MattermostPlace(String channel, String root) {
  /** Ids of Mattermost have 26 letters and digits; those that stand in for it may have others. */
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,100}");

  static MattermostPlace ofThread(String thread) {
    int colon = thread.indexOf(':');
    return colon < 0
        ? new MattermostPlace(thread, "")
        : new MattermostPlace(thread.substring(0, colon), thread.substring(colon + 1));
  }

  /** Whether it may be an id, and surely is nothing that changes a path that it stands in. */
  static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  String thread() {
    return root.isEmpty() ? channel : channel + ":" + root;
  }

  /** What each post there begins with; to be added to. */
  Map<String, Object> post() {
    Map<String, Object> post = new LinkedHashMap<>();
    post.put("channel_id", channel);
    if (!root.isEmpty()) {
      post.put("root_id", root);
    }
    return post;
  }
}
