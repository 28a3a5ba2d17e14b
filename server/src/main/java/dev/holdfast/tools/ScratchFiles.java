package dev.holdfast.tools;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/**
 * Files of a thread's scratch folder, reached step by step from the folder itself: whatever a
 * command puts there, links included, nothing leads out of it.
 */
public final class ScratchFiles {
  private static final int DEPTH_MAX = 32;

  private ScratchFiles() {}

  /** Why a file is not opened, for whoever asked for it. */
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String why) {
      super(why);
    }

    public String why() {
      return String.valueOf(getMessage());
    }
  }

  /**
   * Reads a plain file.
   *
   * @param path relative to {@code scratch}, steps separated by slashes
   * @throws RefusedException when it leads elsewhere, is no plain file or too large
   * @throws IOException when it is not there or cannot be read
   */
  public static byte[] read(Path scratch, String path, int bytesMax) throws IOException {
    List<String> steps = List.of(path.split("/", -1));
    if (steps.size() > DEPTH_MAX || steps.stream().anyMatch(ScratchFiles::isOdd)) {
      throw new RefusedException("The path must name a file in your working folder.");
    }
    return read(folder(scratch), steps, scratch.resolve(path), bytesMax);
  }

  private static boolean isOdd(String step) {
    return step.isEmpty() || step.equals(".") || step.equals("..") || step.indexOf('\0') >= 0;
  }

  private static byte[] read(
      SecureDirectoryStream<Path> start, List<String> steps, Path whole, int bytesMax)
      throws IOException {
    try (SecureDirectoryStream<Path> here = start) {
      Path name = Path.of(steps.getFirst());
      if (steps.size() > 1) {
        return read(
            here.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS),
            steps.subList(1, steps.size()),
            whole,
            bytesMax);
      }
      BasicFileAttributes facts =
          here.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
              .readAttributes();
      if (!facts.isRegularFile() || hasOtherNames(whole)) {
        throw new RefusedException("Only a plain file with one name can be attached.");
      }
      return content(here, name, bytesMax);
    }
  }

  /** A second name may belong to a file outside. */
  private static boolean hasOtherNames(Path file) throws IOException {
    return !Integer.valueOf(1)
        .equals(Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS));
  }

  private static byte[] content(SecureDirectoryStream<Path> folder, Path name, int bytesMax)
      throws IOException {
    try (SeekableByteChannel channel =
        folder.newByteChannel(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      ByteBuffer chunk = ByteBuffer.allocate(64 * 1024);
      while (channel.read(chunk) >= 0) {
        content.write(chunk.array(), 0, chunk.position());
        chunk.clear();
        if (content.size() > bytesMax) {
          throw new RefusedException("The file has more than " + bytesMax + " bytes.");
        }
      }
      return content.toByteArray();
    }
  }

  /**
   * Writes a file into a folder of {@code scratch}, which is made when it is missing. An old file
   * of the name is replaced.
   */
  public static void write(Path scratch, String folder, String name, byte[] content)
      throws IOException {
    try {
      Files.createDirectory(
          scratch.resolve(folder),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException _) {
      // What it is shows when it is opened.
    }
    try (SecureDirectoryStream<Path> top = folder(scratch);
        SecureDirectoryStream<Path> within =
            top.newDirectoryStream(Path.of(folder), LinkOption.NOFOLLOW_LINKS)) {
      remove(within, Path.of(name));
      try (SeekableByteChannel channel =
          within.newByteChannel(
              Path.of(name),
              Set.of(
                  StandardOpenOption.WRITE,
                  StandardOpenOption.CREATE_NEW,
                  LinkOption.NOFOLLOW_LINKS),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
    }
  }

  private static void remove(SecureDirectoryStream<Path> folder, Path name) throws IOException {
    try {
      folder.deleteFile(name);
    } catch (java.nio.file.NoSuchFileException _) {
      // The usual case.
    }
  }

  private static SecureDirectoryStream<Path> folder(Path folder) throws IOException {
    DirectoryStream<Path> stream = Files.newDirectoryStream(folder);
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    stream.close();
    throw new IOException("the file system cannot open folders safely");
  }
}
