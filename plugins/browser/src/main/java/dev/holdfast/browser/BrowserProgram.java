package dev.holdfast.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Finds the program of the browser. */
final class BrowserProgram {
  private BrowserProgram() {}

  /**
   * The program that a variable names.
   *
   * @param named a name on {@code path}, or an absolute path
   * @throws IllegalStateException when it cannot be run
   */
  static Path find(String variable, String named, String path) {
    boolean isPath = named.contains("/");
    return Arrays.stream((isPath ? "/" : path).split(":", -1))
        .map(folder -> isPath ? Path.of(named) : Path.of(folder, named))
        .filter(file -> file.isAbsolute() && Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    variable
                        + " names "
                        + named
                        + ", which is "
                        + (isPath ? "not the absolute path of a program" : "no program on PATH")));
  }
}
