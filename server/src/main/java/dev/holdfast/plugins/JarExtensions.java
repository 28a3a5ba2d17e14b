package dev.holdfast.plugins;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.LoadedConfig;
import dev.holdfast.config.Section;
import dev.holdfast.extensions.ExtensionConfig;
import dev.holdfast.extensions.ExtensionGrants;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.tools.SchemaCheck;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;

/**
 * The extensions that a jar declares in {@code META-INF/holdfast/extension.yaml}: one block, or a
 * list of them under {@code extensions}.
 *
 * @param files what their children find in a folder
 */
record JarExtensions(List<ExtensionConfig> configs, JarFiles files) {
  static final String NAME = "META-INF/holdfast/extension.yaml";
  private static final int BYTES_MAX = 1 << 20;
  private static final int PROBLEMS_MAX = 5;

  private static final String SCRATCH = "HOLDFAST_SCRATCH";

  /** What the server fills in when it starts a child; it stays as it is until then. */
  private static final List<String> FILLED_IN_LATER =
      List.of(
          SCRATCH,
          "HOLDFAST_JAVA",
          "HOLDFAST_FOLDERS",
          "HOLDFAST_WRITABLE_FOLDERS",
          "HOLDFAST_SETTINGS");

  private static final String FILES = "HOLDFAST_FILES";

  /**
   * Reads and checks them.
   *
   * @param environment what is set; of it the file may name what the manifest names
   * @throws PluginRefusedException with what is wrong with the file
   */
  static JarExtensions read(Path jar, PluginManifest manifest, Map<String, String> environment)
      throws IOException, PluginRefusedException {
    try (JarFile opened = new JarFile(jar.toFile())) {
      ZipEntry entry = opened.getEntry(NAME);
      JarFiles files = JarFiles.of(opened);
      if (entry == null) {
        require(files.isEmpty(), "it has files for extensions, but no " + NAME);
        return new JarExtensions(List.of(), files);
      }
      Map<String, String> known = new TreeMap<>(environment);
      known.keySet().removeIf(name -> !manifest.mayRead(name));
      FILLED_IN_LATER.forEach(name -> known.put(name, "${" + name + "}"));
      if (!files.isEmpty()) {
        known.put(FILES, "${" + SCRATCH + "}/" + files.folder());
      }
      List<ExtensionConfig> configs = configs(text(opened, entry), known);
      for (ExtensionConfig config : configs) {
        checkVariables(config, manifest);
        require(
            config.folders().isEmpty(),
            "the extension %s names folders, which only the configuration may give"
                .formatted(config.id()));
      }
      return new JarExtensions(configs, files);
    }
  }

  /** What the operator gives the extensions of a plugin, in its section. */
  static ExtensionGrants grants(Section plugin) {
    return plugin.read(ExtensionGrants::from);
  }

  /** Whether any of them reads the rest of the section. */
  boolean hasSettings() {
    return configs.stream().anyMatch(each -> !each.settings().isEmpty());
  }

  /**
   * The same with what was granted.
   *
   * @param section whose it is, for words about what is wrong with it
   * @throws PluginRefusedException when the settings do not fit what one of them declares
   */
  JarExtensions granted(ExtensionGrants grants, String section) throws PluginRefusedException {
    List<ExtensionConfig> all = new ArrayList<>();
    for (ExtensionConfig each : configs) {
      if (!each.settings().isEmpty()) {
        checkSettings(each.settings(), grants.settings(), section);
      }
      all.add(each.remote().isPresent() ? each : each.granted(grants));
    }
    return new JarExtensions(all, files);
  }

  private static void checkSettings(String schema, String json, String section)
      throws PluginRefusedException {
    try {
      Optional<String> problem = SchemaCheck.of("settings in " + section, schema).problem(json);
      require(problem.isEmpty(), problem.orElse(""));
    } catch (RegistrationRefusedException e) {
      throw new PluginRefusedException(String.valueOf(e.getMessage()));
    }
  }

  List<String> ids() {
    return configs.stream().map(ExtensionConfig::id).toList();
  }

  private static String text(JarFile jar, ZipEntry entry)
      throws IOException, PluginRefusedException {
    try (InputStream in = jar.getInputStream(entry)) {
      byte[] bytes = in.readNBytes(BYTES_MAX + 1);
      require(bytes.length <= BYTES_MAX, NAME + " is larger than 1 MiB");
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private static List<ExtensionConfig> configs(String text, Map<String, String> known)
      throws PluginRefusedException {
    LoadedConfig loaded = ConfigFile.foreign(NAME, text, known);
    try {
      return loaded.make(JarExtensions::configs);
    } catch (ConfigException e) {
      throw new PluginRefusedException(
          e.problems().stream()
              .limit(PROBLEMS_MAX)
              .map(problem -> PluginManifest.printable(problem.toString()))
              .collect(Collectors.joining("; ")));
    }
  }

  private static List<ExtensionConfig> configs(Section root) {
    return root.has("extensions")
        ? ExtensionConfig.listFrom(root)
        : List.of(ExtensionConfig.from(root));
  }

  private static void checkVariables(ExtensionConfig config, PluginManifest manifest)
      throws PluginRefusedException {
    for (String name : config.environment()) {
      require(
          manifest.mayRead(name),
          ("the extension %s asks for the variable %s, which the manifest names neither in"
                  + " Holdfast-Requires-Env nor in Holdfast-Optional-Env or Holdfast-Secret-Env")
              .formatted(config.id(), name));
    }
  }

  private static void require(boolean isSo, String problem) throws PluginRefusedException {
    if (!isSo) {
      throw new PluginRefusedException(problem);
    }
  }
}
