package dev.holdfast.tools;

import dev.holdfast.config.Section;
import dev.holdfast.tools.files.FilesConfig;
import dev.holdfast.tools.memory.MemoryConfig;
import dev.holdfast.tools.schedule.ScheduleConfig;
import dev.holdfast.tools.skills.SkillsConfig;
import dev.holdfast.tools.web.WebToolConfig;

/** The {@code tools} section of holdfast.yaml. */
public record ToolsConfig(
    ShellConfig shell,
    FilesConfig files,
    WebToolConfig web,
    ToolOutputConfig output,
    MemoryConfig memory,
    ScheduleConfig schedule,
    SkillsConfig skills,
    Autonomy autonomy) {
  /** What models may do by themselves. */
  public enum Autonomy {
    /** Every tool that is switched on. */
    FULL,
    /** Unsafe tools wait for a person's yes. */
    SUPERVISED,
    /** No tool at all. */
    MANUAL
  }

  public static ToolsConfig from(Section tools) {
    return new ToolsConfig(
        tools.section("shell").read(ShellConfig::from),
        tools.section("files").read(FilesConfig::from),
        tools.section("web").read(WebToolConfig::from),
        tools.section("output").read(ToolOutputConfig::from),
        tools.section("memory").read(MemoryConfig::from),
        tools.section("schedule").read(ScheduleConfig::from),
        tools.section("skills").read(SkillsConfig::from),
        tools.choice("autonomy", Autonomy.class, Autonomy.FULL));
  }
}
