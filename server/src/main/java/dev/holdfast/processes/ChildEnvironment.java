package dev.holdfast.processes;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The environment of a child, built up from nothing: the server's own holds secrets. Variables that
 * make a program load or run something else than what was asked for are left out, whoever names
 * them.
 */
public final class ChildEnvironment {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private static final Set<String> DENIED =
      Set.of(
          "BASH_ENV",
          "ENV",
          "SHELLOPTS",
          "BASHOPTS",
          "PS4",
          "PROMPT_COMMAND",
          "IFS",
          "CDPATH",
          "GLOBIGNORE",
          "PATH",
          "NODE_OPTIONS",
          "NODE_PATH",
          "NODE_EXTRA_CA_CERTS",
          "ELECTRON_RUN_AS_NODE",
          "JAVA_TOOL_OPTIONS",
          "JDK_JAVA_OPTIONS",
          "_JAVA_OPTIONS",
          "JAVA_OPTIONS",
          "CLASSPATH",
          "MAVEN_OPTS",
          "GRADLE_OPTS",
          "RUBYOPT",
          "RUBYLIB",
          "GCONV_PATH",
          "LOCPATH",
          "NLSPATH",
          "HOSTALIASES",
          "RES_OPTIONS",
          "GLIBC_TUNABLES",
          "OPENSSL_CONF",
          "OPENSSL_ENGINES",
          "SSLKEYLOGFILE",
          "PHPRC",
          "PHP_INI_SCAN_DIR",
          "DOTNET_STARTUP_HOOKS",
          "LESSOPEN",
          "LESSCLOSE",
          "PAGER",
          "EDITOR",
          "VISUAL",
          "BROWSER",
          "LUA_INIT",
          "LUA_PATH",
          "LUA_CPATH",
          "R_PROFILE",
          "R_ENVIRON",
          "TERMINFO",
          "TERMCAP");

  private static final Set<String> DENIED_BEGINNINGS =
      Set.of(
          "LD_",
          "DYLD_",
          "BASH_FUNC_",
          "PYTHON",
          "PERL",
          "GIT_",
          "MALLOC_",
          "NPM_CONFIG_",
          "CORECLR_",
          "COR_",
          "HOLDFAST_");

  private ChildEnvironment() {}

  /**
   * @param server the server's own, of which only the language and the zone are taken
   * @param home where the child may keep what programs keep in a home folder
   */
  static Map<String, String> of(
      Map<String, String> asked, Map<String, String> server, String searchPath, String home) {
    Map<String, String> environment = new TreeMap<>();
    environment.put("LANG", server.getOrDefault("LANG", "C.UTF-8"));
    if (server.containsKey("TZ")) {
      environment.put("TZ", server.getOrDefault("TZ", ""));
    }
    environment.put("HOME", home);
    asked.forEach(
        (name, value) -> {
          if (isAllowed(name) && value.indexOf('\0') < 0) {
            environment.put(name, value);
          }
        });
    environment.put("PATH", searchPath);
    return environment;
  }

  /** Whether a child may be given a variable of that name. */
  public static boolean isAllowed(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return NAME.matcher(name).matches()
        && !DENIED.contains(upper)
        && DENIED_BEGINNINGS.stream().noneMatch(upper::startsWith);
  }
}
