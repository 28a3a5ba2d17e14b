package dev.holdfast.tasks.workers;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.extensions.ExtensionConfig;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The {@code agents} section of holdfast.yaml.
 *
 * @param byDefault for agents that have no entry, and for what an entry leaves out
 * @param limitsAll whether the operator has set the time limit of all agents
 * @param byName the entries
 */
public record AgentsConfig(AgentSettings byDefault, boolean limitsAll, Map<String, Entry> byName) {
  public static final int AGENTS_MAX = 100;
  private static final String DEFAULT_NAME = "default";

  /** Models take their time. */
  private static final Duration MODEL_TIMEOUT = Duration.ofMinutes(5);

  /** What an agent is. */
  public sealed interface Kind {
    /**
     * @param extension whose actions it does
     */
    record Extension(String extension) implements Kind {
      public Extension {
        Check.that(
            ExtensionConfig.ID.matcher(extension).matches(),
            "extension",
            "must match " + ExtensionConfig.ID + ", got " + extension);
      }
    }

    record Model(ModelAgentSettings model) implements Kind {}
  }

  private enum KindName {
    EXTENSION,
    MODEL
  }

  /**
   * One agent.
   *
   * @param hasLimit whether the operator has set its time limit
   */
  public record Entry(Kind kind, AgentSettings settings, boolean hasLimit) {
    static Entry from(Section agent, String name, AgentSettings base, boolean limited) {
      return switch (agent.choice("kind", KindName.class, KindName.EXTENSION)) {
        case EXTENSION ->
            new Entry(
                new Kind.Extension(agent.text("extension", name)),
                AgentSettings.from(agent, base),
                limited || agent.has("timeout_secs"));
        case MODEL ->
            new Entry(
                new Kind.Model(ModelAgentSettings.from(agent)),
                AgentSettings.from(agent, base.within(MODEL_TIMEOUT)),
                true);
      };
    }
  }

  public AgentsConfig {
    byName = Map.copyOf(byName);
    Check.that(
        byName.size() <= AGENTS_MAX,
        "agents",
        "must have at most " + AGENTS_MAX + " entries, got " + byName.size());
  }

  public static AgentsConfig defaults() {
    return new AgentsConfig(AgentSettings.DEFAULT, false, Map.of());
  }

  /**
   * {@code root}: the whole file, because the names of agents stand directly under {@code agents}.
   */
  public static AgentsConfig from(Section root) {
    Map<String, Section> sections = new TreeMap<>(root.named("agents"));
    Section all = sections.remove(DEFAULT_NAME);
    AgentSettings byDefault =
        all == null
            ? AgentSettings.DEFAULT
            : all.read(section -> AgentSettings.from(section, AgentSettings.DEFAULT));
    boolean limitsAll = all != null && all.has("timeout_secs");
    Map<String, Entry> byName = new TreeMap<>();
    sections.forEach(
        (name, section) -> {
          if (ExtensionConfig.ID.matcher(name).matches()) {
            byName.put(name, section.read(agent -> Entry.from(agent, name, byDefault, limitsAll)));
          } else {
            Entry _ = section.read(agent -> Entry.from(agent, DEFAULT_NAME, byDefault, limitsAll));
            section.problem("", "its name must match " + ExtensionConfig.ID);
          }
        });
    return new AgentsConfig(byDefault, limitsAll, byName);
  }
}
