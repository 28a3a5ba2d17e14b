package dev.holdfast.tools.files;

import dev.holdfast.tools.files.SafeFolder.Content;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Single files of a thread's scratch folder, for what is no file tool. Whatever a command puts
 * there, nothing leads out of it.
 */
public final class ScratchFiles {
  private static final int DEPTH_MAX = 32;

  private ScratchFiles() {}

  /**
   * Reads a plain file.
   *
   * @param path relative to {@code scratch}, steps separated by slashes
   * @throws FileFailedException when it is not there, leads elsewhere, is no plain file or too
   *     large; its message names no place on this machine
   */
  public static byte[] read(Path scratch, String path, int bytesMax)
      throws FileFailedException, IOException {
    List<String> steps = List.of(path.split("/", -1));
    if (steps.size() > DEPTH_MAX || steps.stream().anyMatch(ScratchFiles::isOdd)) {
      throw FileFailedException.refused("The path must name a file in your working folder.");
    }
    SafeFolder at = SafeFolder.ofServer(scratch);
    for (String step : steps.subList(0, steps.size() - 1)) {
      try (SafeFolder above = at) {
        at = above.folder(step);
      }
    }
    try (SafeFolder last = at) { // each is closed once: its number may be somebody else's by then
      return content(last, steps.getLast(), bytesMax);
    }
  }

  private static byte[] content(SafeFolder folder, String name, int bytesMax)
      throws FileFailedException, IOException {
    try (SafeFile file = folder.file(name)) {
      byte[] content = file.readNBytes(bytesMax + 1);
      if (content.length > bytesMax) {
        throw FileFailedException.refused("The file has more than " + bytesMax + " bytes.");
      }
      return content;
    }
  }

  private static boolean isOdd(String step) {
    return step.isEmpty() || step.equals(".") || step.equals("..") || step.indexOf('\0') >= 0;
  }

  /**
   * Writes a file into a folder of {@code scratch}, which is made when it is missing; whole or not
   * at all. What was under the name is replaced.
   */
  public static void write(Path scratch, String folder, String name, byte[] content)
      throws FileFailedException, IOException {
    try (SafeFolder top = SafeFolder.ofServer(scratch);
        SafeFolder within = top.openOrCreateFolder(folder, 0700)) {
      within.replace(name, new Content(new ByteArrayInputStream(content), 0600, true));
    }
  }
}
