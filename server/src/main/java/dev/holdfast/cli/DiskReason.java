package dev.holdfast.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What the disk said, in words, and what to do: many exceptions of files say only a path. */
final class DiskReason {
  private DiskReason() {}

  static String of(IOException failure) {
    return switch (failure) {
      case NoSuchFileException e -> e.getFile() + " does not exist";
      case AccessDeniedException e -> "no permission to write " + e.getFile();
      case NotDirectoryException e -> e.getFile() + " is not a folder";
      case FileSystemException e when e.getReason() != null -> e.getFile() + ": " + e.getReason();
      default -> String.valueOf(failure.getMessage());
    };
  }

  static String advice(IOException failure) {
    String reason = String.valueOf(failure.getMessage());
    return reason.contains("No space left") || reason.contains("quota") || reason.contains("full")
        ? "free some space there"
        : "create the folder and make it writable, or choose another place";
  }
}
