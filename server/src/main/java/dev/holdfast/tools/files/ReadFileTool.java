package dev.holdfast.tools.files;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;

/** Shows a part of a text file, with line numbers. */
final class ReadFileTool extends FileTool {
  static final int LINES_MAX = 2000;
  static final int LINE_BYTES_MAX = 2000;

  /** Of the answer: what is left out can be asked for by its line. */
  static final int TEXT_CHARACTERS_MAX = 40_000;

  /** What is behind it is not looked at. */
  static final long FILE_BYTES_MAX = 256L << 20;

  private final AllowedFolders allowed;

  ReadFileTool(AllowedFolders allowed) {
    super(
        spec(
            "read_file",
            "Shows a text file with line numbers (\"number<tab>line\"), at most "
                + LINES_MAX
                + " lines at a time.",
            List.of("path"),
            """
            "path": {"type": "string", "description": "In the working folder, or absolute in a folder that the operator allows."},
            "offset": {"type": "integer", "minimum": 1, "description": "First line to show, from 1."},
            "limit": {"type": "integer", "minimum": 1, "description": "How many lines to show."}
            """),
        ReplayClass.READ);
    this.allowed = allowed;
  }

  @Override
  ToolResult act(JsonObject arguments, ToolContext context)
      throws CallFailedException, IOException, InterruptedException {
    AllowedPath path = allowed.resolve(arguments.getString("path"), context.scratch());
    long offset = arguments.getLong("offset", 1L);
    long limit = Math.min(arguments.getLong("limit", (long) LINES_MAX), LINES_MAX);
    try (SafeFolder folder = allowed.enterParent(path);
        SafeFile file = folder.file(path.name())) {
      Page page = new Page(offset, limit);
      TextLines lines = new TextLines(file, LINE_BYTES_MAX, FILE_BYTES_MAX);
      TextLines.End end = lines.each(page);
      if (end == TextLines.End.BINARY) {
        return ToolResult.ok(
            path.shown() + ": a binary file of " + file.status().size() + " bytes, not shown");
      }
      if (page.shown == 0) {
        return nothing(path, offset, lines.lines());
      }
      return ToolResult.ok(page.text + page.note(end, lines.lines()));
    }
  }

  private static ToolResult nothing(AllowedPath path, long offset, long lines)
      throws FileFailedException {
    if (lines == 0) {
      return ToolResult.ok(path.shown() + ": an empty file");
    }
    throw FileFailedException.refused(
        path.shown() + ": has " + lines + " lines, so none from " + offset + " on");
  }

  /** The lines that are shown. */
  private static final class Page implements TextLines.LineConsumer {
    private final long offset;
    private final long limit;
    private final StringBuilder text = new StringBuilder();
    private long shown;
    private boolean full;

    Page(long offset, long limit) {
      this.offset = offset;
      this.limit = limit;
    }

    @Override
    public boolean accept(long number, String line, boolean cut) {
      if (number < offset || full) {
        return true; // the rest is only counted
      }
      String more = number + "\t" + line + (cut ? " [cut]" : "") + "\n";
      full = shown == limit || (shown > 0 && text.length() + more.length() > TEXT_CHARACTERS_MAX);
      if (!full) {
        text.append(more);
        shown++;
      }
      return true;
    }

    String note(TextLines.End end, long lines) {
      long last = offset + shown - 1;
      if (end == TextLines.End.WHOLE && last == lines) {
        return offset == 1 ? "" : "[the end; " + lines + " lines in all]";
      }
      String all = (end == TextLines.End.WHOLE ? "" : "more than ") + lines;
      return "[lines %d to %d of %s; continue with offset %d]"
          .formatted(offset, last, all, last + 1);
    }
  }
}
