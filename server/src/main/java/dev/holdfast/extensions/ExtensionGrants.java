package dev.holdfast.extensions;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.processes.ChildEnvironment;
import dev.holdfast.processes.GrantedFolder;
import java.util.List;
import java.util.Set;

/**
 * What an operator gives to the extensions of a plugin, in its section: a jar cannot ask for it.
 *
 * @param environment names of variables
 * @param secretEnvironment of more variables, whose values are hidden whatever they are called
 * @param settings the rest of the section, as one JSON object
 */
public record ExtensionGrants(
    List<GrantedFolder> folders,
    List<String> environment,
    Set<String> secretEnvironment,
    String settings) {
  private static final int VARIABLES_MAX = 64;

  public ExtensionGrants {
    folders = List.copyOf(folders);
    environment = List.copyOf(environment);
    secretEnvironment = Set.copyOf(secretEnvironment);
    check("env", environment);
    check("secret_env", List.copyOf(secretEnvironment));
  }

  private static void check(String key, List<String> names) {
    Check.that(names.size() <= VARIABLES_MAX, key, "must name at most %d".formatted(VARIABLES_MAX));
    for (String name : names) {
      Check.that(
          ChildEnvironment.isAllowed(name),
          key,
          "names " + name + ", which no child is given: it would change what a program runs");
    }
  }

  /** Of the section of a plugin, without what is left over in it. */
  public static ExtensionGrants from(Section plugin) {
    return new ExtensionGrants(
        ExtensionConfig.folders(plugin),
        plugin.texts("env", List.of()),
        Set.copyOf(plugin.texts("secret_env", List.of())),
        "{}");
  }

  /** The same with these settings. */
  public ExtensionGrants with(String json) {
    return new ExtensionGrants(folders, environment, secretEnvironment, json);
  }
}
