package dev.holdfast.agents.turn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.store.ledgers.Approval;
import java.time.Duration;
import java.time.Instant;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.junit.jupiter.api.Test;

/** What a person reads about a call that waits. */
class ApprovalTextTest {
  private static final Instant ASKED = Instant.parse("2026-01-01T00:00:00Z");

  private static Approval question(String shown, String arguments, Approval.State state) {
    return new Approval(
        "a",
        "7F3KX",
        "e",
        "fake:main:t",
        "k",
        "shell",
        "h",
        shown,
        "ann",
        state,
        ASKED,
        ASKED.plus(Duration.ofMinutes(10)),
        "",
        arguments);
  }

  private static String codeIn(String markdown) {
    StringBuilder code = new StringBuilder();
    Node parsed = Parser.builder().build().parse(markdown);
    parsed.accept(
        new AbstractVisitor() {
          @Override
          public void visit(FencedCodeBlock block) {
            code.append(block.getLiteral());
          }
        });
    return code.toString();
  }

  @Test
  void noMarkdownInACallHidesAnyOfIt() {
    for (String arguments :
        new String[] {
          "{\"command\":\"[ls](http://x) <!-- rm --> *a* `b` ```c``` ````\"}",
          "{\n```\nrm\n```\n}",
          "[x]: http://y 'rm'",
          "<!-- rm",
        }) {
      for (String label : new String[] {"shell", "a\n<!-- b", "a\n```\nb", "a\r\n\r\n    b"}) {
        Approval question = question(label, arguments, Approval.State.WAITING);
        assertThat(codeIn(ChatSentences.mayI(question, true))).isEqualTo(arguments + "\n");
        assertThat(ChatSentences.mayI(question, false)).contains("\nReply /approve 7F3KX or");
      }
    }
  }

  @Test
  void whatIsTooLongIsCutWithinItsFence() {
    Approval question = question("shell", "x".repeat(3100), Approval.State.WAITING);
    assertThat(codeIn(ChatSentences.mayI(question, true))).isEqualTo("x".repeat(3000) + "\n");
    assertThat(ChatSentences.mayI(question, true))
        .contains("(100 more characters.)")
        .endsWith("Or use the button or reply /deny 7F3KX.")
        .doesNotContain("/approve");
  }

  @Test
  void howItEndedTakesThePlaceOfHowToAnswer() {
    for (String arguments : new String[] {"{}", "x".repeat(3100)}) {
      Approval question = question("shell", arguments, Approval.State.USED);
      String posted = ChatSentences.mayI(question, true);
      String settled = ApprovalPrompts.settled(question, ASKED, posted, "ann_*\n\uD83D\uDE00");
      assertThat(codeIn(settled)).isEqualTo(codeIn(posted));
      assertThat(settled)
          .endsWith("\nApproved by ann\\_\\* \uD83D\uDE00.")
          .doesNotContain("7F3KX", "button");
    }
  }

  @Test
  void aNameIsCutBetweenCharacters() {
    String name = "x".repeat(79) + "\uD83D\uDE00";
    Approval question = question("shell", "{}", Approval.State.DENIED);
    assertThat(ApprovalPrompts.settled(question, ASKED, "May I?", name))
        .isEqualTo("May I?\nDenied by " + "x".repeat(79) + ".");
  }
}
