package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.EnvFile;
import dev.holdfast.config.LoadedConfig;
import dev.holdfast.net.LocalUrl;
import dev.holdfast.store.DataFolder;
import dev.holdfast.store.LockHolder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The options that every command has, and what follows from them. */
@Command(
    name = "holdfast",
    description = "A chat-agent server that answers or accounts for every message it accepts.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Exit codes: 0 done; 1 the command worked but found a problem; 3 out of memory;",
      "64 usage; 65 data damaged; 70 gave up; 73 already running; 74 I/O, or no server responds;",
      "78 configuration.",
      "",
      "Examples:",
      "  holdfast run                        start a server with conf/holdfast.yaml",
      "  holdfast chat                       talk to it",
      "  holdfast chat 'What is a durable queue?'",
      "  holdfast status --json",
      "  holdfast dlq replay --all --older-than 2h --dry-run"
    })
final class RootCommand implements Callable<Integer> {
  static final Path CONFIG = Path.of("conf", "holdfast.yaml");

  /** What a header can carry. */
  private static final Pattern TOKEN = Pattern.compile("[!-~]([\t -~]*[!-~])?");

  final CliEnvironment environment;

  @Spec @Nullable CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "The configuration. Default: HOLDFAST_CONFIG, or conf/holdfast.yaml, if it exists.")
  @Nullable Path config;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      scope = ScopeType.INHERIT,
      description =
          "The data folder. Default: server.data_dir of the configuration, or HOLDFAST_DATA.")
  @Nullable Path data;

  @Option(
      names = "--url",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = "Where the server listens. Default: HOLDFAST_URL, or http.host and http.port.")
  String url = "";

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      scope = ScopeType.INHERIT,
      description =
          "The API token; other users can see it on the command line. Default: HOLDFAST_TOKEN, or"
              + " the file token in the data folder.")
  String token = "";

  @Option(names = "--json", scope = ScopeType.INHERIT, description = "Print JSON for programs.")
  boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help and exit.")
  boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Print the version and exit.")
  boolean version;

  private @Nullable LoadedConfig loaded;
  private @Nullable Map<String, String> variables;

  RootCommand(CliEnvironment environment) {
    this.environment = environment;
    this.config = namedConfig(environment.variables());
  }

  /** The file that an installed command uses when it is told no other. */
  static @Nullable Path namedConfig(Map<String, String> variables) {
    String named = variables.getOrDefault("HOLDFAST_CONFIG", "");
    return named.isEmpty() ? null : Path.of(named);
  }

  @Override
  public Integer call() throws CliException {
    if (json) {
      throw new CliException(ExitCode.USAGE, "missing command: see holdfast --help");
    }
    if (spec != null) {
      spec.commandLine().usage(environment.terminal().err(), CommandLine.Help.Ansi.OFF);
    }
    return ExitCode.USAGE;
  }

  Terminal terminal() {
    return environment.terminal();
  }

  Path configFile() {
    return config == null ? CONFIG : config;
  }

  /** The configuration as it is in the file, for single values; it may have problems. */
  LoadedConfig configuration() {
    if (loaded == null) {
      Path file = environment.folder().resolve(configFile());
      loaded =
          config == null
              ? ConfigFile.read(file, variables())
              : ConfigFile.readExisting(file, variables());
    }
    return loaded;
  }

  /** The variables that a server with this configuration has; a file of variables may give them. */
  Map<String, String> variables() {
    if (variables == null) {
      Path file = environment.folder().resolve(configFile());
      EnvFile envFile = EnvFile.beside(file, environment.variables());
      variables = envFile.now();
      envFile.problems().forEach(problem -> terminal().note(VisibleText.line(problem)));
    }
    return variables;
  }

  /** What was set for this very command goes before what is set for the server; maybe empty. */
  private String variable(String name) {
    String own = environment.variables().getOrDefault(name, "").strip();
    return own.isEmpty() ? variables().getOrDefault(name, "").strip() : own;
  }

  /**
   * For commands that take single values of the configuration: those of a file that is not there
   * would be the defaults, and mean another server.
   */
  void requireConfigFile() throws CliException {
    if (config != null && !Files.exists(environment.folder().resolve(config))) {
      throw new CliException(
          ExitCode.CONFIG,
          config
              + " does not exist: is --config (or HOLDFAST_CONFIG) right? Leave it out for "
              + CONFIG);
    }
  }

  /**
   * The variables that the server would be started with.
   *
   * @throws CliException when the configuration that is named does not exist
   */
  EnvFile envFile() throws CliException {
    requireConfigFile();
    return EnvFile.beside(environment.folder().resolve(configFile()), environment.variables());
  }

  Path dataFolder() {
    Path folder = data != null ? data : Path.of(configuredDataFolder());
    return environment.folder().resolve(folder);
  }

  private String configuredDataFolder() {
    return configuration()
        .peek("server", "data_dir")
        .orElse(DataFolder.defaultFolder(environment.variables()));
  }

  String host(String section) {
    return configuration().peek(section, "host").orElse("127.0.0.1");
  }

  int port(String section, int fallback) {
    String port = configuration().peek(section, "port").orElse("");
    return port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : fallback;
  }

  URI serverUrl() throws CliException {
    String given = url.isEmpty() ? variable("HOLDFAST_URL") : url;
    String text = given.isEmpty() ? localUrl() : given.contains("://") ? given : "http://" + given;
    try {
      URI uri = URI.create(text.endsWith("/") ? text : text + "/");
      if (uri.getHost() != null && uri.getScheme().startsWith("http")) {
        return uri;
      }
    } catch (IllegalArgumentException _) {
      // Said below.
    }
    throw new CliException(
        ExitCode.USAGE, text + " is not a server address: write http://HOST:PORT");
  }

  private String localUrl() {
    return LocalUrl.of(host("http"), port("http", 8080));
  }

  ApiClient api() throws CliException {
    requireConfigFile();
    return new ApiClient(serverUrl(), tokenOrEmpty());
  }

  private String tokenOrEmpty() throws CliException {
    if (!token.isEmpty()) {
      return checked(token.strip(), "--token", ExitCode.USAGE);
    }
    // A secret that is mounted as a file ends with the end of a line.
    String fromEnvironment = variable("HOLDFAST_TOKEN");
    if (!fromEnvironment.isEmpty()) {
      return checked(fromEnvironment, "HOLDFAST_TOKEN", ExitCode.CONFIG);
    }
    Path file = dataFolder().resolve("token");
    try {
      String kept = Files.readString(file).strip();
      return kept.isEmpty() ? "" : checked(kept, file.toString(), ExitCode.CONFIG);
    } catch (NoSuchFileException _) {
      return "";
    } catch (IOException _) {
      throw new CliException(
          ExitCode.IO,
          file
              + " cannot be read: use the account that runs the server, or give --token or"
              + " HOLDFAST_TOKEN");
    }
  }

  /** Says of a wrong token where it comes from, and nothing of what it is. */
  private static String checked(String token, String source, int exitCode) throws CliException {
    if (!TOKEN.matcher(token).matches()) {
      throw new CliException(
          exitCode,
          source + " holds no token: one is of letters, digits and signs of ASCII, in one line");
    }
    return token;
  }

  /** A text of which nobody knows what is in it, without the token. */
  String withoutToken(String text) {
    String hidden = text;
    for (String secret : secrets()) {
      if (!secret.isBlank()) {
        hidden = hidden.replace(secret, "***").replace(secret.strip(), "***");
      }
    }
    return hidden;
  }

  private List<String> secrets() {
    String own = environment.variables().getOrDefault("HOLDFAST_TOKEN", "");
    return variables == null
        ? List.of(token, own)
        : List.of(token, own, variables.getOrDefault("HOLDFAST_TOKEN", ""));
  }

  /** One question to the server. */
  interface Question<T> {
    T ask(ApiClient api)
        throws ApiClient.UnavailableException,
            ApiClient.RefusedException,
            CliException,
            InterruptedException;
  }

  /** Asks, and turns what can go wrong into a sentence and an exit code. */
  <T> T ask(Question<T> question) throws CliException, InterruptedException {
    return ask(question, "");
  }

  /** As the other. {@code whenUnknown}: what to do when there is nothing of that name. */
  <T> T ask(Question<T> question, String whenUnknown) throws CliException, InterruptedException {
    ApiClient api = api();
    try {
      return question.ask(api);
    } catch (ApiClient.UnavailableException e) {
      throw new CliException(ExitCode.IO, noServer(api.base(), String.valueOf(e.getMessage())));
    } catch (ApiClient.RefusedException e) {
      CliException refused = refused(e);
      throw e.status() == 404 && !whenUnknown.isEmpty()
          ? new CliException(ExitCode.NOT_GOOD, refused.getMessage() + ": " + whenUnknown)
          : refused;
    }
  }

  static CliException refused(ApiClient.RefusedException e) {
    return switch (e.status()) {
      case 401 ->
          new CliException(
              ExitCode.NOT_GOOD,
              "the server does not accept the token: give --token, HOLDFAST_TOKEN, or --data with"
                  + " the server's data folder");
      case 403 ->
          new CliException(ExitCode.NOT_GOOD, "the token may not do this: " + e.getMessage());
      default -> new CliException(ExitCode.NOT_GOOD, "the server refused: " + e.getMessage());
    };
  }

  private String noServer(URI base, String reason) {
    Optional<Long> holder = LockHolder.find(dataFolder());
    if (holder.isPresent()) {
      return ("process %d holds %s, but no server responds at %s (%s): it may still be starting, or"
              + " listen elsewhere (--url)")
          .formatted(holder.get(), dataFolder(), base, reason);
    }
    return "no server is running at %s (%s). Start one with: holdfast run".formatted(base, reason);
  }

  /** Prints the server's own JSON. */
  void print(JsonNode answer) {
    terminal().line(CliJson.pretty(answer));
  }
}
