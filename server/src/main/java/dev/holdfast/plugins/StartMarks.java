package dev.holdfast.plugins;

import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which plugins are being started, on disk: one that takes the server down each time that it starts
 * is found out at the next start of the server.
 */
record StartMarks(Path folder) {
  /** A plugin during whose start the server went down so often, each time, is not started again. */
  static final int DOWN_MAX = 5;

  private static final Logger LOG = LoggerFactory.getLogger(StartMarks.class);

  static StartMarks open(Path folder) throws IOException {
    AtomicFiles.createFolders(folder);
    return new StartMarks(folder);
  }

  /** How often the server went down while this jar was started, since that last went well. */
  int down(PluginJar jar) {
    try {
      String mark = Files.readString(folder.resolve(jar.manifest().id()));
      return mark.startsWith(jar.sha256()) ? mark.length() - jar.sha256().length() : 0;
    } catch (NoSuchFileException _) {
      return 0;
    } catch (IOException e) {
      LOG.warn("plugins: the mark of the start of {} is not read: {}", jar.file(), e.toString());
      return 0;
    }
  }

  /** Writes down, before any code of it runs, that the jar is being started. */
  void begin(PluginJar jar) throws IOException {
    String mark = jar.sha256() + "+".repeat(down(jar) + 1);
    AtomicFiles.write(folder.resolve(jar.manifest().id()), mark.getBytes(StandardCharsets.UTF_8));
  }

  /** The plugin has started or was refused, or what it did before is forgotten. */
  void end(String id) {
    try {
      boolean _ = AtomicFiles.delete(folder.resolve(id));
    } catch (IOException e) {
      LOG.warn("plugins: the mark of the start of {} stays: {}", id, e.toString());
    }
  }
}
