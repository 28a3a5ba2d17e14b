package dev.holdfast.cli;

import dev.holdfast.store.DataFolder;
import dev.holdfast.store.InstanceLock;
import dev.holdfast.store.LockHolder;
import dev.holdfast.store.backup.BackupException;
import dev.holdfast.store.backup.BackupReader;
import dev.holdfast.store.backup.Manifest;
import dev.holdfast.store.engine.StartRefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts a backup into an empty data folder. */
@Command(
    name = "restore",
    description = "Check a backup, and put it into an empty data folder.",
    footer = {
      "",
      "The whole file is verified before anything is written. A folder that is in use or not empty is",
      "refused: move it away first. If it is cut off, the folder refuses to start. See docs/backup.md.",
      "",
      "Example: holdfast restore /backup/holdfast-2026-01-31.zip --data /var/lib/holdfast"
    })
final class RestoreCommand implements Callable<Integer> {
  /** What the lock itself makes. */
  private static final Set<String> OF_THE_LOCK = Set.of("holdfast.lock", "holdfast.pid");

  private final RootCommand root;

  @Parameters(paramLabel = "FILE", description = "What holdfast backup wrote.")
  @Nullable Path file;

  @Option(names = "--check", description = "Only verify it.")
  boolean check;

  RestoreCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    Path source = root.environment.folder().resolve(String.valueOf(file));
    Path data = root.dataFolder();
    BackupReader reader = new BackupReader(source, new BackupScreen(root.terminal()));
    try {
      if (check) {
        BackupScreen.show(root, "whole", source, reader.verify());
        return ExitCode.OK;
      }
      requireEmpty(data, Set.of());
      reader.verify();
      DataFolder.at(data).check();
      try (InstanceLock _ = InstanceLock.take(data, false, root.environment.time())) {
        requireEmpty(data, OF_THE_LOCK);
        Manifest restored = reader.restore(data);
        BackupScreen.show(root, "restored into " + data, source, restored);
      }
      return ExitCode.OK;
    } catch (BackupException e) {
      throw new CliException(ExitCode.DAMAGED, String.valueOf(e.getMessage()));
    } catch (StartRefusedException e) {
      throw new CliException(e.exitCode(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new CliException(ExitCode.IO, "nothing was restored into " + data + ": " + e);
    }
  }

  private static void requireEmpty(Path data, Set<String> but) throws IOException, CliException {
    if (LockHolder.find(data).isPresent() && but.isEmpty()) {
      throw new CliException(ExitCode.NOT_GOOD, data + " is in use: stop its server first");
    }
    if (!Files.exists(data)) {
      return;
    }
    try (Stream<Path> entries = Files.list(data)) {
      List<String> there =
          entries
              .map(entry -> String.valueOf(entry.getFileName()))
              .filter(name -> !but.contains(name))
              .toList();
      if (!there.isEmpty()) {
        throw new CliException(
            ExitCode.NOT_GOOD,
            data + " is not empty, it holds " + there.getFirst() + ": move it away first");
      }
    }
  }
}
