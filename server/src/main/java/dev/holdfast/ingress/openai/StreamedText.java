package dev.holdfast.ingress.openai;

import java.util.Optional;

/** What a client has been sent of an answer, to be held against the whole one. */
final class StreamedText {
  private final StringBuilder sent = new StringBuilder();
  private boolean isRoundOver;
  private boolean isVoid;

  /** Returns what to send for it; empty when nothing may be. */
  String add(String delta) {
    if (isVoid || delta.isEmpty()) {
      return "";
    }
    String added = isRoundOver && !isNothing() ? "\n\n" + delta : delta;
    isRoundOver = false;
    sent.append(added);
    return added;
  }

  String soFar() {
    return sent.toString();
  }

  boolean isNothing() {
    return sent.isEmpty();
  }

  void endRound() {
    isRoundOver = true;
  }

  /** It is no beginning of the answer any more. */
  void voided() {
    isVoid = true;
  }

  /** Another text begins, from nothing. */
  void clear() {
    sent.setLength(0);
    isVoid = false;
    isRoundOver = false;
  }

  /**
   * What is left of the whole answer; empty when it does not begin with what was sent. Blanks do
   * not count: answers are trimmed and joined when they are written down.
   */
  Optional<String> rest(String whole) {
    if (isVoid) {
      return Optional.empty();
    }
    int at = 0;
    for (int i = 0; i < sent.length(); i++) {
      char c = sent.charAt(i);
      if (Character.isWhitespace(c)) {
        continue;
      }
      while (at < whole.length() && Character.isWhitespace(whole.charAt(at))) {
        at++;
      }
      if (at == whole.length() || whole.charAt(at) != c) {
        return Optional.empty();
      }
      at++;
    }
    String rest = whole.substring(at);
    return Optional.of(rest.isBlank() ? "" : rest);
  }
}
