package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.models.MessageStamp;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CompactionTest {
  private static final int WINDOW = 6000;

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;
  private final Reading reading = new Reading();

  private AgentRig world() throws Exception {
    options.tools = List.of(reading);
    options.keepRecentTokens = 1500;
    model.window(WINDOW);
    return rigs.open();
  }

  private static boolean wantsSummary(ModelRequest request) {
    return request.system().startsWith("Summarise");
  }

  /**
   * Reads {@code n} times, one after the other, then answers; summaries as {@code summary} says.
   */
  private void reads(int n, ScriptedProvider.Step summary) {
    IntStream.range(0, 60)
        .forEach(_ -> model.then((request, listener) -> next(n, request, summary, listener)));
  }

  private ModelAnswer next(
      int n, ModelRequest request, ScriptedProvider.Step summary, ModelListener listener)
      throws CallFailedException, InterruptedException {
    if (wantsSummary(request)) {
      return summary.answer(request, listener);
    }
    long asked = model.requests().stream().filter(made -> !wantsSummary(made)).count();
    if (asked > n) {
      return ScriptedProvider.text("done");
    }
    ToolCall call = new ToolCall("c" + asked, "read", "{\"n\":" + asked + "}");
    return new ModelAnswer(
        new Message.Assistant("", List.of(call), "", "embedded/echo"),
        ModelAnswer.StopReason.TOOL_CALLS,
        TokenUsage.NONE);
  }

  private List<ModelRequest> turns() {
    return model.requests().stream().filter(request -> !wantsSummary(request)).toList();
  }

  private static String first(ModelRequest request) {
    return MessageStamp.off(((Message.User) request.messages().getFirst()).text());
  }

  /** What a provider would refuse. */
  private static void isInOrder(ModelRequest request) {
    assertThat(request.messages().getFirst()).isInstanceOf(Message.User.class);
    Set<String> open = new HashSet<>();
    for (Message message : request.messages()) {
      switch (message) {
        case Message.ToolResult result -> assertThat(open.remove(result.callId())).isTrue();
        case Message.Assistant said -> {
          assertThat(open).isEmpty();
          said.toolCalls().forEach(call -> open.add(call.id()));
        }
        case Message.User _ -> assertThat(open).isEmpty();
      }
    }
    assertThat(open).isEmpty();
  }

  @Test
  void aTurnThatGrowsTooLongIsSummarisedInItsMiddleAndKnowsItsTask() throws Exception {
    reads(18, (_, _) -> ScriptedProvider.text("READ SO FAR"));
    AgentRig world = world();
    assertThat(world.answerOf(world.send("t", "1", "find the answer"))).isEqualTo("done");
    assertThat(turns()).hasSize(19).allSatisfy(CompactionTest::isInOrder);
    assertThat(turns())
        .allSatisfy(
            request -> assertThat(request.messages().toString()).contains("find the answer"));
    assertThat(model.requests()).filteredOn(CompactionTest::wantsSummary).isNotEmpty();
    assertThat(first(turns().getLast())).contains("READ SO FAR");
    assertThat(removed(world, "t")).contains("page 1 of the book");
  }

  private static String removed(AgentRig world, String thread) throws Exception {
    StringBuilder all = new StringBuilder();
    Path own = world.store.threads().of("web:main:" + thread).folder();
    try (Stream<Path> files = Files.list(own)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".jsonl.gz")).toList()) {
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
          all.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
    }
    return all.toString();
  }

  @Test
  void withoutASummaryOldResultsAreShortenedFirst() throws Exception {
    reads(
        10,
        (_, _) -> {
          throw new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, "no summaries"));
        });
    AgentRig world = world();
    assertThat(world.answerOf(world.send("t", "1", "find the answer"))).isEqualTo("done");
    assertThat(turns()).allSatisfy(CompactionTest::isInOrder);
    String last = turns().getLast().messages().toString();
    assertThat(last).contains("find the answer", "[shortened]", "page 1 of the book");
    assertThat(last.lines().filter(line -> line.contains("last word of page 10"))).hasSize(1);
  }

  @Test
  void aTurnThatLosesItsBeginningGivesNoCallTheKeyOfAnEarlierOne() throws Exception {
    reads(
        23,
        (_, _) -> {
          throw new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, "no summaries"));
        });
    AgentRig world = world();
    assertThat(world.answerOf(world.send("t", "1", "find the answer"))).isEqualTo("done");
    assertThat(turns()).allSatisfy(CompactionTest::isInOrder);
    assertThat(turns().getLast().messages().toString())
        .contains("find the answer")
        .doesNotContain("page 1 of the book");
    assertThat(reading.keys).hasSize(23).doesNotHaveDuplicates();
  }

  @Test
  void whenShortResultsAreNotEnoughTheOldestTurnsGoWhole() throws Exception {
    model.window(WINDOW);
    for (int i = 0; i < 40; i++) {
      model.then(
          (request, _) -> {
            if (wantsSummary(request)) {
              throw new CallFailedException(
                  Failure.of(FailureCode.INVALID_REQUEST, "no summaries"));
            }
            return ScriptedProvider.text("answer " + "y".repeat(1500));
          });
    }
    AgentRig world = world();
    for (int i = 0; i < 20; i++) {
      world.answerOf(world.send("t", "k" + i, "question " + i));
    }
    assertThat(turns()).hasSize(20).allSatisfy(CompactionTest::isInOrder);
    List<Message> last = turns().getLast().messages();
    assertThat(first(turns().getLast())).matches("question 1?[0-9]").isNotEqualTo("question 0");
    assertThat(last).hasSizeGreaterThan(4);
    for (int i = 0; i + 1 < last.size(); i += 2) {
      assertThat(last.get(i)).isInstanceOf(Message.User.class);
      assertThat(last.get(i + 1)).isInstanceOf(Message.Assistant.class);
    }
    assertThat(removed(world, "t")).contains("question 0");
  }

  @Test
  void aRequestThatIsTooLongForTheModelIsTriedOnceMoreWithLess() throws Exception {
    model.says("one " + "x".repeat(3000)).says("two " + "x".repeat(3000));
    model.fails(FailureCode.CONTEXT_OVERFLOW, 1).says("SHORT").says("three");
    AgentRig world = world();
    world.answerOf(world.send("t", "1", "q1"));
    world.answerOf(world.send("t", "2", "q2"));
    assertThat(world.answerOf(world.send("t", "3", "q3"))).isEqualTo("three");
    assertThat(first(model.requests().getLast())).contains("SHORT");
    model
        .fails(FailureCode.CONTEXT_OVERFLOW, 1)
        .says("SHORTER")
        .fails(FailureCode.CONTEXT_OVERFLOW, 1);
    assertThat(world.answerOf(world.send("t", "4", "q4"))).contains("too long for the model");
    assertThat(model.requests()).hasSize(8);
  }

  /** Pages of a long book. */
  private static final class Reading implements Tool {
    private final List<String> keys = new CopyOnWriteArrayList<>();

    @Override
    public ToolSpec spec() {
      return new ToolSpec("read", "Reads.", "{\"type\":\"object\"}");
    }

    @Override
    public ReplayClass replay() {
      return ReplayClass.READ;
    }

    @Override
    public ToolResult run(String argumentsJson, ToolContext context) {
      keys.add(context.key());
      String page = context.callId().substring(1);
      return ToolResult.ok(
          "page " + page + " of the book " + "z".repeat(1500) + " last word of page " + page);
    }
  }
}
