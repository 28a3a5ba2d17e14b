package dev.holdfast.agents;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a model is told before the conversation: who it is. Read fresh for each turn; a missing file
 * is left out.
 */
final class Prompt {
  private static final int FILE_BYTES_MAX = 64 * 1024;
  private static final String DEFAULT_IDENTITY =
      "You are a helpful assistant in a chat. Answer briefly and honestly; say so when you do not know.";

  private final Path identity;

  Prompt(Path dataDir) {
    this.identity = dataDir.resolve("memory").resolve("IDENTITY.md");
  }

  String system() {
    try {
      if (Files.isRegularFile(identity) && Files.size(identity) <= FILE_BYTES_MAX) {
        return Files.readString(identity, StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      return DEFAULT_IDENTITY; // unreadable is as good as missing: a turn does not fail for it
    }
    return DEFAULT_IDENTITY;
  }
}
