package dev.holdfast.store;

import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.store.opening.Database;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether a data folder is this process's alone, on a disk of this machine. */
public final class DataFolder {
  /** Where SQLite's log is not safe. */
  private static final Set<String> NETWORK =
      Set.of("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "fuse.sshfs");

  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));
  private static final int NAMED_MAX = 5;

  /** Names the folder where neither the command line nor the configuration does. */
  private static final String VARIABLE = "HOLDFAST_DATA";

  private final Path folder;
  private final Optional<Integer> self;

  private DataFolder(Path folder, Optional<Integer> self) {
    this.folder = folder;
    this.self = self;
  }

  /** The default of {@code server.data_dir}. */
  public static String defaultFolder(Map<String, String> environment) {
    return environment.getOrDefault(VARIABLE, "data");
  }

  /** {@code folder} need not exist. */
  public static DataFolder at(Path folder) {
    return new DataFolder(folder, self());
  }

  /** Whether that kind of file system lies on another machine. */
  public static boolean isNetwork(String fileSystem) {
    return NETWORK.contains(fileSystem);
  }

  /**
   * Looks at the file system, at owners and links; changes nothing.
   *
   * @throws StartRefusedException 78 when the folder, or a file that is believed, is somebody
   *     else's, is a link, or lies on another machine
   */
  public void check() throws StartRefusedException, IOException {
    String type = Files.getFileStore(existing()).type();
    if (isNetwork(type)) {
      throw refusal(folder, "is on a network file system (" + type + "), which loses commits");
    }
    if (!Files.isDirectory(folder)) {
      return;
    }
    if (self.isPresent()) {
      int owner = (int) Files.getAttribute(folder, "unix:uid");
      // What root could do there it can do anyway.
      if (owner != self.get() && owner != 0) {
        throw refusal(folder, belongsTo(owner));
      }
    }
    for (String name : believed()) {
      checkFile(folder.resolve(name));
    }
  }

  /**
   * Looks at the database as a start does, and changes nothing. Blocks while it is read.
   *
   * @param inUse whether a server uses the folder
   * @return what the next start would mend; empty when nothing
   * @throws StartRefusedException why a start would be refused
   */
  public Optional<String> inspect(boolean inUse) throws StartRefusedException {
    return Database.inspect(folder, inUse);
  }

  /** What is believed when it is read: nobody else may have written it, nor a link lead away. */
  private static List<String> believed() {
    return Stream.concat(Database.FILES.stream(), Stream.of("token", "config.last-good.yaml"))
        .toList();
  }

  private void checkFile(Path file) throws StartRefusedException, IOException {
    if (Files.isSymbolicLink(file)) {
      throw refusal(file, "is a link; move the file itself here");
    }
    if (self.isPresent() && Files.exists(file)) {
      int owner = (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
      if (owner != self.get()) {
        throw refusal(file, belongsTo(owner));
      }
    }
  }

  /**
   * Takes back the rights that others have to the folder and to what lies in it. Below that there
   * is no way for them. Call under the instance lock.
   *
   * @throws StartRefusedException 78 when the folder stays open to others
   */
  public void narrow() throws StartRefusedException, IOException {
    // Here alone: a command that asks for the default folder must not wait until a logger is set
    // up.
    Logger log = LoggerFactory.getLogger(DataFolder.class);
    List<String> opened = new ArrayList<>();
    try {
      narrowOne(folder, opened);
    } catch (IOException e) {
      throw refusal(
          folder,
          "is accessible to other users and its permissions cannot be changed; chmod 700 it");
    }
    boolean wasOpen = !opened.isEmpty();
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry : entries.toList()) {
        try {
          narrowOne(entry, opened);
        } catch (IOException e) {
          log.warn("data folder: other users keep permissions on {}: {}", entry, e.toString());
        }
      }
    }
    if (wasOpen) { // else nobody could get at what lies in it
      log.warn(
          "data folder: other users could access {} files of {}, such as {}; their permissions were"
              + " removed{}",
          opened.size(),
          folder,
          opened.subList(0, Math.min(NAMED_MAX, opened.size())),
          opened.contains("token") ? ". Change the token: they could read it" : "");
    }
  }

  private static void narrowOne(Path path, List<String> opened) throws IOException {
    if (Files.isSymbolicLink(path)) {
      return; // whose it is the operator knows, who made it
    }
    PosixFileAttributes attributes = Files.readAttributes(path, PosixFileAttributes.class);
    if (!Collections.disjoint(attributes.permissions(), OTHERS)) {
      Files.setPosixFilePermissions(
          path,
          PosixFilePermissions.fromString(attributes.isDirectory() ? "rwx------" : "rw-------"));
      opened.add(String.valueOf(path.getFileName()));
    }
  }

  private static StartRefusedException refusal(Path path, String why) {
    return new StartRefusedException(StartRefusedException.CONFIGURATION, path + " " + why);
  }

  private String belongsTo(int owner) {
    return "belongs to user "
        + Integer.toUnsignedString(owner)
        + ", and this process runs as "
        + self.map(Integer::toUnsignedString).orElse("?")
        + "; run as its owner, or chown it";
  }

  /** The folder, or the nearest one above it that exists. */
  private Path existing() {
    Path place = folder.toAbsolutePath().normalize();
    while (!Files.exists(place) && place.getParent() != null) {
      place = place.getParent();
    }
    return place;
  }

  /** The user whose files this process makes; empty where the kernel does not say. */
  private static Optional<Integer> self() {
    try (Stream<String> lines =
        Files.lines(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1)) {
      // Real, effective, saved, and that of the file system.
      return lines
          .filter(line -> line.startsWith("Uid:"))
          .map(line -> Integer.parseUnsignedInt(line.strip().split("\\s+", -1)[4]))
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
