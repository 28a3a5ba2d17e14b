package dev.holdfast.plugins;

import dev.holdfast.config.LoadedConfig;
import dev.holdfast.processes.GateCondition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a jar says about itself and what it would need here, without a server and with no class of
 * it loaded.
 *
 * @param signer of all of the jar; empty when there is no such one
 * @param extensions ids of those that it declares
 * @param uses what it says it does
 */
public record PluginCheck(
    String id,
    String version,
    String description,
    String className,
    String sha256,
    String signer,
    List<String> extensions,
    List<String> uses,
    List<GateCondition> conditions) {

  /** Why no plugin may be called so; empty when one may. */
  public static Optional<String> problemWithId(String id) {
    return PluginManifest.problemWithId(id);
  }

  /**
   * Looks at a jar.
   *
   * @param environment what is set
   * @param envFile where a variable can be set
   * @throws PluginRefusedException when no server would load it
   * @throws IOException when it cannot be read
   */
  public static PluginCheck of(
      Path jar,
      LoadedConfig config,
      Map<String, String> environment,
      Path envFile,
      String serverVersion)
      throws IOException, PluginRefusedException {
    PluginJar read = PluginJar.read(jar);
    PluginManifest manifest = read.manifest();
    PluginClasses.check(jar, manifest);
    JarExtensions extensions = JarExtensions.read(jar, manifest, filled(manifest, environment));
    Gate gate =
        new Gate(
            environment,
            envFile,
            serverVersion,
            section -> config.part(environment, section.split("\\.")).section().isPresent());
    return new PluginCheck(
        manifest.id(),
        manifest.version(),
        manifest.description(),
        manifest.className(),
        read.sha256(),
        read.signer(),
        extensions.ids(),
        manifest.uses(),
        gate.judge(manifest));
  }

  /** Variables that are missing are the gate's business: what they are used for is checked. */
  private static Map<String, String> filled(
      PluginManifest manifest, Map<String, String> environment) {
    Map<String, String> all = new TreeMap<>(environment);
    manifest.readable().forEach(name -> all.putIfAbsent(name, ""));
    return all;
  }
}
