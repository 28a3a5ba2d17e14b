package dev.holdfast.tests.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Served;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bundled browser with a real Chromium, on a site of this machine that is let through. */
@Timeout(240)
@Outside(
    covers = {"plugins/browser", "plugins/kit", "server/src/main/java/dev/holdfast/plugins"},
    needs = "chromium:chromium")
class BrowserPluginTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Half of it is the heap of a page; with the browser's own, that must stay below all of it. */
  private static final int MEMORY_MB = 1200;

  /** Takes ever more memory, not all of it the heap of a script. */
  private static final String LARGE =
      """
      <title>Large</title><script>const held = [];
      setInterval(() => held.push(new Uint8Array(20e6).fill(held.length + 1)), 20);</script>
      """;

  /** Takes ever more of the heap of scripts. */
  private static final String HEAP =
      """
      <title>Heap</title><script>const held = [];
      setInterval(() => { for (let i = 0; i < 100000; i++) held.push({i}); }, 10);</script>
      """;

  private static final String STUCK = "<button onclick='for (;;);'>Stick</button>";

  private static final String LONG =
      """
      <title>Long</title><body style="margin:0"><div style="height:5000px">above</div>
      <button onclick="document.title = 'at ' + scrollY">Below</button>
      <script>addEventListener('scroll', () => document.title = 'scrolled');</script>
      """;

  /** Far more in its names than a message can hold. */
  private static final String HUGE =
      """
      <p>The page goes on.</p><a href="#" id="a">Link</a><script>
      document.title = '\u20ac' + 'a'.repeat(3e7);
      const long = 'a'.repeat(1e6);
      history.replaceState(null, '', '#' + long);
      a.setAttribute('role', long);
      a.setAttribute('aria-label', long);
      </script>
      """;

  private static final List<String> SECRET_VISITS = new CopyOnWriteArrayList<>();
  private static final HttpServer SITE = server();
  private static final HttpServer SECRET = server();

  static {
    SITE.createContext("/", exchange -> answer(exchange, 200, page()));
    SITE.createContext("/said", exchange -> answer(exchange, 200, said(exchange)));
    SITE.createContext("/away", BrowserPluginTest::redirect);
    SITE.createContext("/large", exchange -> answer(exchange, 200, LARGE));
    SITE.createContext("/heap", exchange -> answer(exchange, 200, HEAP));
    SITE.createContext("/long", exchange -> answer(exchange, 200, LONG));
    SECRET.createContext(
        "/",
        exchange -> {
          SECRET_VISITS.add(exchange.getRequestURI().toString());
          answer(exchange, 200, "secret");
        });
  }

  @RegisterExtension static final Served SERVED = Served.alone(BrowserPluginTest::configure);

  private final ServerRig rig = SERVED.rig();
  private int calls;

  private static void configure(ServerRig rig) {
    rig.setup()
        .set("tools.web.allow_hosts", List.of("127.0.0.1:" + SITE.getAddress().getPort()))
        .set("plugins.browser.without_sandbox", true)
        .set("plugins.browser.memory_mb", MEMORY_MB);
    try {
      name(rig, "chromium");
      rig.setup().plugin("browser");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Each has a browser without the pages of others, for which it would have too little memory. */
  @BeforeEach
  void begin() {
    Commands.assumePresent("chromium");
    Await.until("it is ready", LIMIT, () -> plugin().contains("tool browser_navigate"));
    if (!browsers().isEmpty()) {
      killBrowsers();
      awaitBrowser("begin");
    }
    SECRET_VISITS.clear();
  }

  @AfterAll
  static void stop() {
    SITE.stop(0);
    SECRET.stop(0);
  }

  private void killBrowsers() {
    browsers().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    Await.until("it is killed", LIMIT, () -> browsers().isEmpty());
  }

  private void awaitBrowser(String thread) {
    Await.until(
        "there is a browser",
        LIMIT,
        () -> call(thread, "navigate", Map.of("url", url(SITE, "/"))).contains("Fruit"));
  }

  private String plugin() throws IOException {
    return rig.api().get("/api/v1/plugins").body();
  }

  private static void name(ServerRig rig, String program) throws IOException {
    Files.writeString(rig.folder().resolve("holdfast.env"), "HOLDFAST_BROWSER=" + program + "\n");
  }

  private static HttpServer server() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void answer(HttpExchange exchange, int status, String html) throws IOException {
    byte[] body = html.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static void redirect(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Location", url(SECRET, "/redirected"));
    answer(exchange, 302, "");
  }

  private static String said(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    return "<title>Said</title><p>you said " + query + "</p>";
  }

  private static String page() {
    return """
    <title>Fruit</title><h1>Which fruit?</h1>
    <img src="%1$s/picture"><script>fetch('%1$s/script').catch(() => {});
    new WebSocket('%2$s/socket'); alert('stop');</script>
    <form action="/said"><input name="fruit" aria-label="Your fruit">
    <select name="size" aria-label="Size"><option>small<option>large</select>
    <button>Say it</button></form>
    <a href="/away" target="_blank">Away</a>
    """
        .formatted(url(SECRET, ""), url(SECRET, "").replace("http", "ws"));
  }

  /** Asks a server of its choice for its own address, and says when it has done so. */
  private static String stunPage(int port) {
    return """
    <title>Stun</title><p id="p">asking</p><script>
    const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:%d'}]});
    peer.onicecandidate = e => e.candidate || (p.textContent = 'gathered');
    peer.createDataChannel('x');
    peer.createOffer().then(offer => peer.setLocalDescription(offer));
    </script>
    """
        .formatted(port);
  }

  private static String url(HttpServer server, String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private String call(String thread, String tool, Map<String, Object> given) {
    calls++;
    return rig.converse(
            SERVED.id("e" + calls), SERVED.id(thread), ShellRig.call("browser_" + tool, given))
        .text();
  }

  private static String ref(String snapshot, String element) {
    Matcher found = Pattern.compile("\\[\\S+ (e\\d+)] " + Pattern.quote(element)).matcher(snapshot);
    assertThat(found.find()).as(element + " in " + snapshot).isTrue();
    return found.group(1);
  }

  private List<Long> browsers() {
    return ShellRig.processes("--user-data-dir=" + rig.setup().dataDir());
  }

  @Test
  void aFormIsReadFilledInAndSent() throws Exception {
    assertThat(call("t", "snapshot", Map.of())).contains("no page is open");
    assertThat(call("t", "navigate", Map.of("url", url(SITE, "/")))).contains("Fruit");
    String snapshot = call("t", "snapshot", Map.of());
    assertThat(snapshot).contains("# Which fruit?", "= small of small | large");
    assertThat(call("t", "click", Map.of("ref", "e99"))).contains("take a snapshot first");
    call("t", "fill", Map.of("ref", ref(snapshot, "Your fruit"), "text", "wrong"));
    call("t", "fill", Map.of("ref", ref(snapshot, "Your fruit"), "text", "pear"));
    call("t", "fill", Map.of("ref", ref(snapshot, "Size"), "text", "large"));
    assertThat(call("t", "click", Map.of("ref", ref(snapshot, "Say it")))).contains("Said");
    assertThat(call("t", "wait", Map.of("text", "you said fruit=pear&size=large")))
        .contains("The text is there.");
    assertThat(call("t", "screenshot", Map.of()))
        .contains("The picture is in screenshot-", "[image png 1280x800]");
    try (Stream<Path> files = Files.walk(rig.setup().dataDir())) {
      assertThat(files.filter(file -> file.toString().endsWith(".png")))
          .hasSize(2)
          .allSatisfy(file -> assertThat(Files.readAllBytes(file)).startsWith(0x89, 'P', 'N', 'G'));
    }
    assertThat(call("other", "snapshot", Map.of())).contains("no page is open");

    call("t", "navigate", Map.of("url", url(SITE, "/")));
    String again = call("t", "snapshot", Map.of());
    call("t", "fill", Map.of("ref", ref(again, "Your fruit"), "text", "plum"));
    assertThat(call("t", "press", Map.of("key", "Enter"))).contains("Said");
    assertThat(SECRET_VISITS).isEmpty();
  }

  @Test
  void noWayLeadsToAnAddressThatIsNotPublic() {
    assertThat(call("t", "navigate", Map.of("url", url(SECRET, "/direct"))))
        .contains("not a public address");
    assertThat(call("t", "navigate", Map.of("url", "file:///etc/passwd"))).contains("only http");
    assertThat(call("t", "navigate", Map.of("url", url(SITE, "/away")))).doesNotContain("secret");
    assertThat(call("t", "snapshot", Map.of())).contains("not a public address");
    call("t", "navigate", Map.of("url", url(SITE, "/")));
    String snapshot = call("t", "snapshot", Map.of());
    call("t", "click", Map.of("ref", ref(snapshot, "Away")));
    assertThat(call("t", "snapshot", Map.of())).contains("not a public address");
    assertThat(SECRET_VISITS).isEmpty();
  }

  @Test
  void aPageSendsNothingPastTheProxy() throws Exception {
    try (DatagramSocket stun = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      String page = stunPage(stun.getLocalPort());
      SITE.createContext("/stun", exchange -> answer(exchange, 200, page));
      call("t", "navigate", Map.of("url", url(SITE, "/stun")));
      assertThat(call("t", "wait", Map.of("text", "gathered", "seconds", 10)))
          .contains("The text is there.");
      stun.setSoTimeout(100);
      assertThatThrownBy(() -> stun.receive(new DatagramPacket(new byte[100], 100)))
          .isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void ofAPageWithHugeNamesOnlyTheBeginningIsTaken() {
    SITE.createContext("/huge", exchange -> answer(exchange, 200, HUGE));
    assertThat(call("t", "navigate", Map.of("url", url(SITE, "/huge"))))
        .contains("aaa", url(SITE, "/huge"))
        .hasSizeLessThan(3000);
    assertThat(call("t", "snapshot", Map.of())).contains("The page goes on.").hasSizeLessThan(4000);
    assertThat(call("t", "current_url", Map.of())).hasSizeLessThan(3000);
  }

  @Test
  void theBrowserIsStartedAgainAndEndsWithThePlugin() throws Exception {
    call("t", "navigate", Map.of("url", url(SITE, "/")));
    assertThat(browsers()).isNotEmpty();
    killBrowsers();
    awaitBrowser("t");
    Files.delete(rig.folder().resolve("plugins/browser-0.1.0.jar"));
    Await.until("it ends with the plugin", LIMIT, () -> browsers().isEmpty());
    rig.setup().plugin("browser");
    awaitBrowser("t");
    assertThat(browsers()).isNotEmpty();
    rig.server().kill9();
    Await.until("no browser outlives the server", LIMIT, () -> browsers().isEmpty());
  }

  @Test
  void aBrowserThatIsStuckIsEndedAndStartedAgain() throws Exception {
    call("t", "navigate", Map.of("url", url(SITE, "/")));
    List<Long> stuck = browsers();
    for (long pid : stuck) {
      new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
    }
    rig.accept(
        SERVED.id("stuck"),
        SERVED.id("t"),
        ShellRig.call("browser_navigate", Map.of("url", url(SITE, "/"))));
    assertThat(rig.platform().awaitPost(SERVED.id("stuck"), LIMIT.multipliedBy(2)).text())
        .contains("Fruit");
    assertThat(browsers()).doesNotContainAnyElementsOf(stuck);
  }

  @Test
  void aPageThatIsStuckEndsNoOther() {
    SITE.createContext("/stuck", exchange -> answer(exchange, 200, STUCK));
    call("other", "navigate", Map.of("url", url(SITE, "/")));
    call("t", "navigate", Map.of("url", url(SITE, "/stuck")));
    String button = ref(call("t", "snapshot", Map.of()), "Stick");
    rig.accept(
        SERVED.id("stuck"), SERVED.id("t"), ShellRig.call("browser_click", Map.of("ref", button)));
    assertThat(rig.platform().awaitPost(SERVED.id("stuck"), LIMIT).text())
        .contains("did not react");
    assertThat(call("other", "current_url", Map.of())).endsWith(url(SITE, "/"));
  }

  @Test
  void thePagesBeforeAndAfterAreThere() {
    call("t", "navigate", Map.of("url", url(SITE, "/long")));
    assertThat(call("t", "back", Map.of())).contains("there is no page before this one");
    call("t", "navigate", Map.of("url", url(SITE, "/said?x")));
    assertThat(call("t", "current_url", Map.of())).endsWith(url(SITE, "/said?x"));
    assertThat(call("t", "back", Map.of())).contains("Long");
    assertThat(call("t", "current_url", Map.of())).endsWith(url(SITE, "/long"));
    String snapshot = call("t", "snapshot", Map.of());
    assertThat(call("t", "scroll_to", Map.of("ref", ref(snapshot, "Below")))).contains("scrolled");
    assertThat(call("t", "forward", Map.of())).contains("Said");
    assertThat(call("t", "forward", Map.of())).contains("there is no page after this one");
  }

  @Test
  void aBrowserThatTakesTooMuchMemoryIsEndedAndStartedAgain() {
    String first = call("t", "navigate", Map.of("url", url(SITE, "/large")));
    String next =
        first.contains("MB of memory")
            ? first
            : call("t", "wait", Map.of("text", "never", "seconds", 10));
    assertThat(next).contains("the browser held more than " + MEMORY_MB + " MB of memory");
    Await.until("it is ended", LIMIT, () -> browsers().isEmpty());
    assertThat(call("t", "snapshot", Map.of())).contains("no page is open");
    assertThat(call("t", "navigate", Map.of("url", url(SITE, "/")))).contains("Fruit");
  }

  @Test
  void aPageThatCrashesIsSaidSoAndOthersAreNotTouched() {
    call("other", "navigate", Map.of("url", url(SITE, "/")));
    call("t", "navigate", Map.of("url", url(SITE, "/heap")));
    Await.until(
        "it has crashed",
        LIMIT.multipliedBy(3),
        () ->
            call("t", "wait", Map.of("text", "never", "seconds", 10))
                .contains("the page has crashed"));
    assertThat(call("other", "current_url", Map.of())).endsWith(url(SITE, "/"));
    assertThat(call("t", "navigate", Map.of("url", url(SITE, "/")))).contains("Fruit");
  }

  @Test
  void whatItNeedsIsSaidAndSoIsAProgramThatIsNoBrowser() throws Exception {
    try {
      Files.delete(rig.folder().resolve("holdfast.env"));
      Await.until(
          "its gate is closed", LIMIT, () -> plugin().contains("HOLDFAST_BROWSER is missing"));
      name(rig, "no-such-chromium");
      Await.until(
          "it fails",
          LIMIT,
          () -> plugin().contains("HOLDFAST_BROWSER names no-such-chromium, which is no program"));
      name(rig, "/bin/false");
      Await.until("it is started with the other", LIMIT, () -> !plugin().contains("no-such"));
      assertThat(call("t", "navigate", Map.of("url", url(SITE, "/"))))
          .contains("/bin/false does not work as a browser");
    } finally {
      name(rig, "chromium");
      awaitBrowser("t");
    }
  }
}
