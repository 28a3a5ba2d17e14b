package dev.holdfast.plugins;

import dev.holdfast.config.NearestName;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.regex.Pattern;

/**
 * What a jar says about itself, known before any class of it is loaded.
 *
 * @param className of the {@code Plugin}; empty for a jar that offers no Java
 * @param requires the range of server versions; empty for any
 * @param variables of each group one must be set
 * @param optionalVariables that it may read besides
 * @param secretVariables that it may read besides, and whose values are hidden
 * @param programs of each group one must be found
 * @param systems names of operating systems, of which one must be this machine's; empty for any
 * @param sections of the configuration that must be there
 * @param uses what it says it does, for example {@code network}; shown and not enforced
 */
record PluginManifest(
    String id,
    String version,
    String className,
    String description,
    String requires,
    List<List<String>> variables,
    Set<String> optionalVariables,
    Set<String> secretVariables,
    List<List<String>> programs,
    List<String> systems,
    List<String> sections,
    List<String> uses) {
  /** The version of plugin-api that this server speaks. */
  static final int API = 1;

  static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,63}");
  private static final Pattern VERSION =
      Pattern.compile(
          "\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}(-[0-9A-Za-z.-]{1,64})?(\\+[0-9A-Za-z.-]{1,64})?");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
  private static final Set<String> RESERVED =
      Set.of("agent", "core", "holdfast", "web", "webhook", "trust", "signers", "disabled");
  private static final int DESCRIPTION_MAX = 512;
  private static final String PREFIX = "Holdfast-";
  private static final String API_KEY = PREFIX + "Api";
  private static final String VARIABLES = PREFIX + "Requires-Env";
  private static final String OPTIONAL = PREFIX + "Optional-Env";
  private static final String SECRET = PREFIX + "Secret-Env";
  private static final String PROGRAMS = PREFIX + "Requires-Bins";
  private static final String SYSTEMS = PREFIX + "Requires-Os";
  private static final String SECTIONS = PREFIX + "Requires-Config";
  private static final String USES = PREFIX + "Uses";
  private static final Set<String> KNOWN =
      new TreeSet<>(
          Set.of(API_KEY, VARIABLES, OPTIONAL, SECRET, PROGRAMS, SYSTEMS, SECTIONS, USES));

  static PluginManifest of(Manifest manifest) throws PluginRefusedException {
    Attributes main = manifest.getMainAttributes();
    refuseUnknown(main);
    String id = text(main, "Plugin-Id");
    require(
        problemWithId(id).isEmpty(),
        "Plugin-Id must be of lower-case letters, digits and hyphens, at most 64, with a letter"
            + " first, and none of "
            + String.join(", ", new TreeSet<>(RESERVED)));
    String version = text(main, "Plugin-Version");
    require(VERSION.matcher(version).matches(), "Plugin-Version must be a version such as 1.4.0");
    require(
        text(main, "Plugin-Dependencies").isEmpty(),
        "Plugin-Dependencies is not supported: put what it needs into the jar");
    String api = text(main, API_KEY);
    require(!api.isEmpty(), API_KEY + " is missing; write " + API_KEY + ": " + API);
    require(
        api.equals(Integer.toString(API)),
        "it is made for version %s of the plugin API, and this server has version %s"
            .formatted(printable(api), API));
    String description = text(main, "Plugin-Description");
    require(
        description.length() <= DESCRIPTION_MAX,
        "Plugin-Description has more than " + DESCRIPTION_MAX + " characters");
    return new PluginManifest(
        id,
        version,
        text(main, "Plugin-Class"),
        printable(description),
        text(main, "Plugin-Requires"),
        variables(main, VARIABLES),
        Set.copyOf(names(main, OPTIONAL)),
        Set.copyOf(names(main, SECRET)),
        groups(main, PROGRAMS),
        list(main, SYSTEMS),
        list(main, SECTIONS),
        list(main, USES));
  }

  /** Why no plugin may be called so; empty when one may. */
  static Optional<String> problemWithId(String id) {
    if (RESERVED.contains(id)) {
      return Optional.of("the server itself uses that name; choose another one");
    }
    if (ID.matcher(id).matches()) {
      return Optional.empty();
    }
    String form = "use lower-case letters, digits and hyphens, 64 at most, with a letter first";
    return Optional.of(
        id.matches("[a-z0-9-]{1,64}") ? "it must begin with a lower-case letter" : form);
  }

  /** Names of all variables that it may read. */
  Set<String> readable() {
    Set<String> all = new TreeSet<>(optionalVariables);
    all.addAll(secretVariables);
    variables.forEach(all::addAll);
    return all;
  }

  /** Whether it may read that variable. */
  boolean mayRead(String variable) {
    return optionalVariables.contains(variable) || isSecret(variable);
  }

  /**
   * Whether the value of a variable that it may read is hidden: of a required one, unless it stands
   * among the optional ones too.
   */
  boolean isSecret(String variable) {
    return secretVariables.contains(variable)
        || (!optionalVariables.contains(variable)
            && variables.stream().anyMatch(group -> group.contains(variable)));
  }

  /** A version that is still being made: its content may change. */
  boolean isSnapshot() {
    return version.endsWith("-SNAPSHOT");
  }

  private static void refuseUnknown(Attributes main) throws PluginRefusedException {
    for (Object key : main.keySet()) {
      String name = key.toString();
      if (name.regionMatches(true, 0, PREFIX, 0, PREFIX.length())
          && KNOWN.stream().noneMatch(name::equalsIgnoreCase)) {
        Optional<String> nearest = NearestName.nearest(name, KNOWN);
        throw new PluginRefusedException(
            "the manifest has the unknown attribute "
                + printable(name)
                + nearest.map(other -> "; did you mean " + other + "?").orElse(""));
      }
    }
  }

  private static String text(Attributes main, String key) {
    String value = main.getValue(key);
    return value == null ? "" : value.strip();
  }

  private static List<String> list(Attributes main, String key) {
    return Arrays.stream(text(main, key).split(","))
        .map(String::strip)
        .filter(item -> !item.isEmpty())
        .toList();
  }

  private static List<List<String>> groups(Attributes main, String key) {
    return list(main, key).stream()
        .map(
            group ->
                Arrays.stream(group.split("\\|"))
                    .map(String::strip)
                    .filter(item -> !item.isEmpty())
                    .toList())
        .filter(group -> !group.isEmpty())
        .toList();
  }

  private static List<List<String>> variables(Attributes main, String key)
      throws PluginRefusedException {
    List<List<String>> groups = groups(main, key);
    for (List<String> group : groups) {
      checkVariables(key, group);
    }
    return groups;
  }

  private static List<String> names(Attributes main, String key) throws PluginRefusedException {
    List<String> names = list(main, key);
    checkVariables(key, names);
    return names;
  }

  private static void checkVariables(String key, List<String> names) throws PluginRefusedException {
    for (String name : names) {
      require(
          VARIABLE.matcher(name).matches(),
          key + " must list names of variables, got " + printable(name));
    }
  }

  private static void require(boolean isSo, String problem) throws PluginRefusedException {
    if (!isSo) {
      throw new PluginRefusedException(problem);
    }
  }

  /** Of a stranger's text what a log and a terminal can show. */
  static String printable(String text) {
    return text.replaceAll("\\p{C}", "?");
  }
}
