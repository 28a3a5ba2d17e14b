package dev.holdfast.tools.skills;

import java.util.Locale;

/** Whether a skill is offered to models. */
public enum SkillState {
  READY,
  /** Something that it requires is missing. */
  GATED,
  /** It is not as the specification says. */
  INVALID;

  /** For people and programs. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
