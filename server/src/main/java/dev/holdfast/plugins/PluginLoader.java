package dev.holdfast.plugins;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLConnection;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.cert.Certificate;
import java.util.function.IntConsumer;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.pf4j.JarPluginManager;
import org.pf4j.PluginClassLoader;
import org.pf4j.PluginDescriptor;
import org.pf4j.PluginManager;
import org.pf4j.PluginWrapper;

/**
 * Loads the classes of one jar: its own before the server's, of which it sees the plugin API and
 * the logging API alone.
 */
final class PluginLoader extends PluginClassLoader {
  static {
    // A jar in the JDK's cache is closed for all who use it when the first of them closes it.
    URLConnection.setDefaultUseCaches("jar", false);
  }

  /** Whatever the archive says of its size. */
  private static final int CLASS_BYTES_MAX = 16 * 1024 * 1024;

  private final String id;
  private final JarFile jar;
  private final IntConsumer onExit;

  private PluginLoader(
      PluginManager manager, PluginDescriptor descriptor, JarFile jar, IntConsumer onExit) {
    super(manager, descriptor, new ServerClasses());
    this.id = descriptor.getPluginId();
    this.jar = jar;
    this.onExit = onExit;
  }

  /** What a plugin may see of the server. */
  private static final class ServerClasses extends ClassLoader {
    private final ClassLoader server = ServerClasses.class.getClassLoader();

    ServerClasses() {
      super("plugin-api", ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return isShared(name) ? server.loadClass(name) : super.loadClass(name, resolve);
    }
  }

  private static boolean isShared(String name) {
    return name.startsWith("dev.holdfast.api.")
        || name.startsWith("org.slf4j.")
        || name.startsWith("org.jspecify.")
        || name.equals(ExitGuard.class.getName());
  }

  /** A jar whose classes can be loaded, until it is closed. */
  record Opened(JarPluginManager manager, String id, PluginLoader loader) implements AutoCloseable {
    @Override
    public void close() {
      manager.unloadPlugin(id);
    }
  }

  /**
   * Opens a jar that nobody else opens or changes.
   *
   * @param onExit hears the status with which the plugin tried to end the process
   * @throws PluginRefusedException when it cannot be opened
   */
  static Opened open(Path jar, IntConsumer onExit) throws PluginRefusedException {
    JarPluginManager manager =
        new JarPluginManager(jar.getParent()) {
          @Override
          protected org.pf4j.PluginLoader createPluginLoader() {
            return new org.pf4j.JarPluginLoader(this) {
              @Override
              public ClassLoader loadPlugin(Path path, PluginDescriptor descriptor) {
                PluginLoader loader =
                    new PluginLoader(pluginManager, descriptor, open(path), onExit);
                loader.addFile(path.toFile());
                return loader;
              }
            };
          }

          @Override
          protected boolean isPluginValid(PluginWrapper plugin) {
            return true; // the gate has judged it
          }
        };
    try {
      String id = manager.loadPlugin(jar);
      return new Opened(manager, id, (PluginLoader) manager.getPluginClassLoader(id));
    } catch (RuntimeException e) {
      throw new PluginRefusedException(
          "the jar cannot be opened: " + PluginManifest.printable(String.valueOf(e.getMessage())));
    }
  }

  /** Of the plugin whose classes it loads. */
  String id() {
    return id;
  }

  private static JarFile open(Path jar) {
    try {
      return new JarFile(jar.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    try (jar) {
      super.close();
    }
  }

  @Override
  protected boolean shouldDelegateToParent(String className) {
    return isShared(className) || super.shouldDelegateToParent(className);
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    JarEntry entry = jar.getJarEntry(name.replace('.', '/') + ".class");
    if (entry == null) {
      throw new ClassNotFoundException(name);
    }
    byte[] bytes;
    try (InputStream in = jar.getInputStream(entry)) {
      bytes = ExitRewriter.rewritten(in.readNBytes(CLASS_BYTES_MAX), this); // what is cut is broken
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
    int dot = name.lastIndexOf('.');
    if (dot > 0 && getDefinedPackage(name.substring(0, dot)) == null) {
      definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
    }
    return defineClass(
        name, bytes, 0, bytes.length, new CodeSource(getURLs()[0], (Certificate[]) null));
  }

  void triedToExit(int status) {
    onExit.accept(status);
  }
}
