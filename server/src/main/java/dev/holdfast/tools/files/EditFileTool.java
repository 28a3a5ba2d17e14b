package dev.holdfast.tools.files;

import dev.holdfast.api.ReplayClass;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Replaces a passage of a text file. */
final class EditFileTool extends ChangeTool {
  static final int BYTES_MAX = 10 << 20;
  private static final int LINES_TOLD_MAX = 10;

  EditFileTool(AllowedFolders allowed, ChangeExecutor executor) {
    super(
        spec(
            "edit_file",
            "Replaces a passage of a text file. The old passage must occur exactly once, with"
                + " its spaces and line ends, unless replace_all is true.",
            List.of("path", "old", "new"),
            """
            "path": {"type": "string"},
            "old": {"type": "string", "minLength": 1, "description": "The passage exactly as in the file, without line numbers."},
            "new": {"type": "string", "description": "What replaces it."},
            "replace_all": {"type": "boolean", "description": "Replace every occurrence."}
            """),
        ReplayClass.KEYED,
        allowed,
        executor);
  }

  @Override
  List<String> paths() {
    return List.of("path");
  }

  @Override
  ChangeTask.Plan plan(JsonObject arguments, List<ChangeTask.OldFile> old)
      throws FileFailedException, IOException {
    ChangeTask.OldFile file = old.getFirst();
    if (!file.exists()) {
      throw missing(file);
    }
    String path = file.path().shown();
    String passage = arguments.getString("old");
    String replacement = arguments.getString("new");
    if (passage.equals(replacement)) {
      throw FileFailedException.refused("old and new are the same");
    }
    String text = text(path, file.content(BYTES_MAX));
    List<Integer> places = places(text, passage);
    if (places.isEmpty()) {
      throw FileFailedException.refused(noMatch(path, text, passage));
    }
    if (places.size() > 1 && !arguments.getBoolean("replace_all", false)) {
      throw FileFailedException.refused(
          "%s: old occurs %d times (lines %s); give more of the passage, or set replace_all"
              .formatted(path, places.size(), lines(text, places)));
    }
    long length = text.length() + places.size() * ((long) replacement.length() - passage.length());
    byte[] bytes = length > BYTES_MAX ? new byte[0] : bytes(text, places, passage, replacement);
    if (length > BYTES_MAX || bytes.length > BYTES_MAX) {
      throw FileFailedException.refused(
          path + ": would be larger than " + (BYTES_MAX >> 20) + " MiB");
    }
    String summary =
        "Edited %s: %d replaced (lines %s)".formatted(path, places.size(), lines(text, places));
    return new ChangeTask.Plan(summary, List.of(new ChangeTask.After.Written(bytes)));
  }

  private static String text(String path, byte[] bytes) throws FileFailedException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException _) {
      throw FileFailedException.refused(path + ": is not UTF-8 text");
    }
  }

  /** Where the passage begins, from left to right, without overlaps. */
  static List<Integer> places(String text, String passage) {
    List<Integer> places = new ArrayList<>();
    for (int at = text.indexOf(passage);
        at >= 0;
        at = text.indexOf(passage, at + passage.length())) {
      places.add(at);
    }
    return places;
  }

  private static byte[] bytes(
      String text, List<Integer> places, String passage, String replacement) {
    StringBuilder changed = new StringBuilder();
    int from = 0;
    for (int at : places) {
      changed.append(text, from, at).append(replacement);
      from = at + passage.length();
    }
    changed.append(text, from, text.length());
    return changed.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String noMatch(String path, String text, String passage) {
    String hint = "";
    if (text.contains(passage.strip())) {
      hint = "; it was found with different whitespace around it";
    } else if (text.contains("\r\n") && text.replace("\r\n", "\n").contains(passage)) {
      hint = "; the file's lines end in \\r\\n";
    }
    return path + ": old was not found (0 matches)" + hint;
  }

  private static String lines(String text, List<Integer> places) {
    StringBuilder lines = new StringBuilder();
    int line = 1;
    int from = 0;
    for (int at : places.subList(0, Math.min(places.size(), LINES_TOLD_MAX))) {
      line += (int) text.substring(from, at).chars().filter(c -> c == '\n').count();
      from = at;
      lines.append(lines.isEmpty() ? "" : ", ").append(line);
    }
    return lines + (places.size() > LINES_TOLD_MAX ? ", ..." : "");
  }
}
