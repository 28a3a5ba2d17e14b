package dev.holdfast.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A small plugin that builds as it is, for its author to change.
 *
 * @param jar what it is compiled against
 */
record PluginTemplate(String id, Path jar) {
  private static final String RESOURCES = "/plugin-template/";
  private static final String BUILD = "build.sh";

  /** The jar that this class is in: what a plugin is compiled against. */
  static Path ownJar() throws IOException {
    try {
      return Path.of(
          PluginTemplate.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("the place of this jar has no name", e);
    }
  }

  /**
   * Writes its files.
   *
   * @param folder is not there yet
   */
  void write(Path folder) throws IOException {
    for (Map.Entry<String, String> file : files().entrySet()) {
      Path target = folder.resolve(file.getValue());
      Files.createDirectories(target.resolveSibling(""));
      Files.writeString(target, filled(file.getKey()));
    }
    Files.setPosixFilePermissions(
        folder.resolve(BUILD), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** From the name of the resource to where it goes. */
  private Map<String, String> files() {
    Map<String, String> files = new LinkedHashMap<>();
    files.put(BUILD, BUILD);
    files.put("manifest.txt", "manifest.txt");
    files.put("README.md", "README.md");
    files.put("gitignore", ".gitignore");
    files.put("Greeter.java", "src/main/java/" + packageName() + "/Greeter.java");
    files.put("GreeterTest.java", "src/test/java/" + packageName() + "/GreeterTest.java");
    return files;
  }

  private String filled(String resource) throws IOException {
    try (InputStream in = PluginTemplate.class.getResourceAsStream(RESOURCES + resource)) {
      if (in == null) {
        throw new IOException("this jar lacks " + RESOURCES + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .replace("@ID@", id)
          .replace("@PACKAGE@", packageName())
          .replace("@TOOL@", id.replace('-', '_'))
          .replace("@JAR@", "'" + jar.toString().replace("'", "'\\''") + "'");
    }
  }

  /** An id may be a keyword of Java, this is none. */
  private String packageName() {
    return id.replace("-", "") + "plugin";
  }
}
