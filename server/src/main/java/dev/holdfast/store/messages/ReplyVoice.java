package dev.holdfast.store.messages;

import dev.holdfast.api.OutboundReply;

/** What a reply is, for its id and for those who read it. */
public enum ReplyVoice {
  ANSWER("a", "assistant", OutboundReply.Kind.ANSWER),
  NOTICE("n", "notice", OutboundReply.Kind.NOTICE),
  REPAIR("q", "notice", OutboundReply.Kind.NOTICE),
  ERROR("e", "notice", OutboundReply.Kind.ERROR),
  COMMAND("c", "notice", OutboundReply.Kind.ANSWER),
  QUESTION("p", "notice", OutboundReply.Kind.QUESTION);

  private final String label;
  private final String role;
  private final OutboundReply.Kind kind;

  ReplyVoice(String label, String role, OutboundReply.Kind kind) {
    this.label = label;
    this.role = role;
    this.kind = kind;
  }

  /** One letter, in the id of a reply. */
  public String label() {
    return label;
  }

  /** In the log of a chat thread. */
  public String role() {
    return role;
  }

  /**
   * What a planned reply is to its message.
   *
   * @param replyId ends with a label, for a replay its number, a dot and the number of the part
   */
  public static OutboundReply.Kind kindOf(String replyId) {
    int end = replyId.lastIndexOf('.');
    int begin = replyId.lastIndexOf('.', end - 1) + 1;
    for (ReplyVoice voice : values()) {
      if (begin < end && replyId.startsWith(voice.label, begin)) {
        return voice.kind;
      }
    }
    return OutboundReply.Kind.ANSWER;
  }
}
