package dev.holdfast.browser;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PluginContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The process of the browser, started when it is needed and again when it has died. It ends when
 * the pipe that it is controlled by is closed: with the plugin, and with the server, however that
 * ends. Thread-safe.
 */
final class Chromium {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");
  private static final int END_SECONDS = 3;

  /** The protocol is spoken on the descriptors 3 and 4. */
  private static final String PIPES = "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

  private final PluginContext context;
  private final int proxyPort;
  private final boolean withoutSandbox;
  private @Nullable Process process;
  private @Nullable Path profile;
  private volatile @Nullable DevTools tools;
  private boolean closed;

  /**
   * @param withoutSandbox of its own; it has none as root
   */
  Chromium(PluginContext context, int proxyPort, boolean withoutSandbox) {
    this.context = context;
    this.proxyPort = proxyPort;
    this.withoutSandbox = withoutSandbox;
  }

  /** The browser that runs, or a new one. Blocks while it starts. */
  synchronized DevTools tools() throws CallFailedException, InterruptedException {
    DevTools running = tools;
    if (running != null && running.isOpen()) {
      return running;
    }
    if (closed) {
      throw new CallFailedException(Failure.of(FailureCode.OVERLOADED, "the plugin is stopping"));
    }
    end();
    try {
      Path folder = Profiles.make(context.stateFolder());
      profile = folder;
      Process started = start(folder);
      DevTools made =
          new DevTools(started.getInputStream(), started.getOutputStream(), this::happened);
      process = started;
      tools = made;
      PluginContext.Background _ = context.run("chromium", made::read);
      Map<String, Object> version = made.call("", "Browser.getVersion", Map.of());
      made.tell("", "Browser.setDownloadBehavior", Map.of("behavior", "deny"));
      context.logger().log(System.Logger.Level.INFO, "{0} runs", JsonText.text(version, "product"));
      return made;
    } catch (IOException e) {
      throw new CallFailedException(
          Failure.of(FailureCode.IO, "the browser cannot be started: " + e.getMessage()), e);
    }
  }

  /** A question that the page asks blocks it until it is answered. */
  private void happened(String session, String method) {
    DevTools running = tools;
    if (method.equals("Page.javascriptDialogOpening") && running != null) {
      running.tell(session, "Page.handleJavaScriptDialog", Map.of("accept", false));
    }
  }

  private Process start(Path folder) throws IOException, CallFailedException {
    String path = context.secret("PATH").orElse("/usr/bin:/bin");
    List<String> command = new ArrayList<>(List.of("sh", "-c", PIPES, "chromium"));
    command.add(program(path));
    command.addAll(
        List.of(
            "--headless=new",
            "--remote-debugging-pipe",
            "--user-data-dir=" + folder,
            "--proxy-server=http://127.0.0.1:" + proxyPort,
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--disable-quic",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-domain-reliability",
            "--disable-sync",
            "--disable-extensions",
            "--disable-default-apps",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--mute-audio",
            "--no-first-run",
            "--no-pings",
            "--password-store=basic",
            "--window-size=1280,900"));
    if (withoutSandbox) {
      command.add("--no-sandbox");
    }
    command.add("about:blank");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().put("PATH", path);
    builder.environment().put("HOME", folder.toString());
    builder.environment().put("LANG", context.secret("LANG").orElse("C.UTF-8"));
    return builder.start();
  }

  private static String program(String path) throws CallFailedException {
    for (String name : NAMES) {
      for (String folder : path.split(":", -1)) {
        Path file = Path.of(folder, name);
        if (file.isAbsolute() && Files.isExecutable(file)) {
          return file.toString();
        }
      }
    }
    throw new CallFailedException(
        Failure.of(FailureCode.IO, "there is no Chromium on PATH").as(FailureKind.PERMANENT));
  }

  private void end() throws InterruptedException {
    DevTools running = tools;
    Process old = process;
    tools = null;
    process = null;
    if (running != null) {
      running.close();
    }
    if (old != null && !old.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      old.descendants().forEach(ProcessHandle::destroyForcibly);
      old.destroyForcibly().waitFor();
    }
    Path folder = profile;
    profile = null;
    if (folder != null) {
      Profiles.delete(folder);
    }
  }

  /** Ends it for good. Blocks for some seconds at most. */
  public synchronized void close() throws InterruptedException {
    closed = true;
    end();
  }
}
