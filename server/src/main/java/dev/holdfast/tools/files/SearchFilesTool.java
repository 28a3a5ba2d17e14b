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
    AllowedPath spot = allowed.spot(arguments.getString("path", "."), context.scratch());
    SearchPattern pattern = SearchPattern.of(arguments.getString("pattern"), time, TIME_MAX);
    Search search = new Search(allowed, pattern);
    try {
      search.begin(spot);
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

    void begin(AllowedPath spot) throws FileFailedException, IOException, InterruptedException {
      if (!spot.names().isEmpty()) {
        try (SafeFolder folder = allowed.enterParent(spot)) {
          Optional<FileStatus> fact = folder.look(spot.name());
          if (fact.isPresent() && !fact.get().isFolder()) {
            file(folder, spot);
            return;
          }
        }
      }
      folder(spot, 0);
    }

    /** Goes through the fence for each folder, so that what may not be entered is not. */
    private void folder(AllowedPath spot, int depth)
        throws FileFailedException, IOException, InterruptedException {
      try (SafeFolder folder = allowed.enter(spot)) {
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
          entry(folder, spot.child(name), depth);
        }
      }
    }

    private void entry(SafeFolder folder, AllowedPath spot, int depth)
        throws IOException, InterruptedException {
      try {
        Optional<FileStatus> fact = folder.look(spot.name());
        if (fact.isPresent() && fact.get().isFolder() && depth < DEPTH_MAX) {
          folder(spot, depth + 1);
        } else if (fact.isPresent()) {
          file(folder, spot);
        }
      } catch (FileFailedException _) {
        skipped++; // a link, a pipe, the server's own: the search goes on beside it
      }
    }

    private void file(SafeFolder folder, AllowedPath spot)
        throws FileFailedException, IOException, InterruptedException {
      try (SafeFile file = folder.file(spot.name())) {
        TextLines lines = new TextLines(file, LINE_BYTES_MAX, FILE_BYTES_MAX);
        TextLines.End end = lines.each((number, line, _) -> line(spot, number, line));
        if (end == TextLines.End.BINARY || end == TextLines.End.TOO_LONG) {
          skipped++;
        }
      }
    }

    private boolean line(AllowedPath spot, long number, String line) {
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
      text.append(shown(spot.shown())).append(':').append(number).append(": ").append(part);
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
