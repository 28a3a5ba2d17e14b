package dev.holdfast.codingagent;

import static dev.holdfast.codingagent.AgentDouble.done;
import static dev.holdfast.codingagent.AgentDouble.failure;
import static dev.holdfast.codingagent.AgentDouble.question;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.JsonText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Against an agent that does what the schema of the Agent Client Protocol says. */
@Timeout(60)
class AcpProgramTest {
  @TempDir Path folder;

  private AgentDouble agent(String offers) throws Exception {
    return new AgentDouble(folder, "acp", offers);
  }

  @Test
  void aTaskIsDoneAndItsLastWordsAreTheAnswer() throws Exception {
    AgentDouble agent = agent("load").set("mode", "code").set("auth_method", "api-key");
    assertThat(done(agent.work("k1", "look at the files")))
        .containsEntry("text", "All done.")
        .containsEntry("session", "acp-1")
        .containsEntry(
            "usage",
            Map.of(
                "turns", 1L,
                "tool_calls", 1L,
                "tokens_in", 9L,
                "tokens_out", 3L,
                "session_cost", 0.25,
                "currency", "EUR"));
    assertThat(agent.told()).containsExactly("Read notes.txt");
    assertThat(agent.noted("refused").getFirst()).as("no files are offered").contains("-32601");
    assertThat(String.join("\n", agent.noted("messages")))
        .contains("\"methodId\":\"api-key\"", "\"modeId\":\"code\"", "\"readTextFile\":false");
  }

