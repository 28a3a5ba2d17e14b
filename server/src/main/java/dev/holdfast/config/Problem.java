package dev.holdfast.config;

/**
 * One thing that is wrong with a configuration.
 *
 * @param file as the operator named it
 * @param line from 1; 0 when the problem has no place in the file
 * @param section the dotted path of the mapping; empty at the top
 * @param message a sentence that begins with the key and holds no secret
 */
public record Problem(String file, int line, String section, String message) {

  /** One line for people: {@code conf/holdfast.yaml:12: turn: max_rounds must be ...}. */
  @Override
  public String toString() {
    return file
        + (line > 0 ? ":" + line : "")
        + ": "
        + (section.isEmpty() ? "" : section + ": ")
        + message;
  }
}
