package dev.holdfast.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.store.backup.BackupProgress;
import dev.holdfast.store.backup.Manifest;
import java.nio.file.Path;

/** Shows a person how far a backup has come, and what came of it. */
final class BackupScreen implements BackupProgress {
  private static final int FILES_PER_LINE = 64;

  private final Terminal terminal;

  BackupScreen(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public void at(String step, long files, long bytes) {
    if (files % FILES_PER_LINE == 0 || files == 1) {
      terminal.progress(
          files == 0
              ? step + "..."
              : "%s: %d files, %s...".formatted(step, files, Formats.bytes(bytes)));
    }
  }

  static void show(RootCommand root, String done, Path file, Manifest manifest) {
    int files = manifest.files().size();
    if (root.json) {
      ObjectNode answer =
          CliJson.object()
              .put("file", file.toString())
              .put("made_at", manifest.madeAt().toString())
              .put("program", manifest.program())
              .put("files", files)
              .put("bytes", manifest.bytes());
      root.print(answer);
    } else {
      root.terminal()
          .line(
              "%s: %s, %d files, %s, of %s"
                  .formatted(
                      done, file, files, Formats.bytes(manifest.bytes()), manifest.madeAt()));
    }
  }
}
