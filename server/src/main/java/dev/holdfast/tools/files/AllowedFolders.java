package dev.holdfast.tools.files;

import dev.holdfast.libc.FileCalls;
import dev.holdfast.tools.files.FileFailedException.Why;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tools within the scratch folder of their thread and the configured folders: the only way
 * from a path that a model wrote to a folder that is open. Each step is opened within the one
 * before and no link is followed, so what is swapped in between leads nowhere else. Thread-safe.
 */
final class AllowedFolders {
  static final String SCRATCH = "scratch";

  private static final int OWNERS_FOLDER = 0700;
  private static final int FOLDER = 0777;

  /**
   * Windows into the kernel and into other processes: proc, sysfs, devpts, debugfs, tracefs,
   * securityfs, configfs, control groups (1 and 2), bpf, efivarfs, selinuxfs, namespaces, pstore.
   */
  private static final Set<Long> KERNEL_FILE_SYSTEMS =
      Set.of(
          0x9fa0L,
          0x62656572L,
          0x1cd1L,
          0x64626720L,
          0x74726163L,
          0x73636673L,
          0x62656570L,
          0x27e0ebL,
          0x63677270L,
          0xcafe4a11L,
          0xde5e81e4L,
          0xf97cff8cL,
          0x6e736673L,
          0x6165676cL);

  private final Path data;
  private final Path realData;
  private final FileStatus dataFolder;
  private final List<Root> roots;
  private final HiddenFiles hidden;

  /** A configured folder, as it was written and where it really is. */
  private record Root(Path given, Path real) {}

  private AllowedFolders(Path data, Path realData, List<Root> roots, HiddenFiles hidden)
      throws FileFailedException {
    this.data = data;
    this.realData = realData;
    this.dataFolder = LinuxCalls.status(FileCalls.CURRENT_FOLDER, realData.toString());
    this.roots = List.copyOf(roots);
    this.hidden = hidden;
  }

  /**
   * @param data the data folder, absolute; it exists. Nothing in it is reachable but scratch
   *     folders
   * @param roots absolute; those that do not exist are left out
   * @param hidden what nobody may reach, such as the configuration
   * @throws FileFailedException when one of the roots is in the data folder
   */
  static AllowedFolders open(Path data, List<Path> roots, HiddenFiles hidden)
      throws IOException, FileFailedException {
    Path realData = data.toRealPath();
    List<Root> found = new ArrayList<>();
    for (Path given : roots) {
      if (!given.toFile().isDirectory()) {
        continue;
      }
      Path real = given.toRealPath();
      if (real.startsWith(realData)) {
        throw FileFailedException.refused(given + " is in the data folder");
      }
      found.add(new Root(given.normalize(), real));
    }
    return new AllowedFolders(data.normalize(), realData, found, hidden);
  }

  /** The configured folders that exist. */
  List<Path> roots() {
    return roots.stream().map(Root::given).toList();
  }

  /**
   * What a path of a model means, by its text.
   *
   * @param scratch the thread's scratch folder, absolute: relative paths begin there
   */
  AllowedPath resolve(String path, Path scratch) throws FileFailedException {
    List<String> names = PathSteps.of(path);
    if (!scratch.endsWith(SCRATCH)) {
      throw new IllegalArgumentException("not a scratch folder: " + scratch);
    }
    AllowedPath scratchFolder =
        new AllowedPath(relative(Objects.requireNonNull(scratch.getParent())), true, List.of());
    if (!path.startsWith("/")) {
      return new AllowedPath(scratchFolder.base(), true, names);
    }
    for (Path prefix : List.of(scratch, realData.resolve(scratchFolder.base()).resolve(SCRATCH))) {
      List<String> steps = steps(prefix);
      if (startsWith(names, steps)) {
        return new AllowedPath(
            scratchFolder.base(), true, names.subList(steps.size(), names.size()));
      }
    }
    for (Root root : roots) {
      for (Path prefix : List.of(root.given(), root.real())) {
        List<String> steps = steps(prefix);
        if (startsWith(names, steps)) {
          return visible(
              new AllowedPath(root.real(), false, names.subList(steps.size(), names.size())));
        }
      }
    }
    throw FileFailedException.refused(
        path
            + ": is outside the folders that tools may use; relative paths are in the working"
            + " folder");
  }

