package dev.holdfast;

import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.EnvFile;
import dev.holdfast.config.LastGoodConfig;
import dev.holdfast.config.LoadedConfig;
import dev.holdfast.config.Secret;
import dev.holdfast.health.SdNotify;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Starts real servers in this process, on one data folder. */
final class ServerRunner {
  static final String TOKEN = "operator-token-0123456789";
  static final Time TIME = new SystemTime(); // whole servers
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final Path data;
  private final String yaml;

  /** {@code yaml}: free ports unless it says otherwise. */
  ServerRunner(Path folder, String yaml) throws Exception {
    this.data = Files.createDirectories(folder.resolve("data")).toRealPath();
    this.yaml = yaml;
  }

  Path data() {
    return data;
  }

  Server start(Opened opened) throws Exception {
    LoadedConfig loaded = ConfigFile.text("test", yaml, Map.of());
    ServerConfig config = loaded.make(root -> ServerConfig.from(root, Map.of()));
    Settings settings =
        new Settings(
            new LastGoodConfig.Chosen<>(config, loaded, List.of()),
            data.resolveSibling("holdfast.yaml"),
            data,
            new Secret(TOKEN),
            new EnvFile(data.resolveSibling("holdfast.env"), Map.of()));
    TemporaryFolder.in(data).empty();
    return Server.start(settings, TIME, SdNotify.from(Map.of()), opened);
  }

  static HttpResponse<String> get(Server server, String path) throws Exception {
    return send(HttpRequest.newBuilder(uri(server, path)));
  }

  static HttpResponse<String> post(Server server, String path, String body) throws Exception {
    return send(
        HttpRequest.newBuilder(uri(server, path))
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(
        request.header("authorization", "Bearer " + TOKEN).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static URI uri(Server server, String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }
}
