package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A Caddy or an nginx as a plain child process on loopback, which takes TLS for {@link #HOST}, and
 * curl as its client. Closing it ends it and deletes its folder.
 */
final class ReverseProxy implements AutoCloseable {
  static final String HOST = "bot.example.org";
  private static final Duration START = Duration.ofSeconds(20);

  private final Path folder;
  private final Path authority;
  private final int port;
  private final Process process;

  private ReverseProxy(Path folder, Path authority, int port, Process process) {
    this.folder = folder;
    this.authority = authority;
    this.port = port;
    this.process = process;
  }

  static int freePort(Path folder) {
    return new Setup(folder).httpPort();
  }

  /** {@code config}: a site of a Caddyfile. Caddy signs the certificate itself. */
  static ReverseProxy caddy(String config, Path parent, int port) throws IOException {
    Commands.assumePresent("caddy");
    Path folder = Files.createTempDirectory(parent, "caddy");
    Path file =
        Files.writeString(
            folder.resolve("Caddyfile"),
            """
            {
            	admin off
            	local_certs
            	skip_install_trust
            	auto_https disable_redirects
            	https_port %d
            	storage file_system %s
            }
            """
                    .formatted(port, folder)
                + config);
    Path authority = folder.resolve("pki/authorities/local/root.crt");
    return start(
        List.of("caddy", "run", "--adapter", "caddyfile", "--config", file.toString()),
        folder,
        authority,
        port);
  }

  /** {@code config}: a file of conf.d. */
  static ReverseProxy nginx(String config, Path parent, int port) throws IOException {
    Commands.assumePresent("nginx");
    Commands.assumePresent("openssl");
    Path folder = Files.createTempDirectory(parent, "nginx");
    Path certificate = folder.resolve("fullchain.pem");
    String _ =
        Commands.run(
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=" + HOST,
            "-addext",
            "subjectAltName=DNS:" + HOST,
            "-keyout",
            folder.resolve("privkey.pem").toString(),
            "-out",
            certificate.toString());
    String local =
        config
            .replace("/etc/letsencrypt/live/" + HOST, folder.toString())
            .replace("listen 443 ", "listen 127.0.0.1:" + port + " ")
            .replace("listen 80;", "listen 127.0.0.1:" + freePort(folder) + ";");
    Path site = Files.writeString(folder.resolve("holdfast.conf"), local);
    Path file =
        Files.writeString(
            folder.resolve("nginx.conf"),
            """
            daemon off;
            master_process off;
            pid %1$s/pid;
            error_log stderr;
            events {}
            http {
                access_log off;
                client_body_temp_path %1$s/body;
                proxy_temp_path %1$s/proxy;
                fastcgi_temp_path %1$s/fastcgi;
                uwsgi_temp_path %1$s/uwsgi;
                scgi_temp_path %1$s/scgi;
                include %2$s;
            }
            """
                .formatted(folder, site));
    return start(
        List.of("nginx", "-p", folder.toString(), "-e", "stderr", "-c", file.toString()),
        folder,
        certificate,
        port);
  }

  private static ReverseProxy start(List<String> command, Path folder, Path authority, int port)
      throws IOException {
    Path log = folder.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("HOME", folder.toString());
    ReverseProxy proxy = new ReverseProxy(folder, authority, port, builder.start());
    try {
      Await.until(
          "it serves, see " + log,
          START,
          () -> {
            assertThat(proxy.process.isAlive()).as(Files.readString(log)).isTrue();
            return Files.exists(authority) && proxy.status("/live") == 404;
          });
    } catch (AssertionError e) {
      proxy.close();
      throw e;
    }
    return proxy;
  }

  /** Returns what curl prints, whatever the status is. */
  String curl(String path, List<String> options) throws IOException, InterruptedException {
    Process curl = command(path, options).redirectErrorStream(true).start();
    String said = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (curl.waitFor() != 0) {
      throw new IOException("curl " + path + " ended with " + curl.exitValue() + ": " + said);
    }
    return said;
  }

  int status(String path, String... options) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-o", "/dev/null", "-w", "%{http_code}"));
    all.addAll(List.of(options));
    return Integer.parseInt(curl(path, all).strip());
  }

  int post(String path, Map<String, String> headers, String body)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(List.of("--data-raw", body));
    headers.forEach((name, value) -> options.addAll(List.of("-H", name + ": " + value)));
    return status(path, options.toArray(String[]::new));
  }

  /** Writes into the file what comes, as it comes, until the process is ended. */
  Process follow(String path, Path file, String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("--no-buffer", "--max-time", "60"));
    all.addAll(List.of(options));
    Files.deleteIfExists(file);
    return command(path, all).redirectOutput(file.toFile()).start();
  }

  private ProcessBuilder command(String path, List<String> options) {
    List<String> command = new ArrayList<>(List.of("curl", "-sS", "--max-time", "20"));
    command.addAll(List.of("--cacert", authority.toString()));
    command.addAll(List.of("--resolve", HOST + ":" + port + ":127.0.0.1"));
    command.addAll(options);
    command.add("https://" + HOST + ":" + port + path);
    return new ProcessBuilder(command);
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
    ServerRig.delete(folder);
  }
}