  /** Opens the folder that a path names. */
  SafeFolder enter(AllowedPath path) throws FileFailedException, IOException {
    return walk(path, false);
  }

  /** Opens the folder in which a path is. */
  SafeFolder enterParent(AllowedPath path) throws FileFailedException, IOException {
    return walk(path.parent(), false);
  }

  /** The same; creates the missing folders above it. */
  SafeFolder createParent(AllowedPath path) throws FileFailedException, IOException {
    return walk(path.parent(), true);
  }

  /** The folders above a path that do not exist yet, from the top. */
  List<AllowedPath> missingFolders(AllowedPath path) throws FileFailedException, IOException {
    List<AllowedPath> missing = new ArrayList<>();
    for (int steps = path.names().size() - 1; steps > 0; steps--) {
      try (SafeFolder _ = enter(path.up(steps))) {
        break;
      } catch (FileFailedException e) {
        if (e.why() != Why.MISSING) {
          throw e;
        }
        missing.addFirst(path.up(steps));
      }
    }
    return missing;
  }

  private SafeFolder walk(AllowedPath path, boolean make) throws FileFailedException, IOException {
    visible(path);
    SafeFolder at = base(path);
    for (String name : path.names()) {
      try (SafeFolder above = at) {
        int mode = path.scratch() ? OWNERS_FOLDER : FOLDER;
        at = make ? above.openOrCreateFolder(name, mode) : above.folder(name);
        requireEnterable(at, above, name);
      }
    }
    return at;
  }

  private SafeFolder base(AllowedPath path) throws FileFailedException, IOException {
    if (!path.scratch()) {
      if (roots.stream().noneMatch(root -> root.real().equals(path.base()))) {
        throw FileFailedException.refused(path.base() + ": tools may no longer use this folder");
      }
      SafeFolder root = SafeFolder.of(path.base(), hidden::isOne);
      requireEnterable(root, null, path.base().toString());
      return root;
    }
    // The way to a thread's folder is the server's own; what is below may have been made by anyone.
    return SafeFolder.ofServer(realData.resolve(path.base()).resolve(SCRATCH), hidden::isOne);
  }

  private void requireEnterable(SafeFolder folder, @Nullable SafeFolder above, String name)
      throws FileFailedException {
    try {
      if (folder.status().isSame(dataFolder)) {
        throw FileFailedException.refused(name + ": is the server's own");
      }
      boolean crossed = above == null || above.status().device() != folder.status().device();
      if (crossed && KERNEL_FILE_SYSTEMS.contains(folder.fileSystem())) {
        throw FileFailedException.refused(name + ": belongs to the kernel");
      }
    } catch (FileFailedException e) {
      folder.close();
      throw e;
    }
  }

  private AllowedPath visible(AllowedPath path) throws FileFailedException {
    if (!path.scratch()) {
      List<String> whole = new ArrayList<>(steps(path.base()));
      whole.addAll(path.names());
      List<Path> own = new ArrayList<>(hidden.look());
      own.add(realData);
      for (Path secret : own) {
        if (startsWith(whole, steps(secret))) {
          throw FileFailedException.refused(path.shown() + ": is the server's own");
        }
      }
    }
    return path;
  }

  /** The thread's folder as seen from the data folder. */
  private Path relative(Path thread) {
    for (Path prefix : List.of(data, realData)) {
      if (thread.startsWith(prefix)) {
        return prefix.relativize(thread);
      }
    }
    throw new IllegalArgumentException("a scratch folder outside of the data folder: " + thread);
  }

  private static List<String> steps(Path path) {
    List<String> steps = new ArrayList<>();
    path.forEach(name -> steps.add(name.toString()));
    return steps;
  }

  private static boolean startsWith(List<String> names, List<String> steps) {
    return names.size() >= steps.size() && names.subList(0, steps.size()).equals(steps);
  }
}
