package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Attachments;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Images that tools leave in their folder and show to the model. */
@Timeout(120)
class ToolImageTurnTest {
  private static final AttachmentsConfig CONFIG =
      new AttachmentsConfig(
          3,
          100_000,
          150_000,
          Duration.ofSeconds(20),
          1_000_000,
          new AttachmentsConfig.Images(50_000, 2, 80_000));

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private Shot shot = _ -> ToolResult.ok("nothing");

  /** What the tool does. */
  private interface Shot {
    ToolResult take(Path scratch) throws IOException;
  }

  private final class ShotTool implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec("shot", "for tests", "{\"type\":\"object\"}");
    }

    @Override
    public ReplayClass replay() {
      return ReplayClass.READ;
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      try {
        return shot.take(context.scratch());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private AgentRig world() throws Exception {
    rigs.options.attachments = new Attachments(Attachments.none().source(), CONFIG);
    rigs.options.tools = List.of(new ShotTool());
    return rigs.open();
  }

  /** One turn in which the tool is called. */
  private void take(AgentRig world, String key) throws Exception {
    model.calls(new ToolCall("c-" + key, "shot", "{}")).says("seen");
    assertThat(world.answerOf(world.send("t", key, "look"))).isEqualTo("seen");
  }

  private List<Message.ToolResult> results() {
    return model.requests().getLast().messages().stream()
        .filter(Message.ToolResult.class::isInstance)
        .map(Message.ToolResult.class::cast)
        .toList();
  }

  private static Path write(Path scratch, String name, byte[] content) throws IOException {
    Files.createDirectories(scratch.resolve(name).getParent());
    return Files.write(scratch.resolve(name), content);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Path folder(AgentRig world) {
    return world.store.threads().of("web:main:t").folder();
  }

  @Test
  void anImageIsShownWithItsResultAlsoAfterARestartAndWithoutTheToolsFile() throws Exception {
    byte[] png = Samples.png(64, 32);
    shot =
        scratch -> ToolResult.ok("taken").withImages(List.of(write(scratch, "shots/a.png", png)));
    AgentRig world = world();
    take(world, "k1");
    assertThat(results().getFirst().text())
        .isEqualTo(
            "taken\n[image \"a.png\": image/png, 64x32, "
                + png.length
                + " bytes, file shots/a.png; shown]");
    Files.delete(folder(world).resolve("scratch/shots/a.png"));
    assertThat(folder(world).resolve("context.jsonl"))
        .content()
        .contains("\"attachments\":[{\"name\":\"a.png\"")
        .doesNotContain("iVBOR");
    rigs.close();
    AgentRig again = world();
    again.answerOf(again.send("t", "k2", "and now?"));
    StoredFile image = results().getFirst().images().getFirst();
    assertThat(image.mediaType()).isEqualTo("image/png");
    assertThat(image.file().getParent()).isEqualTo(folder(again).resolve("attachments"));
    assertThat(Files.readAllBytes(image.file())).isEqualTo(png);
  }

  @Test
  void whatIsNoImageInTheWorkingFolderIsToldInWords(@TempDir Path elsewhere) throws Exception {
    Path outside = Files.write(elsewhere.resolve("o.png"), Samples.png(9, 9));
    shot =
        scratch -> {
          Files.createSymbolicLink(scratch.resolve("link.png"), outside);
          return ToolResult.ok("taken")
              .withImages(List.of(outside, Path.of("link.png"), Path.of("../context.jsonl")));
        };
    AgentRig world = world();
    take(world, "k1");
    assertThat(results().getFirst().images()).isEmpty();
    assertThat(results().getFirst().text().lines().skip(1))
        .hasSize(3)
        .allMatch(line -> line.contains("not available, "))
        .noneMatch(line -> line.contains(elsewhere.toString()));

    shot =
        scratch ->
            ToolResult.ok("taken")
                .withImages(
                    List.of(
                        write(scratch, "evil.png", utf8("\u0089PNG not at all")),
                        write(scratch, "large.png", Arrays.copyOf(Samples.png(9, 9), 60_000)),
                        Path.of("missing.png")));
    take(world, "k2");
    Message.ToolResult last = results().getLast();
    assertThat(last.images()).isEmpty();
    assertThat(last.text())
        .contains("[image \"evil.png\": not available, its bytes are no PNG")
        .contains("[image \"large.png\": not available, it cannot be taken: ", "50000 bytes")
        .contains("[image \"missing.png\": not available, ");
    try (var kept = Files.walk(folder(world))) {
      assertThat(kept.filter(file -> file.toString().contains("/attachments/"))).isEmpty();
    }
  }

  @Test
  void oneResultShowsAsManyAsOneMessageMay() throws Exception {
    shot =
        scratch ->
            ToolResult.ok("taken")
                .withImages(
                    List.of(
                        write(scratch, "1.png", Samples.png(1, 9)),
                        write(scratch, "2.gif", Samples.image("gif", 2, 9)),
                        write(scratch, "3.jpg", Samples.image("jpg", 3, 9)),
                        write(scratch, "4.png", Samples.png(4, 9)),
                        write(scratch, "5.png", Samples.png(5, 9))));
    AgentRig world = world();
    take(world, "k1");
    assertThat(results().getFirst().images())
        .extracting(StoredFile::mediaType)
        .containsExactly("image/gif", "image/jpeg");
    assertThat(results().getFirst().text())
        .contains("\"1.png\": image/png, 1x9", "not shown: only the newest are")
        .contains("\"4.png\": not available, of the 5 images of this result, 3 are kept")
        .doesNotContain("\"5.png\"");
  }

  @Test
  void theNewestOfAllResultsAreShown() throws Exception {
    AgentRig world = world();
    for (int i = 1; i <= 3; i++) {
      byte[] png = Samples.png(10 + i, 9);
      shot = scratch -> ToolResult.ok("taken").withImages(List.of(write(scratch, "a.png", png)));
      take(world, "k" + i);
    }
    assertThat(results())
        .extracting(result -> result.images().size())
        .as("the same file, as it was at each call")
        .containsExactly(0, 1, 1);
    assertThat(results()).extracting(Message.ToolResult::text).last().asString().contains("13x9");
  }

  @Test
  void anImageThatTheModelRefusesIsToldInWordsFromThenOn() throws Exception {
    shot =
        scratch ->
            ToolResult.ok("taken").withImages(List.of(write(scratch, "a.png", Samples.png(9, 9))));
    AgentRig world = world();
    model
        .calls(new ToolCall("c1", "shot", "{}"))
        .fails(FailureCode.INVALID_REQUEST, 1)
        .says("I cannot see it")
        .says("fine");
    assertThat(world.answerOf(world.send("t", "k1", "look"))).isEqualTo("I cannot see it");
    assertThat(results().getFirst().text()).contains("not shown: the model refused it");
    world.answerOf(world.send("t", "k2", "and now?"));
    assertThat(results().getFirst().images()).isEmpty();
  }

  @Test
  void anImageOfAnErrorIsNotShown() throws Exception {
    shot =
        scratch ->
            ToolResult.error(Failure.of(FailureCode.INVALID_REQUEST, "no"))
                .withImages(List.of(write(scratch, "a.png", Samples.png(9, 9))));
    AgentRig world = world();
    take(world, "k1");
    assertThat(results().getFirst()).isEqualTo(new Message.ToolResult("c-k1", "shot", "no", true));
  }

  @Test
  void anImageThatHasVanishedIsToldInWords() throws Exception {
    shot =
        scratch ->
            ToolResult.ok("taken").withImages(List.of(write(scratch, "a.png", Samples.png(9, 9))));
    AgentRig world = world();
    take(world, "k1");
    Files.delete(results().getFirst().images().getFirst().file());
    world.answerOf(world.send("t", "k2", "again"));
    assertThat(results().getFirst().images()).isEmpty();
    assertThat(results().getFirst().text()).contains("not shown: it is no longer available");
  }
}
