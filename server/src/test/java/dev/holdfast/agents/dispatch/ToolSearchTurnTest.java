package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Message;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.registry.Registration;
import dev.holdfast.store.messages.Event;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Turns with more tools than a model is shown. */
class ToolSearchTurnTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;

  private record Named(String name, String description) implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec(name, description, "{\"type\":\"object\"}");
    }

    @Override
    public ReplayClass replay() {
      return ReplayClass.READ;
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      return ToolResult.ok(name + " done");
    }
  }

  /** With {@code count} tools of others besides one of its own. */
  private AgentRig world(int count) throws Exception {
    options.tools = List.of(new Named("own", "of the server"));
    AgentRig world = rigs.open();
    for (int i = 0; i < count; i++) {
      String what = i == 7 ? "brews tea" : "does thing number " + i;
      Registration _ = world.resources.toolbox().add(new Named("more_" + i, what));
    }
    return world;
  }

  private static ToolCall search(String query) {
    return new ToolCall("s-" + query, "tool_search", "{\"query\":\"" + query + "\"}");
  }

  private static List<String> offered(ModelRequest request) {
    return request.tools().stream().map(ToolSpec::name).toList();
  }

  private ModelRequest request(int number) {
    return model.requests().get(number);
  }

  @Test
  void withFewToolsNothingIsSearched() throws Exception {
    AgentRig world = world(3);
    world.answerOf(world.send("t", "k1", "hello"));
    assertThat(offered(request(0))).containsExactly("own", "more_0", "more_1", "more_2");
    assertThat(request(0).system()).doesNotContain("tool_search");
  }

  @Test
  void whatASearchFindsCanBeCalledUntilTheTurnEnds() throws Exception {
    model.calls(search("tea")).calls(new ToolCall("c2", "more_7", "{}")).says("here is tea");
    AgentRig world = world(60);
    assertThat(world.answerOf(world.send("t", "k1", "tea, please"))).isEqualTo("here is tea");
    assertThat(offered(request(0))).containsExactly("own", "tool_search");
    assertThat(request(0).system())
        .contains("tool_search has found them: more_0, more_1, more_10", "more_9.");
    assertThat(offered(request(1))).containsExactly("own", "tool_search", "more_7");
    assertThat(((Message.ToolResult) request(1).messages().getLast()).text())
        .contains("more_7: brews tea");
    assertThat(((Message.ToolResult) request(2).messages().getLast()).text())
        .isEqualTo("more_7 done");
    world.answerOf(world.send("t", "k2", "thanks"));
    assertThat(offered(request(3))).as("the next turn").containsExactly("own", "tool_search");
  }

  @Test
  void whatWasFoundIsOfferedAgainAfterACrash() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    model.calls(search("tea")).hangs(begun);
    AgentRig world = world(60);
    Event event = world.send("t", "k1", "tea, please");
    begun.await();
    rigs.close();
    model.calls(new ToolCall("c2", "more_7", "{}")).says("tea at last");
    AgentRig restarted = world(60);
    assertThat(restarted.answerOf(event)).isEqualTo("tea at last");
    assertThat(offered(request(2))).containsExactly("own", "tool_search", "more_7");
  }

  @Test
  void whatWasFoundIsStillOfferedWhenTheTurnWasSummarised() throws Exception {
    options.keepRecentTokens = 300;
    model.window(8000);
    model
        .calls(search("tea"))
        .then(
            (_, _) ->
                ScriptedProvider.calling(
                    new ToolCall("c2", "own", "{\"x\":\"" + "y".repeat(30_000) + "\"}")))
        .says("THE SUMMARY")
        .says("done");
    AgentRig world = world(60);
    assertThat(world.answerOf(world.send("t", "k1", "tea, please"))).isEqualTo("done");
    assertThat(offered(model.requests().getLast())).containsExactly("own", "tool_search", "more_7");
  }

  @Test
  void aCallOfNoToolIsToldToSearchInPlaceOfAllNames() throws Exception {
    model.calls(new ToolCall("c1", "nope", "{}")).says("I see");
    AgentRig world = world(60);
    world.answerOf(world.send("t", "k1", "x"));
    assertThat(((Message.ToolResult) request(1).messages().getLast()).text())
        .endsWith("Find others with tool_search.");
  }
}
