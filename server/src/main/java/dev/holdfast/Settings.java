package dev.holdfast;

import dev.holdfast.config.EnvFile;
import dev.holdfast.config.LastGoodConfig;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Secrets;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.ingress.api.ApiConfig;
import dev.holdfast.ingress.login.TokenConfig;
import dev.holdfast.ingress.wire.Scope;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a server is started with.
 *
 * @param file holdfast.yaml; it may be missing
 * @param token opens everything: from the environment or from {@code data/token}
 */
record Settings(
    LastGoodConfig.Chosen<ServerConfig> chosen,
    Path file,
    Path dataDir,
    Secret token,
    EnvFile envFile) {

  /** What is set now. */
  Map<String, String> environment() {
    return envFile.now();
  }

  ServerConfig config() {
    return chosen.config();
  }

  Secrets secrets() {
    return chosen.loaded().secrets();
  }

  /**
   * What no tool may reach: the configuration, the variables that are in force, and what usually
   * stands beside a configuration to fill the server's environment.
   */
  void hideOwnFiles() {
    Path own = file.toAbsolutePath();
    secrets().addFile(own);
    secrets().addFile(envFile.file());
    for (String name : List.of("holdfast.env", "secrets.env", ".env")) {
      secrets().addFile(own.resolveSibling(name));
    }
  }

  /** Why the server runs with less than the file says; empty when it does not. */
  Optional<ConditionReport> condition() {
    return chosen.isDegraded()
        ? Optional.of(
            ConditionReport.degraded(
                "last_good_in_force",
                "The server is " + chosen.warning() + ". Correct the file; the server notices it.",
                "Ends when the file is valid."))
        : Optional.empty();
  }

  /** The server's own token, which opens everything. */
  static TokenConfig operator(Secret token) {
    return new TokenConfig(ApiConfig.OPERATOR, token, Scope.ADMIN);
  }

  static String version() {
    String version = Settings.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
