package dev.holdfast.plugins;

import dev.holdfast.api.Plugin;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Makes jars of plugins from sources, as their authors do. */
final class PluginJars {
  private final Path folder;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private final Map<String, String> files = new LinkedHashMap<>();
  private String source = "";

  private PluginJars(Path folder, String id, String version) {
    this.folder = folder;
    attributes.put("Plugin-Id", id);
    attributes.put("Plugin-Version", version);
    attributes.put("Holdfast-Api", "1");
  }

  /** {@code folder}: for what is compiled. */
  static PluginJars of(Path folder, String id, String version) {
    return new PluginJars(folder, id, version);
  }

  PluginJars with(String attribute, String value) {
    attributes.put(attribute, value);
    return this;
  }

  /**
   * With a class {@code sample.Sample} that implements {@code Plugin}.
   *
   * @param start the body of its start
   * @param members what else it has
   */
  PluginJars doing(String start, String members) {
    attributes.put("Plugin-Class", "sample.Sample");
    source =
        """
        package sample;
        import dev.holdfast.api.*;
        import java.nio.file.*;
        import java.time.Duration;
        import java.util.*;
        public class Sample implements Plugin {
          static Tool tool(String name, java.util.function.Supplier<String> body) {
            return new Tool() {
              public ToolSpec spec() {
                return new ToolSpec(name, "A sample.", "{\\"type\\":\\"object\\"}");
              }
              public ReplayClass replay() { return ReplayClass.READ; }
              public ToolResult run(String arguments, ToolContext context) {
                return ToolResult.ok(body.get());
              }
            };
          }
          %s
          public void start(PluginContext context) throws Exception {
            %s
          }
        }
        """
            .formatted(members, start);
    return this;
  }

  /** With a file, for example {@code META-INF/holdfast/extension.yaml}. */
  PluginJars file(String name, String content) {
    files.put(name, content);
    return this;
  }

  /** Offers one tool that answers with a text. */
  PluginJars withTool(String name, String answer) {
    return doing("context.offer(tool(\"%s\", () -> \"%s\"));".formatted(name, answer), "");
  }

  /** Writes it under another name first, as a careful copy does. */
  Path into(Path plugins, String file) throws IOException {
    Path made = write(folder.resolve(file + ".part"));
    Path target = plugins.resolve(file);
    Files.move(made, target, StandardCopyOption.ATOMIC_MOVE);
    return target;
  }

  private Path write(Path target) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.forEach((key, value) -> manifest.getMainAttributes().putValue(key, value));
    Path classes = source.isEmpty() ? null : compile();
    try (OutputStream out = Files.newOutputStream(target);
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        jar.putNextEntry(new JarEntry(file.getKey()));
        jar.write(file.getValue().getBytes(StandardCharsets.UTF_8));
        jar.closeEntry();
      }
      if (classes != null) {
        try (Stream<Path> all = Files.walk(classes)) {
          for (Path file : all.filter(Files::isRegularFile).toList()) {
            jar.putNextEntry(new JarEntry(classes.relativize(file).toString()));
            Files.copy(file, jar);
            jar.closeEntry();
          }
        }
      }
    }
    return target;
  }

  private Path compile() throws IOException {
    Path classes = Files.createTempDirectory(folder, "classes");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    JavaFileObject file =
        new SimpleJavaFileObject(
            URI.create("string:///sample/Sample.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    URI api = URI.create(Plugin.class.getProtectionDomain().getCodeSource().getLocation() + "");
    List<String> options = List.of("-d", classes.toString(), "-cp", Path.of(api).toString());
    if (!compiler.getTask(said, null, null, options, null, List.of(file)).call()) {
      throw new IllegalStateException(said.toString());
    }
    return classes;
  }
}
