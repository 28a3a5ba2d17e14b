package dev.holdfast.tools;

import dev.holdfast.api.ToolContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Cuts long outputs for the model; all of it goes to a file in the thread's scratch folder, which
 * the text names.
 */
record OutputCap(ToolOutputConfig config) {
  static final String FOLDER = "outputs";

  String cap(String text, ToolContext context) {
    String shown = firstBytes(firstLines(text));
    if (shown.length() == text.length()) {
      return text;
    }
    return shown + "\n[cut: " + text.length() + " characters in all; " + kept(text, context) + "]";
  }

  private String kept(String text, ToolContext context) {
    String name = FOLDER + "/" + context.key().replaceAll("[^A-Za-z0-9._-]", "_") + ".txt";
    try {
      Path file = context.scratch().resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text, StandardCharsets.UTF_8);
      return "read_file " + name + " has all of it";
    } catch (IOException e) {
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
