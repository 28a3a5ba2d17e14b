package dev.holdfast.tools.skills;

/** A model asked for a skill that it cannot have; the message is a sentence for it. */
public final class SkillRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  SkillRefusedException(String message) {
    super(message);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
