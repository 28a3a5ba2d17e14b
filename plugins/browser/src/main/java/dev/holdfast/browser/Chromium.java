package dev.holdfast.browser;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
final class Chromium implements Conversations.Browser {
  private static final int END_SECONDS = 3;
  private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
  private static final int RENDERERS_MAX = 8;

  private static final String VERSION = "Browser.getVersion";

  /** The protocol is spoken on the descriptors 3 and 4. */
  private static final String PIPES = "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

  private final PluginContext context;
  private final Launch launch;
  private volatile @Nullable Process process;
  private @Nullable Path profile;
  private volatile @Nullable DevTools tools;
  private boolean closed;

  /**
   * How it is started.
   *
   * @param path the variable PATH that it gets
   * @param withoutSandbox of its own; it has none as root
   * @param memoryMegabytes of all its processes together
   */
  record Launch(
      Path program, String path, int proxyPort, boolean withoutSandbox, int memoryMegabytes) {}

  Chromium(PluginContext context, Launch launch) {
    this.context = context;
    this.launch = launch;
  }

  /** The browser that runs, or a new one. Blocks while it starts. */
  @Override
  public synchronized DevTools tools() throws CallFailedException, InterruptedException {
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
      greet(made);
      return made;
    } catch (IOException e) {
      throw new CallFailedException(
          Failure.of(FailureCode.IO, "the browser cannot be started: " + e.getMessage()), e);
    }
  }

  private void greet(DevTools made) throws CallFailedException, InterruptedException {
    try {
      Map<String, Object> version = made.call("", VERSION, Map.of(), CONNECT_MAX);
      made.tell("", "Browser.setDownloadBehavior", Map.of("behavior", "deny"));
      context.logger().log(System.Logger.Level.INFO, "{0} runs", JsonText.text(version, "product"));
    } catch (CallFailedException e) {
      end();
      String why = launch.program() + " does not work as a browser: " + e.failure().message();
      throw new CallFailedException(Failure.of(e.failure().code(), why), e);
    }
  }

  /** Ends it when it holds too much memory: its commands fail, and the next use starts it anew. */
  void checkMemory() {
    Process running = process;
    DevTools made = tools;
    if (running == null || made == null || !made.isOpen()) {
      return;
    }
    if (ProcessMemory.ofTree(running.toHandle()) <= launch.memoryMegabytes() * 1024L) {
      return;
    }
    String why =
        "the browser held more than "
            + launch.memoryMegabytes()
            + " MB of memory and was ended, with all its pages: navigate again, to a smaller one";
    abort(made, running, why);
  }

  /** For when a command has timed out: ends the browser if it answers nothing at all. Blocks. */
  @Override
  public void checkAnswers() throws InterruptedException {
    Process running = process;
    DevTools made = tools;
    if (running == null || made == null || !made.isOpen()) {
      return;
    }
    try {
      Map<String, Object> _ = made.call("", VERSION, Map.of(), ANSWER_MAX);
    } catch (CallFailedException e) {
      if (e.failure().code() == FailureCode.TIMEOUT) {
        abort(
            made,
            running,
            "the browser did not answer and was ended, with all its pages: navigate again");
      }
    }
  }

  private void abort(DevTools made, Process running, String why) {
    context.logger().log(System.Logger.Level.WARNING, why);
    made.end(Failure.of(FailureCode.BACKEND_FAILURE, why).as(FailureKind.INVALID));
    kill(running);
  }

  private static void kill(Process process) {
    List<ProcessHandle> below = process.descendants().toList();
    process.destroyForcibly();
    below.forEach(ProcessHandle::destroyForcibly);
  }

  /** A question that the page asks blocks it until it is answered; a page may crash. */
  private void happened(String session, String method) {
    DevTools running = tools;
    if (running == null) {
      return;
    }
    switch (method) {
      case "Page.javascriptDialogOpening" ->
          running.tell(session, "Page.handleJavaScriptDialog", Map.of("accept", false));
      case "Inspector.targetCrashed" -> running.crashed(session);
      default -> {}
    }
  }

  private Process start(Path folder) throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", PIPES, "chromium"));
    command.add(launch.program().toString());
    command.addAll(
        List.of(
            "--headless=new",
            "--remote-debugging-pipe",
            "--user-data-dir=" + folder,
            "--proxy-server=http://127.0.0.1:" + launch.proxyPort(),
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            // The second is the name in older versions.
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
            // These ask the local network for names and screens, which a page can bring about.
            "--disable-features=WebRtcHideLocalIpsWithMdns,MediaRouter,DialMediaRouteProvider",
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
            "--window-size=" + Page.WIDTH + "," + Page.HEIGHT,
            "--renderer-process-limit=" + RENDERERS_MAX,
            "--js-flags=--max-old-space-size=" + launch.memoryMegabytes() / 2));
    if (launch.withoutSandbox()) {
      command.add("--no-sandbox");
    }
    command.add("about:blank");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    builder.environment().put("PATH", launch.path());
    builder.environment().put("HOME", folder.toString());
    builder.environment().put("LANG", context.secret("LANG").orElse("C.UTF-8"));
    return builder.start();
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
      kill(old);
      old.waitFor();
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