  @ParameterizedTest
  @CsvSource({"load, session/load", "resume, session/resume"})
  void aPermissionIsAskedForAndGivenOnceInTheSameSession(String offers, String method)
      throws Exception {
    AgentDouble agent = agent(offers);
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    assertThat(question(asks)).contains("npm publish", "command: npm publish");
    assertThat(agent.noted("outcomes")).containsExactly("{\"outcome\": \"cancelled\"}");
    assertThat(String.join("\n", agent.noted("messages"))).contains("session/cancel");
    assertThat(done(agent.answered("k1", "needs a permission", asks, "Allow")))
        .containsEntry("text", "All done.");
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"yes\"");
    assertThat(String.join("\n", agent.noted("messages"))).contains(method);
    assertThat(agent.told()).as("what was said before").doesNotContain("OLD");
  }

  @Test
  void aRejectionIsPassedOn() throws Exception {
    AgentDouble agent = agent("load");
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    done(agent.answered("k1", "needs a permission", asks, "Reject"));
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"no\"");
  }

  @Test
  void oneThatKeepsNoSessionsBeginsAnewWithTheApproval() throws Exception {
    AgentDouble agent = agent("nothing");
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    done(agent.answered("k1", "needs a permission", asks, "Allow"));
    assertThat(agent.noted("prompts").getLast()).isEqualTo("\"needs a permission\"");
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"yes\"");
  }

  @Test
  void oneThatWantsALoginAndOneThatRefusesAreTold() throws Exception {
    assertThat(failure(agent("login").work("k1", "x")))
        .startsWith("403")
        .contains("Set auth_method to one of: api-key");
    assertThat(failure(agent("load").work("k2", "refuse"))).startsWith("422");
  }

  @Test
  void oneThatOffersNoLoginIsToldHowElse() throws Exception {
    assertThat(failure(agent("keyless").work("k1", "x")))
        .startsWith("403")
        .contains("offers no way to do that", "secret_env")
        .doesNotContain("auth_method");
  }

  private static Map<String, Object> option(String id, String name, String kind) {
    return Map.of("optionId", id, "name", name, "kind", kind);
  }

  private static final Map<String, Object> YES = option("y", "Yes", "allow_once");
  private static final Map<String, Object> NO = option("n", "No", "reject_once");
  private static final Map<String, Object> ALWAYS = option("a", "Always", "allow_always");
  private static final Map<String, Object> NEVER = option("v", "Never", "reject_always");

  private static Map<String, Object> wanted(Map<String, Object> changed) {
    Map<String, Object> call = new LinkedHashMap<>();
    call.put("toolCallId", "c9");
    call.put("title", "edit a.txt");
    call.put("kind", "edit");
    call.put("rawInput", Map.of("path", "a.txt"));
    call.put("locations", List.of(Map.of("path", "/srv/a.txt")));
    call.put(
        "content",
        List.of(Map.of("type", "diff", "path", "a.txt", "oldText", "old", "newText", "good")));
    call.putAll(changed);
    return call;
  }

  private static Map<String, Object> request(Map<String, Object> changed) {
    return Map.of("toolCall", wanted(changed), "options", List.of(YES, NO));
  }

  static Stream<Map<String, Object>> othersThanApproved() {
    return Stream.of(
        request(Map.of("title", "edit b.txt")),
        request(Map.of("kind", "delete")),
        request(Map.of("locations", List.of(Map.of("path", "/etc/passwd")))),
        request(Map.of("rawInput", Map.of("path", List.of("a.txt")))),
        request(
            Map.of(
                "content",
                List.of(
                    Map.of("type", "content", "content", Map.of("type", "text", "text", "more"))))),
        request(Map.of("foo", "bar")),
        request(Map.of("options", "toolCall's own")),
        request(Map.of("_meta", Map.of("x", "y"))),
        Map.of("toolCall", wanted(Map.of()), "options", List.of(YES, NO), "foo", "bar"),
        Map.of("toolCall", wanted(Map.of()), "options", List.of(YES, NO, ALWAYS)),
        Map.of(
            "toolCall",
            wanted(Map.of()),
            "options",
            List.of(option("y", "Everything forever", "allow_once"), NO)));
  }

  @ParameterizedTest
  @MethodSource("othersThanApproved")
  void whatDiffersFromTheApprovedIsAskedAnewAndReadsOtherwise(Map<String, Object> other)
      throws Exception {
    AgentDouble agent = agent("load");
    agent.asksFor(request(Map.of()));
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    assertThat(question(asks))
        .contains("kind: edit", "path: /srv/a.txt", "newText: good", "- allow_once: Yes");
    agent.asksFor(other);
    Map<String, Object> again = agent.answered("k1", "needs a permission", asks, "Allow");
    assertThat(question(again)).isNotEqualTo(question(asks));
    assertThat(agent.noted("outcomes")).hasSize(2).allMatch(each -> each.contains("cancelled"));
  }

  @Test
  void otherIdsAndAnotherTraceAreTheSameRequest() throws Exception {
    AgentDouble agent = agent("load");
    agent.asksFor(request(Map.of("_meta", Map.of("traceparent", "00-1"))));
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    Map<String, Object> same =
        wanted(Map.of("toolCallId", "c10", "_meta", Map.of("traceparent", "00-2")));
    agent.asksFor(
        Map.of("toolCall", same, "options", List.of(option("z", "Yes", "allow_once"), NO)));
    done(agent.answered("k1", "needs a permission", asks, "Allow"));
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"z\"");
  }

  @Test
  void whatCanOnlyBeAllowedForeverIsRefusedUnasked() throws Exception {
    AgentDouble agent = agent("load");
    agent.asksFor(Map.of("options", List.of(ALWAYS)));
    assertThat(failure(agent.work("k1", "needs a permission")))
        .startsWith("403")
        .contains("no way to allow it once: npm publish");
    agent.asksFor(Map.of("options", List.of(ALWAYS, NEVER, NO)));
    assertThat(JsonText.text(done(agent.work("k2", "needs a permission")), "text"))
        .startsWith("All done.")
        .contains("no way to allow it once: npm publish");
    assertThat(agent.noted("outcomes").getFirst()).contains("cancelled");
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"n\"");
  }

  @Test
  void aRejectionThatHoldsForeverIsNotGiven() throws Exception {
    AgentDouble agent = agent("load");
    agent.asksFor(Map.of("options", List.of(YES, NEVER)));
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    assertThat(failure(agent.answered("k1", "needs a permission", asks, "Reject")))
        .startsWith("403")
        .contains("A person has rejected this", "npm publish");
    assertThat(agent.noted("outcomes")).allMatch(each -> each.contains("cancelled"));
  }

  private static Path named(String question) {
    String name = question.substring(question.indexOf("in the file ") + "in the file ".length());
    return Path.of(name.substring(0, name.indexOf(".txt") + ".txt".length()));
  }

  @Test
  void anApprovalDoesNotCountWhenTheFileWithTheRequestWasChanged() throws Exception {
    AgentDouble agent = agent("load");
    agent.asksFor(request(Map.of("rawInput", Map.of("command", "x".repeat(5000) + "; rm"))));
    Map<String, Object> asks = agent.work("k1", "needs a permission");
    Path file = named(question(asks));
    String text = Files.readString(file);
    assertThat(text).contains("; rm");
    assertThat(file).hasFileName(PermissionRequest.hash(text) + ".txt");

    Files.writeString(file, "harmless");
    Files.writeString(file, text); // even when it is as it was before
    Map<String, Object> again = agent.answered("k1", "needs a permission", asks, "Allow");
    assertThat(question(again)).startsWith("You are asked again: the file").hasSizeLessThan(4000);
    assertThat(agent.noted("outcomes")).allMatch(each -> each.contains("cancelled"));

    Files.writeString(file, "harmless");
    Map<String, Object> third = agent.answered("k1", "needs a permission", again, "Allow");
    assertThat(named(question(third))).hasContent(text.strip());
    done(agent.answered("k1", "needs a permission", third, "Allow"));
    assertThat(agent.noted("outcomes").getLast()).contains("\"optionId\": \"y\"");
  }
}
