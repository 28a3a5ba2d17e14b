package dev.holdfast.plugins;

import dev.holdfast.extensions.ExtensionView;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the extensions of plugins over to those who run them, and puts their files where their
 * children find them. For the host's thread.
 *
 * <p>A child may do what it likes in its folder, also while something is unpacked there: so files
 * are made and deleted beside it, and only whole folders are moved in and out.
 */
final class PluginExtensions {
  private static final Logger LOG = LoggerFactory.getLogger(PluginExtensions.class);
  private static final int DEPTH_MAX = 100;

  private final Extensions extensions;
  private final Runnable onChange;

  /**
   * Folders of this run, and for which plugin: what an earlier one left may be half a folder, or
   * changed by a child.
   */
  private final Map<Path, String> unpacked = new HashMap<>();

  /** {@code onChange}: runs after another plugin has an id, or nobody. */
  PluginExtensions(Extensions extensions, Runnable onChange) {
    this.extensions = extensions;
    this.onChange = onChange;
  }

  /** Of these ids those that somebody else has, with who that is. */
  List<String> taken(String plugin, List<String> ids) {
    return ids.stream()
        .flatMap(id -> extensions.view(id).stream())
        .filter(view -> !view.source().equals(source(plugin)))
        .map(PluginExtensions::holder)
        .toList();
  }

  private static String holder(ExtensionView view) {
    return view.id() + " (" + view.source() + " has it)";
  }

  /**
   * Makes their files ready; nothing is started.
   *
   * @param taken what {@link #taken} says of them
   * @throws PluginRefusedException when an id is taken
   */
  void prepare(String plugin, JarExtensions declared, List<String> taken, Path jar)
      throws IOException, PluginRefusedException {
    if (!taken.isEmpty()) {
      throw new PluginRefusedException(
          "ids of its extensions are taken: " + String.join(", ", taken));
    }
    if (!declared.files().isEmpty()) {
      for (String id : declared.ids()) {
        unpack(plugin, declared.files(), jar, extensions.filesOf(id));
      }
    }
  }

  /** From now on these are the extensions of the plugin. Returns at once. */
  void declare(String plugin, JarExtensions declared) {
    List<String> left = extensions.replaceAll(source(plugin), declared.configs());
    onChange.run();
    if (!left.isEmpty()) {
      LOG.warn("plugin {}: its extensions {} were taken in between", plugin, left);
    }
  }

  /** It has none any more; their files stay. Returns at once. */
  void withdraw(String plugin) {
    List<String> _ = extensions.replaceAll(source(plugin), List.of());
    onChange.run();
  }

  /** Deletes what was unpacked for the plugin; what its children wrote stays. */
  void deleteFiles(String plugin) {
    List<Path> folders =
        unpacked.entrySet().stream()
            .filter(each -> each.getValue().equals(plugin))
            .map(Map.Entry::getKey)
            .toList();
    for (Path folder : folders) {
      unpacked.remove(folder);
      try {
        sweep(folder.resolveSibling(""));
      } catch (IOException e) {
        LOG.warn("plugins: {} stays: {}", folder, e.toString());
      }
    }
  }

  private static String source(String plugin) {
    return "plugin:" + plugin;
  }

  private void unpack(String plugin, JarFiles files, Path jar, Path folder)
      throws IOException, PluginRefusedException {
    Path target = folder.resolve(files.folder());
    if (unpacked.containsKey(target)) {
      return;
    }
    Path made = folder.resolveSibling("unpacked.new");
    AtomicFiles.createFolders(folder);
    sweep(folder);
    delete(made);
    AtomicFiles.createFolders(made);
    files.unpack(jar, made);
    Files.move(made, target, StandardCopyOption.ATOMIC_MOVE);
    unpacked.put(target, plugin);
  }

  /** Those of this run stay: children of an older jar may still need them. */
  private void sweep(Path folder) throws IOException {
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Path old = folder.resolveSibling("unpacked.old");
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, JarFiles.FOLDER + "*")) {
      for (Path each : all) {
        if (!unpacked.containsKey(each)) {
          delete(old);
          Files.move(each, old, StandardCopyOption.ATOMIC_MOVE);
        }
      }
    }
    delete(old);
  }

  /** A folder, a file or a link; follows none, whatever a child makes of it meanwhile. */
  private static void delete(Path path) throws IOException {
    try (DirectoryStream<Path> parent = Files.newDirectoryStream(path.resolveSibling(""))) {
      if (parent instanceof SecureDirectoryStream<Path> secure
          && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        delete(secure, path.getFileName(), 0);
      }
    }
  }

  private static void delete(SecureDirectoryStream<Path> parent, Path name, int depth)
      throws IOException {
    boolean isFolder =
        parent
            .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .readAttributes()
            .isDirectory();
    if (!isFolder) {
      parent.deleteFile(name);
      return;
    }
    if (depth == DEPTH_MAX) {
      throw new IOException("its folders are nested too deeply");
    }
    try (SecureDirectoryStream<Path> folder =
        parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
      for (Path each : folder) {
        delete(folder, each.getFileName(), depth + 1);
      }
    }
    parent.deleteDirectory(name);
  }
}
