package dev.holdfast.store.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.OutboundReply.Kind;
import org.junit.jupiter.api.Test;

class ReplyVoiceTest {
  @Test
  void theIdOfAReplySaysWhatItIs() {
    assertThat(ReplyVoice.kindOf("01K5.a.1")).isEqualTo(Kind.ANSWER);
    assertThat(ReplyVoice.kindOf("01K5.a2.13")).isEqualTo(Kind.ANSWER);
    assertThat(ReplyVoice.kindOf("01K5.c.1")).isEqualTo(Kind.ANSWER);
    assertThat(ReplyVoice.kindOf("mode-7-web.e.local.n.1")).isEqualTo(Kind.NOTICE);
    assertThat(ReplyVoice.kindOf("01K5.q.1")).isEqualTo(Kind.NOTICE);
    assertThat(ReplyVoice.kindOf("01K5.e.2")).isEqualTo(Kind.ERROR);
    assertThat(ReplyVoice.kindOf("01K5.p.1")).isEqualTo(Kind.QUESTION);
    assertThat(ReplyVoice.kindOf("")).isEqualTo(Kind.ANSWER);
    assertThat(ReplyVoice.kindOf("a..1")).isEqualTo(Kind.ANSWER);
  }
}
