package dev.holdfast.agentkit;

import java.util.Map;

/**
 * An action cannot go on before a person has said something. Its program ends; with the answer the
 * same action is asked for again, see {@link ActionRequest#input}.
 */
public final class PersonAskedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Map<String, Object> question;

  /**
   * @param question as the action protocol has it: {@code kind}, {@code question}, {@code state}
   */
  public PersonAskedException(Map<String, Object> question) {
    super("a person has to say something first");
    this.question = question;
  }

  Map<String, Object> question() {
    return question;
  }
}
