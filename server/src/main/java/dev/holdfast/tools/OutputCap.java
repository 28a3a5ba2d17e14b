package dev.holdfast.tools;

import dev.holdfast.api.ToolContext;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.SafeFolder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Cuts long outputs for the model; all of it goes to a file in the thread's scratch folder, which
 * the text names.
 */
record OutputCap(ToolOutputConfig config) {
  static final String FOLDER = "outputs";
  private static final int FOLDER_MODE = 0700;
  private static final int FILE_MODE = 0600;

  String cap(String text, ToolContext context) {
    String shown = firstBytes(firstLines(text));
    if (shown.length() == text.length()) {
      return text;
    }
    return shown + "\n[cut: " + text.length() + " characters in all; " + saved(text, context) + "]";
  }

  private String saved(String text, ToolContext context) {
    String name = context.key().replaceAll("[^A-Za-z0-9._-]", "_") + ".txt";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    // A command may have put a link where the folder is to be: no step may be followed.
    try (SafeFolder scratch = SafeFolder.ofServer(context.scratch());
        SafeFolder outputs = scratch.openOrCreateFolder(FOLDER, FOLDER_MODE)) {
      outputs.replace(
          name, new SafeFolder.Content(new ByteArrayInputStream(bytes), FILE_MODE, true));
      return "read_file " + FOLDER + "/" + name + " has all of it";
    } catch (FileFailedException | IOException e) {
      return "the rest could not be kept";
    }
  }

  private String firstLines(String text) {
    int end = -1;
    for (int line = 0; line < config.linesMax(); line++) {
      end = text.indexOf('\n', end + 1);
      if (end < 0) {
        return text;
      }
    }
    return text.substring(0, end);
  }

  /** The bytes of UTF-8 count; a character is never cut in two. */
  private String firstBytes(String text) {
    if (text.length() <= config.bytesMax() / 3) {
      return text;
    }
    int bytes = 0;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (bytes > config.bytesMax()) {
        return text.substring(0, i);
      }
      i += Character.charCount(point);
    }
    return text;
  }
}
