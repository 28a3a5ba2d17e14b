package dev.holdfast.codingagent;

import dev.holdfast.kit.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * All of a request in a file, for the person who is asked. The coding agent may write there as
 * well: the file is named after its content, and an approval counts only while it is as it was.
 *
 * @param path its name is the SHA-256 of its content
 * @param mark what the system says of it; it changes with each change, even one that was undone
 */
record RequestFile(Path path, String mark) {
  private static final String SUFFIX = ".txt";

  /** Returns when it is on disk. One that is there with the same content stays. */
  static RequestFile write(Path folder, String text) throws IOException {
    Path path = folder.resolve(PermissionRequest.hash(text) + SUFFIX);
    if (!holds(path, text)) {
      new RecordFolder(folder).putText(path, text);
    }
    return new RequestFile(path, markOf(path));
  }

  private static boolean holds(Path path, String text) {
    try {
      return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
          && Files.size(path) == text.getBytes(StandardCharsets.UTF_8).length
          && Files.readString(path).equals(text);
    } catch (IOException _) {
      return false;
    }
  }

  /** As it was written into the state of a question. */
  static RequestFile read(Map<String, Object> object) {
    return new RequestFile(Path.of(JsonText.text(object, "path")), JsonText.text(object, "mark"));
  }

  Map<String, Object> written() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("path", path.toString());
    object.put("mark", mark);
    return object;
  }

  /** Whether nobody has changed it since. */
  boolean isUnchanged() {
    try {
      return markOf(path).equals(mark)
          && path.endsWith(PermissionRequest.hash(Files.readString(path)) + SUFFIX);
    } catch (IOException _) {
      return false;
    }
  }

  /** The time of the last change of any kind is set by the system alone. */
  private static String markOf(Path path) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(path, "unix:ino,ctime,size", LinkOption.NOFOLLOW_LINKS);
    return "%s %s %s".formatted(facts.get("ino"), facts.get("ctime"), facts.get("size"));
  }
}
