package dev.holdfast.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fills in {@code ${NAME}}, {@code ${NAME:-default}} and {@code ${file:path}}. A doubled dollar
 * sign before the brace stands for a plain one. What was filled in is not looked at again.
 *
 * @param folder where relative paths of files begin; null where no file may be read
 * @param secrets learns which files are read
 */
record Substitution(Map<String, String> environment, @Nullable Path folder, Secrets secrets) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final int FILE_BYTES_MAX = 65536;

  /** Why a value could not be filled in: the end of a sentence that begins with its key. */
  static final class FailedException extends Exception {
    private static final long serialVersionUID = 1L;

    FailedException(String reason) {
      super(reason);
    }
  }

  String fill(String raw) throws FailedException {
    if (!raw.contains("${")) {
      return raw;
    }
    StringBuilder filled = new StringBuilder();
    int at = 0;
    while (true) {
      int open = raw.indexOf("${", at);
      if (open < 0) {
        return filled.append(raw, at, raw.length()).toString();
      }
      if (open > at && raw.charAt(open - 1) == '$') {
        filled.append(raw, at, open - 1).append("${");
        at = open + 2;
        continue;
      }
      int close = raw.indexOf('}', open);
      if (close < 0) {
        throw new FailedException("has a ${ without its } (write $${ for a plain ${)");
      }
      filled.append(raw, at, open).append(value(raw.substring(open + 2, close)));
      at = close + 1;
    }
  }

  private String value(String reference) throws FailedException {
    if (reference.startsWith("file:")) {
      return content(reference.substring("file:".length()));
    }
    int mark = reference.indexOf(":-");
    String name = mark < 0 ? reference : reference.substring(0, mark);
    if (!NAME.matcher(name).matches()) {
      throw new FailedException(
          "has ${"
              + reference
              + "}, which names no environment variable (write $${ for a plain ${)");
    }
    String value = environment.get(name);
    if (mark >= 0) {
      return value == null || value.isEmpty() ? reference.substring(mark + 2) : value;
    }
    if (value == null) {
      throw new FailedException(
          "needs the environment variable "
              + name
              + ", which is not set (write ${"
              + name
              + ":-} to allow that)");
    }
    return value;
  }

  private String content(String path) throws FailedException {
    if (folder == null) {
      throw new FailedException("has ${file:...}, which only the server's own configuration may");
    }
    try {
      Path file = folder.resolve(path);
      secrets.addFile(file);
      if (!Files.isRegularFile(file)) {
        throw new FailedException("needs the file " + path + ", which does not exist");
      }
      try (InputStream in = Files.newInputStream(file)) {
        byte[] bytes = in.readNBytes(FILE_BYTES_MAX + 1);
        if (bytes.length > FILE_BYTES_MAX) {
          throw new FailedException(
              "needs the file " + path + ", which is larger than " + FILE_BYTES_MAX + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8).stripTrailing();
      }
    } catch (IOException | InvalidPathException e) {
      throw new FailedException(
          "needs the file " + path + ", which cannot be read: " + e.getMessage());
    }
  }
}
