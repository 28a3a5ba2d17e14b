package dev.holdfast.tools.files;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The steps of a path that a model wrote. */
public final class PathSteps {
  static final int PATH_BYTES_MAX = 4095;
  static final int NAME_BYTES_MAX = 255;
  static final int DEPTH_MAX = 64;

  private PathSteps() {}

  /**
   * Checked one by one; a slash in front and a step to where one is are nothing.
   *
   * @throws FileFailedException when a step leads up, or cannot be a name
   */
  public static List<String> of(String path) throws FileFailedException {
    if (path.isEmpty()) {
      throw FileFailedException.refused("the path is empty");
    }
    if (bytes(path) > PATH_BYTES_MAX) {
      throw FileFailedException.refused("the path is too long");
    }
    List<String> names = new ArrayList<>();
    for (String name : path.split("/", -1)) {
      if (name.equals("..")) {
        throw FileFailedException.refused("a path must not hold \"..\"");
      }
      if (bytes(name) > NAME_BYTES_MAX) {
        throw FileFailedException.refused("a name in the path is too long");
      }
      if (name.chars().anyMatch(Character::isISOControl)) {
        throw FileFailedException.refused("a path must not hold control characters");
      }
      if (!name.isEmpty() && !name.equals(".")) {
        names.add(name);
      }
    }
    if (names.size() > DEPTH_MAX) {
      throw FileFailedException.refused("the path has more than " + DEPTH_MAX + " steps");
    }
    return names;
  }

  /** Half a character would become another name on the way to the kernel. */
  private static int bytes(String text) throws FileFailedException {
    try {
      ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      return bytes.remaining();
    } catch (CharacterCodingException _) {
      throw FileFailedException.refused("the path is not text");
    }
  }
}
