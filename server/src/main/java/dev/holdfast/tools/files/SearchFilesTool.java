package dev.holdfast.tools.files;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Finds lines in the text files of a folder and of those in it. */
final class SearchFilesTool extends FileTool {
  static final int HITS_MAX = 200;
  static final int ENTRIES_MAX = 20_000;
  static final int DEPTH_MAX = 32;
  static final int LINE_BYTES_MAX = 1 << 20;
  static final int SHOWN_CHARACTERS_MAX = 300;
  static final long FILE_BYTES_MAX = 64L << 20;
  static final Duration TIME_MAX = Duration.ofSeconds(20);

  private final AllowedFolders allowed;
  private final Time time;

  SearchFilesTool(AllowedFolders allowed, Time time) {
    super(
        spec(
            "search_files",
            "Finds the lines that a regular expression (RE2 syntax) matches, in one file or in all"
                + " text files of a folder and its folders. Hits are \"path:line: text\", at most "
                + HITS_MAX
                + ".",
            List.of("pattern"),
            """
            "path": {"type": "string", "description": "A file or a folder; the working folder by default."},
            "pattern": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "For example (?i)todo|fixme"}
            """),
        ReplayClass.READ);
    this.allowed = allowed;
    this.time = time;
  }

  @Override
  String about(JsonObject arguments) {
    return arguments.getString("pattern", "") + " in " + super.about(arguments);
  }

  @Override
  ToolResult act(JsonObject arguments, ToolContext context)
      throws CallFailedException, IOException, InterruptedException {
    AllowedPath path = allowed.resolve(arguments.getString("path", "."), context.scratch());
    SearchPattern pattern = SearchPattern.of(arguments.getString("pattern"), time, TIME_MAX);
    Search search = new Search(allowed, pattern);
    try {
      search.begin(path);
    } catch (SearchPattern.TimeOverException _) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      search.stop("stopped after " + TIME_MAX.toSeconds() + " s");
    }
    return ToolResult.ok(search.text());
  }

  /** One search; for one thread. */
  private static final class Search {
    private final AllowedFolders allowed;
    private final SearchPattern pattern;
    private final StringBuilder text = new StringBuilder();
    private int hits;
    private int entries;
    private int skipped;
    private String stopped = "";

    Search(AllowedFolders allowed, SearchPattern pattern) {
      this.allowed = allowed;
      this.pattern = pattern;
    }

    void begin(AllowedPath path) throws FileFailedException, IOException, InterruptedException {
      if (!path.names().isEmpty()) {
        try (SafeFolder folder = allowed.enterParent(path)) {
          Optional<FileStatus> status = folder.status(path.name());
          if (status.isPresent() && !status.get().isFolder()) {
            file(folder, path);
            return;
          }
        }
      }
      folder(path, 0);
    }

    /**
     * Each folder is opened through {@link AllowedFolders}, which refuses what may not be entered.
     */
    private void folder(AllowedPath path, int depth)
        throws FileFailedException, IOException, InterruptedException {
      try (SafeFolder folder = allowed.enter(path)) {
        List<String> names = folder.names(ENTRIES_MAX + 1 - entries);
        for (String name : names.stream().sorted().toList()) {
          if (pattern.isOver()) {
            throw new SearchPattern.TimeOverException();
          }
          if (!stopped.isEmpty()) {
            return;
          }
          if (++entries > ENTRIES_MAX) {
            stop("stopped after " + ENTRIES_MAX + " files and folders");
            return;
          }
          entry(folder, path.child(name), depth);
        }
      }
    }

    private void entry(SafeFolder folder, AllowedPath path, int depth)
        throws IOException, InterruptedException {
      try {
        Optional<FileStatus> status = folder.status(path.name());
        if (status.isPresent() && status.get().isFolder() && depth < DEPTH_MAX) {
          folder(path, depth + 1);
        } else if (status.isPresent()) {
          file(folder, path);
        }
      } catch (FileFailedException _) {
        skipped++; // a link, a pipe, the server's own: the search goes on beside it
      }
    }

    private void file(SafeFolder folder, AllowedPath path)
        throws FileFailedException, IOException, InterruptedException {
      try (SafeFile file = folder.file(path.name())) {
        TextLines lines = new TextLines(file, LINE_BYTES_MAX, FILE_BYTES_MAX);
        TextLines.End end = lines.each((number, line, _) -> line(path, number, line));
        if (end == TextLines.End.BINARY || end == TextLines.End.TOO_LONG) {
          skipped++;
        }
      }
    }

    private boolean line(AllowedPath path, long number, String line) {
      if (!pattern.isIn(line)) {
        return true;
      }
      if (hits == HITS_MAX) {
        stop("there are more than " + HITS_MAX + " hits");
        return false;
      }
      hits++;
      String part =
          line.length() <= SHOWN_CHARACTERS_MAX
              ? line
              : line.substring(0, SHOWN_CHARACTERS_MAX) + " [cut]";
      text.append(escaped(path.shown())).append(':').append(number).append(": ").append(part);
      text.append('\n');
      return true;
    }

    void stop(String why) {
      stopped = why;
    }

    String text() {
      if (hits == 0) {
        text.append("No hits.\n");
      }
      if (skipped > 0) {
        text.append("[not searched, or not completely: ")
            .append(skipped)
            .append(" (links, binary or very long files)]\n");
      }
      if (!stopped.isEmpty()) {
        text.append('[').append(stopped).append("]\n");
      }
      return text.toString();
    }
  }
}
