package dev.holdfast.cli;

import dev.holdfast.training.CacheFile;
import dev.holdfast.training.CommandTraining;
import dev.holdfast.training.Training;
import dev.holdfast.training.TrainingFailedException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes what lets the next server begin warm, or the next command start fast. */
@Command(
    name = "cache",
    description =
        "Build a start-up cache for Java, with which a server starts faster and already warmed up.",
    footer = {
      "",
      "Runs a server of the same jar for a few seconds in a temporary folder, on free ports of"
          + " this",
      "machine, without your keys. Run this command with the server's Java flags, and the server"
          + " with",
      "-XX:AOTCache=FILE. Does nothing if FILE was built for this jar, this Java and these flags.",
      "",
      "Example: java @java.options -jar holdfast.jar cache --output"
          + " /var/cache/holdfast/holdfast.aot"
    })
final class CacheCommand implements Callable<Integer> {
  /** What names a cache of this JVM is not a flag of the next one. */
  private static final List<String> NOT_PASSED_ON = List.of("-XX:AOT", "-Xlog:", "-agentlib:");

  private final RootCommand root;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      required = true,
      description = "Where to write the cache.")
  @Nullable Path output;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long the server runs. Default: 25.")
  int seconds = 25;

  @Option(
      names = "--commands",
      description = "Build the cache for commands, which then start in half the time.")
  boolean commands;

  @Option(names = "--force", description = "Build it even if it is current.")
  boolean force;

  CacheCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException {
    if (seconds < 1 || seconds > 600) {
      throw new CliException(ExitCode.USAGE, "--seconds must be from 1 to 600");
    }
    Path jar = root.environment.folder().resolve(System.getProperty("java.class.path", ""));
    if (!Files.isRegularFile(jar)) {
      throw new CliException(ExitCode.USAGE, "run this command with java -jar holdfast.jar");
    }
    Path file = root.environment.folder().resolve(String.valueOf(output)).toAbsolutePath();
    try {
      CacheFile cache = new CacheFile(file, jar, flags());
      if (cache.isCurrent() && !force) {
        show(file, false);
        return ExitCode.OK;
      }
      Files.createDirectories(file.getParent());
      if (commands) {
        root.terminal().progress("running each command once...");
        new CommandTraining(cache, java(), jar, CommandRehearsal.class.getName()).run();
      } else {
        new Training(cache, java(), jar, root.environment.time())
            .run(Duration.ofSeconds(seconds), this::tell);
      }
      root.terminal().clearProgress();
      show(file, true);
      return ExitCode.OK;
    } catch (TrainingFailedException e) {
      throw new CliException(
          ExitCode.NOT_GOOD, "no cache was built; Holdfast runs without it: " + e.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new CliException(ExitCode.NOT_GOOD, "no cache was built: interrupted");
    } catch (IOException e) {
      throw new CliException(ExitCode.IO, file + ": " + e);
    }
  }

  private void tell(long messages) {
    root.terminal()
        .progress(
            messages < 0
                ? "assembling the cache..."
                : "training a server: %,d messages...".formatted(messages));
  }

  private void show(Path file, boolean made) throws IOException {
    long bytes = Files.size(file);
    if (root.json) {
      root.print(
          CliJson.object().put("file", file.toString()).put("bytes", bytes).put("made", made));
    } else {
      root.terminal()
          .line(
              "%s: %s, %s"
                  .formatted(made ? "made" : "already current", Formats.bytes(bytes), file));
    }
  }

  private static List<String> flags() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> NOT_PASSED_ON.stream().noneMatch(flag::startsWith))
        .toList();
  }

  private static List<String> java() {
    List<String> java = new ArrayList<>();
    java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    java.addAll(flags());
    return java;
  }
}
