package dev.holdfast.tests.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The jar of a plugin, compiled against the jar under test as its author would. */
public final class CompiledPlugin {
  private final String id;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private final Map<String, byte[]> entries = new LinkedHashMap<>();

  private CompiledPlugin(String id) {
    this.id = id;
    with("Plugin-Id", id).with("Plugin-Version", "1.0.0").with("Holdfast-Api", "1");
  }

  /**
   * @param className a class without a package that implements {@code Plugin}
   */
  public static CompiledPlugin of(String id, String className, String source) {
    CompiledPlugin jar = new CompiledPlugin(id).with("Plugin-Class", className);
    jar.compile(className, source);
    return jar;
  }

  /** As {@link #of}, with the source in {@code plugins/CLASS.java} of the test's resources. */
  public static CompiledPlugin ofResource(String id, String className) {
    try (InputStream in =
        CompiledPlugin.class.getResourceAsStream("/plugins/" + className + ".java")) {
      byte[] source = Objects.requireNonNull(in).readAllBytes();
      return of(id, className, new String(source, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public CompiledPlugin with(String attribute, String value) {
    attributes.put(attribute, value);
    return this;
  }

  /** Says of each class that it was compiled for a Java of that class-file version. */
  public CompiledPlugin classVersion(int major) {
    entries.forEach(
        (name, bytes) -> {
          if (name.endsWith(".class")) {
            bytes[6] = (byte) (major >> 8);
            bytes[7] = (byte) major;
          }
        });
    return this;
  }

  /** Puts it into the folder as a careful person does: whole, or not at all. */
  public Path into(Path plugins) throws IOException {
    Files.createDirectories(plugins);
    Path part = Files.write(plugins.resolve(id + ".jar.part"), bytes());
    return Files.move(part, plugins.resolve(id + ".jar"), StandardCopyOption.ATOMIC_MOVE);
  }

  private byte[] bytes() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        jar.putNextEntry(new JarEntry(entry.getKey()));
        jar.write(entry.getValue());
        jar.closeEntry();
      }
    }
    return bytes.toByteArray();
  }

  private void compile(String className, String source) {
    Path folder = ServerRig.newFolder("holdfast-plugin");
    try {
      StringWriter said = new StringWriter();
      JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
      List<String> options =
          List.of("-d", folder.toString(), "-cp", Setup.jar().toString(), "-proc:none");
      List<Source> sources = List.of(new Source(className, source));
      if (!compiler.getTask(said, null, null, options, null, sources).call()) {
        throw new IllegalStateException(said.toString());
      }
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          entries.put(folder.relativize(file).toString(), Files.readAllBytes(file));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      ServerRig.delete(folder);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String className, String text) {
      super(URI.create("string:///" + className + ".java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
