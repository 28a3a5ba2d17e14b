package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.time.ManualTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ChatTest extends CommandFixture {
  private static final String POST = "POST /api/v1/threads/web%3Amain%3Acli/messages";
  private static final String ACCEPTED = "{\"event_id\":\"e1\",\"duplicate\":false}";
  private static final String ANSWER =
      "{\"event_id\":\"e1\",\"reply_id\":\"e1.a.1\",\"text\":\"Hello, Ada\"}";
  private static final String DONE = "{\"event_id\":\"e1\",\"outcome\":\"answered\"}";

  @BeforeEach
  void start() {
    server.on("GET /api/v1/events/e1", 200, "{\"event_id\":\"e1\",\"state\":\"pending\"}");
  }

  @Test
  void oneMessagePrintsTheWholeAnswerAndNothingElse() {
    server.on(
        POST,
        202,
        ACCEPTED,
        () ->
            server
                .tell("b-1", "event.accepted", "{\"event_id\":\"e1\",\"text\":\"hi there\"}")
                .tell("b-2", "turn.text", "{\"event_id\":\"e1\",\"delta\":\"Hel\"}")
                .tell(
                    "b-3",
                    "reply.planned",
                    "{\"event_id\":\"e1\",\"reply_id\":\"e1.n.1\",\"text\":\"I have it\"}")
                .tell("b-4", "reply.planned", ANSWER)
                .tell("b-4", "reply.planned", ANSWER)
                .tell("b-5", "event.finished", DONE));
    assertThat(line.run(server, "chat", "hi", "there")).isZero();
    assertThat(line.out()).isEqualTo("Hello, Ada\n");
    assertThat(line.err()).contains("I have it");
    assertThat(server.requests).anyMatch(r -> r.contains("\"user_id\":\"ada\""));
  }

  @Test
  void anAnswerThatIsFasterThanTheRequestIsNotLost() {
    server.on(
        "GET /api/v1/events/e1",
        200,
        "{\"event_id\":\"e1\",\"state\":\"answered\",\"replies\":[" + ANSWER + "]}");
    server.on(POST, 202, ACCEPTED);
    assertThat(line.input("hi\n").run(server, "chat")).isZero();
    assertThat(line.out()).isEqualTo("Hello, Ada\n");
    assertThat(line.run(server, "chat", "hi", "--json")).isZero();
    assertThat(line.out()).contains("\"outcome\" : \"answered\"", "\"text\" : \"Hello, Ada\"");
  }

  @Test
  void aLostConnectionIsResumedWhereItBroke() {
    server.on(
        POST,
        202,
        ACCEPTED,
        () ->
            server
                .tell("b-7", "event.accepted", "{\"event_id\":\"e1\",\"text\":\"hi\"}")
                .cut()
                .tell("b-8", "reply.planned", ANSWER)
                .tell("b-9", "event.finished", DONE));
    assertThat(line.run(server, "chat", "hi")).isZero();
    assertThat(line.out()).isEqualTo("Hello, Ada\n");
    assertThat(server.lastEventIds).containsExactly("null", "b-7");
  }

  /** A server that is stopping; the test has 30 s. */
  @Test
  void itWaitsNoLongerThanItIsTold() {
    server.on(POST, 503, "{\"error\":{\"code\":\"UNAVAILABLE\",\"message\":\"it is stopping\"}}");
    assertThat(line.run(server, "chat", "hi", "--wait-secs", "1")).isNotZero();
    assertThat(line.err()).contains("it is stopping");
  }

  @Test
  void aMessageThatWasGivenUpIsNoSuccess() {
    server.on(
        POST,
        202,
        ACCEPTED,
        () ->
            server.tell(
                "b-1", "event.finished", "{\"event_id\":\"e1\",\"outcome\":\"dead_lettered\"}"));
    assertThat(line.run(server, "chat", "hi")).isEqualTo(1);
  }

  @Test
  void aConversationShowsTheAnswerWhileItGrowsAndOnlyOnce() {
    server.on(
        POST,
        202,
        ACCEPTED,
        () ->
            server
                .tell("b-1", "event.accepted", "{\"event_id\":\"e1\",\"text\":\"hi\"}")
                .tell("b-2", "turn.text", "{\"event_id\":\"e1\",\"delta\":\"Hello, \"}")
                .tell("b-3", "turn.text", "{\"event_id\":\"e1\",\"delta\":\"Ada\\u001b[2J\"}")
                .tell("b-4", "event.finished", DONE));
    ConversationView conversation =
        new ConversationView(terminal(), ConversationView.OutputMode.LIVE, "ada", new ManualTime());
    conversation.sending("hi");
    conversation.news("event.accepted", node("{\"event_id\":\"e1\",\"text\":\"hi\"}"));
    conversation.news("turn.text", node("{\"event_id\":\"e1\",\"delta\":\"Hello\"}"));
    conversation.news("turn.restart", node("{\"event_id\":\"e1\"}"));
    conversation.news("turn.text", node("{\"event_id\":\"e1\",\"delta\":\"Hello, Ada\"}"));
    conversation.news("reply.planned", node(ANSWER));
    conversation.news("event.finished", node(DONE));
    conversation.news(
        "event.accepted", node("{\"event_id\":\"e2\",\"sender\":\"bob\",\"text\":\"x\"}"));
    assertThat(out.toString()).isEqualTo("Hello\nHello, Ada\n");
    assertThat(err.toString()).contains("[the answer restarts]", "[bob] x");
    assertThat(line.atATerminal().input("hi\n/quit\n").run(server, "chat")).isZero();
  }

  @Test
  void aRunningToolIsShownWithItsTimeAndAQuestionIsAnsweredWithOneLetter() {
    ConversationView conversation =
        new ConversationView(terminal(), ConversationView.OutputMode.LIVE, "ada", new ManualTime());
    conversation.news("tool.started", node("{\"event_id\":\"e1\",\"label\":\"shell: ls\"}"));
    assertThat(err.toString()).contains("shell: ls... 0 s");
    conversation.news("tool.ended", node("{\"event_id\":\"e1\",\"tool\":\"shell\",\"millis\":12}"));
    assertThat(err.toString()).contains("[shell: ls: took 12 ms]");
    assertThat(conversation.meant("y")).isEqualTo("y");
    String asked =
        "{\"event_id\":\"e1\",\"approval_id\":\"%s\",\"code\":\"7F3KX\",\"tool\":\"shell\","
            + "\"arguments\":\"{}\",\"person\":\"%s\"}";
    conversation.news("approval.asked", node(asked.formatted("p0", "bob")));
    assertThat(conversation.meant("y")).as("another person's question").isEqualTo("y");
    conversation.news("approval.asked", node(asked.formatted("p1", "ada")));
    conversation.news("approval.asked", node(asked.formatted("p1", "ada")));
    assertThat(err.toString()).as("asked once").containsOnlyOnce("Allow it?");
    assertThat(conversation.meant("yes")).isEqualTo("/approve 7F3KX");
    assertThat(conversation.meant("N")).isEqualTo("/deny 7F3KX");
    assertThat(conversation.meant("why?")).isEqualTo("why?");
    conversation.news(
        "approval.decided", node("{\"approval_id\":\"p1\",\"state\":\"denied\",\"by\":\"x\"}"));
    assertThat(conversation.meant("y")).isEqualTo("y");
  }

  @Test
  void anEmptyMessageIsNotSent() {
    assertThat(line.input(" \n").run(server, "chat")).isEqualTo(64);
  }

  private final java.io.StringWriter out = new java.io.StringWriter();
  private final java.io.StringWriter err = new java.io.StringWriter();

  private Terminal terminal() {
    return new Terminal(
        new java.io.PrintWriter(out), new java.io.PrintWriter(err), true, "1", () -> 0);
  }

  private static com.fasterxml.jackson.databind.JsonNode node(String json) {
    try {
      return CliJson.parse(json);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }
}
