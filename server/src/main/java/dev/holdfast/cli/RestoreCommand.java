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
    description = "Verify a backup, and restore it into an empty data folder.",
    footer = {
      "",
      "The whole file is verified before anything is written. A folder that is in use or not empty"
          + " is",
      "refused: move it away first. After a restore that was cut off, the folder refuses to start."
          + " See docs/backup.md.",
      "",
      "A server that starts on the folder is a copy: it can be read, but connects no channel and"
          + " sends",
      "nothing before holdfast promote, so that it may run beside the original.",
      "",
      "Examples:",
      "  holdfast restore /backup/holdfast-2026-01-31.zip --data /var/lib/holdfast --promote",
      "  holdfast restore /backup/holdfast-2026-01-31.zip --data trial"
    })
final class RestoreCommand implements Callable<Integer> {
  /** What a restore makes first: one that was cut off there has restored nothing. */
  private static final Set<String> OF_A_BEGINNING =
      Set.of("holdfast.lock", "holdfast.pid", "holdfast.pid.tmp", "holdfast.run");

  private final RootCommand root;

  @Parameters(paramLabel = "FILE", description = "What holdfast backup wrote.")
  @Nullable Path file;

  @Option(names = "--check", description = "Only verify it.")
  boolean check;

  @Option(
      names = "--promote",
      description = "It takes the place of the original, which runs no more.")
  boolean promote;

  RestoreCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    Path source = root.environment.folder().resolve(String.valueOf(file));
    root.requireConfigFile();
    Path data = root.dataFolder();
    BackupReader reader = new BackupReader(source, new BackupScreen(root.terminal()));
    try {
      if (!Files.isRegularFile(source)) {
        throw new CliException(
            ExitCode.NOT_GOOD,
            source + " does not exist or is not a file; name one that holdfast backup wrote");
      }
      if (check) {
        BackupScreen.show(root, "whole", source, reader.verify());
        return ExitCode.OK;
      }
      if (LockHolder.find(data).isPresent()) {
        throw new CliException(ExitCode.NOT_GOOD, data + " is in use: stop its server first");
      }
      requireEmpty(data);
      reader.verify();
      DataFolder.at(data).check();
      BackupScreen.show(root, "restored into " + data, source, restore(reader, data));
      if (!promote) {
        root.terminal()
            .note(
                "a server on it is a copy: no channel is connected and nothing is sent before"
                    + " holdfast promote");
      }
      return ExitCode.OK;
    } catch (BackupException e) {
      throw new CliException(ExitCode.DAMAGED, String.valueOf(e.getMessage()));
    } catch (StartRefusedException e) {
      throw new CliException(e.exitCode(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new CliException(
          ExitCode.IO,
          "nothing was restored into %s: %s; %s, and restore again"
              .formatted(data, DiskReason.of(e), DiskReason.advice(e)));
    }
  }

  private Manifest restore(BackupReader reader, Path data)
      throws IOException,
          BackupException,
          CliException,
          StartRefusedException,
          InterruptedException {
    boolean announced = BackupReader.announce(data);
    try (InstanceLock _ = InstanceLock.take(data, root.environment.time())) {
      requireEmpty(data);
      return reader.restore(data, promote);
    } catch (CliException | StartRefusedException e) {
      if (announced) {
        BackupReader.withdraw(data);
      }
      throw e;
    }
  }

  private static void requireEmpty(Path data) throws IOException, CliException {
    if (!Files.exists(data)) {
      return;
    }
    try (Stream<Path> entries = Files.list(data)) {
      List<String> there =
          entries
              .map(entry -> String.valueOf(entry.getFileName()))
              .filter(name -> !OF_A_BEGINNING.contains(name))
              .toList();
      if (!there.isEmpty()) {
        throw new CliException(
            ExitCode.NOT_GOOD,
            BackupReader.isUnfinishedIn(data)
                ? data + " contains what a restore that was cut off left behind: empty it first"
                : data + " is not empty, it contains " + there.getFirst() + ": move it away first");
      }
    }
  }
}
