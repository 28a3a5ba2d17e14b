package dev.holdfast.slack;

import dev.holdfast.kit.DraftMessages;
import dev.holdfast.kit.JsonText;
import java.util.Map;

/**
 * Where a draft stands.
 *
 * @param ts Slack's id of the message in its channel
 * @param isStream whether Slack takes it for a stream that goes on
 */
record SlackDraft(SlackPlace at, String ts, boolean isStream) {
  private static final String THREAD = "thread";
  private static final String TS = "ts";
  private static final String STREAM = "stream";

  static SlackDraft of(DraftMessages.Shown shown) {
    return new SlackDraft(
        SlackPlace.ofThread(shown.text(THREAD)),
        shown.text(TS),
        JsonText.flag(shown.place(), STREAM));
  }

  Map<String, Object> place() {
    return Map.of(THREAD, at.thread(), TS, ts, STREAM, isStream);
  }
}
