package dev.holdfast.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands of the same jar, Java and flags, that run once and leave a cache behind. */
public final class CommandTraining {
  private static final long MINUTES_MAX = 3;

  private final CacheFile cache;
  private final List<String> java;
  private final Path jar;
  private final String rehearsal;

  /**
   * @param java the program and its flags, as the commands will be started with
   * @param rehearsal the name of the class whose {@code main} runs the commands
   */
  public CommandTraining(CacheFile cache, List<String> java, Path jar, String rehearsal) {
    this.cache = cache;
    this.java = java;
    this.jar = jar;
    this.rehearsal = rehearsal;
  }

  /** Makes the cache, in some seconds; an older one stays in its place until this one is whole. */
  public void run() throws IOException, InterruptedException, TrainingFailedException {
    Path made = cache.path().resolveSibling(cache.path().getFileName() + ".new");
    try (TerminationHook _ = new TerminationHook()) {
      List<String> command = new ArrayList<>(java);
      command.add("-XX:AOTCacheOutput=" + made.toAbsolutePath());
      command.addAll(List.of("-cp", jar.toString(), rehearsal));
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
        if (!ended || process.exitValue() != 0 || !Files.isRegularFile(made)) {
          throw new TrainingFailedException(
              ended ? "the commands ended with " + process.exitValue() : "no end in time");
        }
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        Process _ = process.destroyForcibly();
      }
      cache.replaceWith(made);
    } finally {
      Files.deleteIfExists(made);
      Files.deleteIfExists(made.resolveSibling(made.getFileName() + ".config"));
    }
  }
}
