package dev.holdfast.config;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The copy of the last file that was good, so that a slip in the file does not keep the server from
 * starting.
 *
 * @param file {@code data/config.last-good.yaml}
 */
public record LastGoodConfig(Path file) {
  public static LastGoodConfig in(Path dataDir) {
    return new LastGoodConfig(dataDir.resolve("config.last-good.yaml"));
  }

  /**
   * What the server starts with.
   *
   * @param problems why the last good file is in force; empty when the file itself is
   */
  public record Chosen<T>(T config, LoadedConfig loaded, List<Problem> problems) {
    public boolean isDegraded() {
      return !problems.isEmpty();
    }

    /** One sentence for {@code /ready}; empty when all is well. */
    public String warning() {
      return problems.isEmpty()
          ? ""
          : "running with the last good configuration; "
              + problems.getFirst()
              + (problems.size() > 1 ? " (and " + (problems.size() - 1) + " more)" : "");
    }
  }

  /**
   * Makes the record of {@code fresh}, or of the last good file when {@code fresh} has problems.
   *
   * @param configFile where {@code fresh} came from: relative paths begin beside it
   * @throws ConfigException with the problems of {@code fresh} when there is no last good file or
   *     it has problems too
   */
  public <T> Chosen<T> choose(
      LoadedConfig fresh,
      Path configFile,
      Map<String, String> environment,
      Function<Section, T> maker)
      throws ConfigException {
    try {
      return new Chosen<>(fresh.make(maker), fresh, List.of());
    } catch (ConfigException e) {
      if (!Files.isRegularFile(file)) {
        throw e;
      }
      Chosen<T> chosen = ofLastGood(e, configFile, environment, maker);
      chosen.loaded().secrets().addAll(fresh.secrets()); // what it read is no less secret
      return chosen;
    }
  }

  private <T> Chosen<T> ofLastGood(
      ConfigException bad,
      Path configFile,
      Map<String, String> environment,
      Function<Section, T> maker)
      throws ConfigException {
    List<Problem> problems = new ArrayList<>(bad.problems());
    try {
      String text = Files.readString(file);
      LoadedConfig loaded =
          ConfigFile.text(file, ConfigFile.folderOf(configFile), text, environment);
      return new Chosen<>(loaded.make(maker), loaded, bad.problems());
    } catch (ConfigException e) {
      problems.addAll(e.problems());
    } catch (IOException e) {
      problems.add(new Problem(file.toString(), 0, "", "cannot be read: " + e.getMessage()));
    }
    throw new ConfigException(problems);
  }

  /**
   * Keeps a file whose record could be made. Does nothing when there was no file or the copy is the
   * same already. The copy is readable by its owner only, and replaced at once or not at all.
   */
  public void keep(LoadedConfig good) throws IOException {
    byte[] bytes = good.text().getBytes(StandardCharsets.UTF_8);
    if (!good.present() || isSame(bytes)) {
      return;
    }
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.deleteIfExists(temporary);
    Files.createFile(
        temporary,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (FileOutputStream out = new FileOutputStream(temporary.toFile())) {
      out.write(bytes);
      out.getFD().sync();
    }
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel folder =
        FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
      folder.force(true);
    }
  }

  private boolean isSame(byte[] bytes) throws IOException {
    return Files.isRegularFile(file) && java.util.Arrays.equals(Files.readAllBytes(file), bytes);
  }
}
