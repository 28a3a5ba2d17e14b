package dev.holdfast.slack;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where something is said: a channel, and the thread in it. As the id of a conversation it is
 * {@code CHANNEL} or {@code CHANNEL:THREAD}.
 *
 * @param channel Slack's id of a channel, a group or a conversation with one person
 * @param threadTs the {@code ts} of the message that the thread is under; empty outside of threads
 */
record SlackPlace(String channel, String threadTs) {
  static SlackPlace ofThread(String thread) {
    int colon = thread.indexOf(':');
    return colon < 0
        ? new SlackPlace(thread, "")
        : new SlackPlace(thread.substring(0, colon), thread.substring(colon + 1));
  }

  String thread() {
    return threadTs.isEmpty() ? channel : channel + ":" + threadTs;
  }

  /** Whether it is a conversation with one person. */
  boolean isDirect() {
    return channel.startsWith("D");
  }

  /** What each call about it begins with; to be added to. */
  Map<String, Object> parameters() {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("channel", channel);
    if (!threadTs.isEmpty()) {
      parameters.put("thread_ts", threadTs);
    }
    return parameters;
  }

  /** What each call about one message of it begins with; to be added to. */
  Map<String, Object> message(String ts) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("channel", channel);
    parameters.put("ts", ts);
    return parameters;
  }
}
