package dev.holdfast.tasks.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tasks.rules.AgentTuning;
import dev.holdfast.tasks.workers.AgentsConfig.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkerAgentsTest {
  private static final AgentSettings SLOW =
      new AgentSettings(
          Duration.ofMinutes(5),
          AgentSettings.DEFAULT.retry(),
          AgentSettings.DEFAULT.circuit(),
          1,
          new AllowedSettings(List.of(Duration.ofSeconds(60)), List.of(1, 2)));

  private final FakeExtensionActions extensions = new FakeExtensionActions();
  private AgentTuning tuning = AgentTuning.NONE;
  private final WorkerAgents agents =
      new WorkerAgents(extensions, (_, _, _) -> none(), _ -> tuning, AgentsConfig.defaults());

  private static AgentsConfig config(String id, String extension) {
    return new AgentsConfig(
        AgentSettings.DEFAULT,
        false,
        Map.of(id, new AgentsConfig.Entry(new Kind.Extension(extension), SLOW, true)));
  }

  private WorkerAgent agent(String id) {
    return agents.find(id).orElseThrow();
  }

  @Test
  void eachExtensionIsAnAgentWithTheDefaultSettings() {
    extensions.offer("notes", "write");
    extensions.offer("files", "read");
    assertThat(agents.all()).extracting(WorkerAgent::id).containsExactly("files", "notes");
    assertThat(agent("files").settings()).isEqualTo(AgentSettings.DEFAULT);
    assertThat(agent("files").action("read")).isPresent();
    assertThat(agents.find("other")).isEmpty();
  }

  @Test
  void anEntryOfTheNameOfAnExtensionGivesItOtherSettings() {
    extensions.offer("files", "read");
    agents.configure(config("files", "files"));
    assertThat(agents.all()).hasSize(1);
    assertThat(agent("files").settings()).isEqualTo(SLOW);
  }

  @Test
  void anExtensionThatTakesLongerGetsThatTimeUnlessAnEntrySaysOtherwise() {
    extensions.offer("files", "read");
    extensions.callLimit = Duration.ofHours(1);
    assertThat(agent("files").settings())
        .isEqualTo(AgentSettings.DEFAULT.within(extensions.callLimit));
    agents.configure(config("files", "files"));
    assertThat(agent("files").settings()).isEqualTo(SLOW);
    AgentsConfig.Entry open = new AgentsConfig.Entry(new Kind.Extension("files"), SLOW, false);
    agents.configure(new AgentsConfig(AgentSettings.DEFAULT, false, Map.of("files", open)));
    assertThat(agent("files").settings()).isEqualTo(SLOW.within(extensions.callLimit));
    extensions.callLimit = Duration.ofSeconds(1);
    assertThat(agent("files").settings()).as("never less").isEqualTo(SLOW);
    extensions.callLimit = Duration.ofHours(1);
    agents.configure(new AgentsConfig(SLOW, true, Map.of()));
    assertThat(agent("files").settings()).as("what is set for all holds").isEqualTo(SLOW);
  }

  @Test
  void anEntryOfAnotherNameIsOneMoreAgentOfTheExtension() {
    extensions.offer("files", "read");
    agents.configure(config("archive", "files"));
    assertThat(agents.all()).extracting(WorkerAgent::id).containsExactly("archive", "files");
    assertThat(agent("archive").settings()).isEqualTo(SLOW);
    assertThat(agent("archive").actions()).isEqualTo(agent("files").actions());
    assertThat(agent("files").settings()).isEqualTo(AgentSettings.DEFAULT);
  }

  @Test
  void anAgentWhoseExtensionIsNotThereIsListedWithoutActions() {
    agents.configure(config("archive", "files"));
    assertThat(agents.all()).extracting(WorkerAgent::id).containsExactly("archive");
    assertThat(agent("archive").actions()).isEmpty();
  }

  @Test
  void whatChangesIsSeenAtOnce() {
    agents.configure(config("archive", "files"));
    WorkerAgent archive = agent("archive");
    extensions.offer("files", "read");
    assertThat(archive.action("read")).isPresent();
    extensions.actions.clear();
    agents.configure(AgentsConfig.defaults());
    assertThat(agents.all()).isEmpty();
    assertThat(agents.find("archive")).isEmpty();
  }

  private static WorkerAgent none() {
    throw new AssertionError("no model is asked for");
  }

  @Test
  void whatWasChosenHoldsAsFarAsItIsAllowed() {
    extensions.offer("files", "read");
    agents.configure(config("files", "files"));
    tuning = new AgentTuning(Duration.ofSeconds(60), 2);
    AgentSettings tuned = agents.find("files").orElseThrow().settings();
    assertThat(tuned.timeout()).isEqualTo(Duration.ofSeconds(60));
    assertThat(tuned.maxConcurrent()).isEqualTo(2);
    tuning = new AgentTuning(Duration.ofSeconds(61), 3);
    assertThat(agents.find("files").orElseThrow().settings()).isEqualTo(SLOW);
    agents.find("files").orElseThrow().renew();
    assertThat(extensions.renewed).containsExactly("files");
  }
}
