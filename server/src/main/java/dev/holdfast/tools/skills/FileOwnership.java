package dev.holdfast.tools.skills;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Who may have written what skills are made of: instructions and scripts come from the operator, so
 * nobody else may. Follows no link. Thread-safe.
 */
final class FileOwnership {
  /** It belongs to whoever the server runs as. */
  private static final Path SELF = Path.of("/proc/self");

  private static final int GROUP_WRITES = 0020;
  private static final int OTHERS_WRITE = 0002;

  private FileOwnership() {}

  /** Why somebody else may have written it; empty when nobody may. */
  static Optional<String> problem(Path path) throws IOException {
    Map<String, Object> file = facts(path);
    Map<String, Object> server = facts(SELF);
    boolean isLink = Boolean.TRUE.equals(file.get("isSymbolicLink"));
    if (!isRoots(file, "uid") && !Objects.equals(file.get("uid"), server.get("uid"))) {
      String user = String.valueOf(server.get("owner"));
      return Optional.of(
          "belongs to %s: it must belong to %s"
              .formatted(file.get("owner"), user.equals("root") ? user : user + " or root"));
    }
    if (!isLink && has(file, OTHERS_WRITE)) {
      return Optional.of("is writable by everybody: run chmod o-w on it");
    }
    if (!isLink
        && has(file, GROUP_WRITES)
        && !isRoots(file, "gid")
        && !Objects.equals(file.get("gid"), server.get("gid"))) {
      return Optional.of(
          "is writable by the group %s: run chmod g-w on it".formatted(file.get("group")));
    }
    return Optional.empty();
  }

  private static Map<String, Object> facts(Path path) throws IOException {
    return Files.readAttributes(
        path, "unix:mode,uid,gid,owner,group,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean isRoots(Map<String, Object> file, String id) {
    return Integer.valueOf(0).equals(file.get(id));
  }

  private static boolean has(Map<String, Object> file, int right) {
    return file.get("mode") instanceof Integer mode && (mode & right) != 0;
  }
}
