package dev.holdfast.cli;

import dev.holdfast.store.DataFolder;
import dev.holdfast.store.LockHolder;
import dev.holdfast.store.backup.BackupException;
import dev.holdfast.store.backup.BackupWriter;
import dev.holdfast.store.backup.Manifest;
import dev.holdfast.store.engine.StartRefusedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes a backup of the data folder. */
@Command(
    name = "backup",
    description = "Write a backup of the data folder into one file, and read it back.",
    footer = {
      "",
      "Works while the server runs: messages, conversations, attachments, memory and skills as of"
          + " one",
      "moment, in a zip file with a manifest of hashes. It contains the API token: keep it as safe"
          + " as the",
      "data. FILE appears when it is complete; an existing one is not overwritten. See"
          + " docs/backup.md.",
      "",
      "Example: holdfast backup /backup/holdfast-2026-01-31.zip --data /var/lib/holdfast"
    })
final class BackupCommand implements Callable<Integer> {
  private final RootCommand root;

  @Parameters(paramLabel = "FILE", description = "Where to write it, outside the data folder.")
  @Nullable Path file;

  BackupCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException {
    root.requireConfigFile();
    Path data = root.dataFolder();
    Path target = root.environment.folder().resolve(String.valueOf(file));
    try {
      DataFolder.at(data).check();
      Manifest made =
          new BackupWriter(data, new BackupScreen(root.terminal()))
              .write(
                  target,
                  LockHolder.find(data).isPresent(),
                  VersionCommand.version(),
                  root.environment.time().now());
      BackupScreen.show(root, "backed up and verified", target, made);
      return ExitCode.OK;
    } catch (BackupException e) {
      throw new CliException(ExitCode.NOT_GOOD, String.valueOf(e.getMessage()));
    } catch (StartRefusedException e) {
      throw new CliException(e.exitCode(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new CliException(
          ExitCode.IO,
          "%s could not be written: %s; %s"
              .formatted(target, DiskReason.of(e), DiskReason.advice(e)));
    }
  }
}
