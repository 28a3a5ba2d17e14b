package dev.holdfast;

import dev.holdfast.config.LastGood;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Secrets;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a server is started with.
 *
 * @param file holdfast.yaml; it may be missing
 * @param token opens everything: from the environment or from {@code data/token}
 */
record Settings(
    LastGood.Chosen<ServerConfig> chosen,
    Path file,
    Path dataDir,
    Secret token,
    Map<String, String> environment) {

  ServerConfig config() {
    return chosen.config();
  }

  Secrets secrets() {
    return chosen.loaded().secrets();
  }

  /** Why the server runs with less than the file says; empty when it does not. */
  String warning() {
    return chosen.warning();
  }

  static String version() {
    String version = Settings.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
