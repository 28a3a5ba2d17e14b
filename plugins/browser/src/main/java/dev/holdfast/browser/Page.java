package dev.holdfast.browser;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One page in a browser context of its own: no cookie of it is another conversation's. All methods
 * block; for one thread.
 */
final class Page {
  /** Of the visible part, in pixels. */
  static final int WIDTH = 1280;

  static final int HEIGHT = 800;

  private static final String WORLD = "holdfast";
  private static final Duration SETTLE = Duration.ofMillis(300);
  private static final Duration LOAD_MAX = Duration.ofSeconds(10);
  private static final Duration LOOK = Duration.ofMillis(100);

  /** How keys are called in an event: their code for Windows, and the text that they write. */
  private static final Map<String, Key> KEYS =
      Map.ofEntries(
          Map.entry("Enter", new Key(13, "\r")),
          Map.entry("Tab", new Key(9, "")),
          Map.entry("Escape", new Key(27, "")),
          Map.entry("Backspace", new Key(8, "")),
          Map.entry("Delete", new Key(46, "")),
          Map.entry("ArrowLeft", new Key(37, "")),
          Map.entry("ArrowUp", new Key(38, "")),
          Map.entry("ArrowRight", new Key(39, "")),
          Map.entry("ArrowDown", new Key(40, "")),
          Map.entry("PageUp", new Key(33, "")),
          Map.entry("PageDown", new Key(34, "")),
          Map.entry("Home", new Key(36, "")),
          Map.entry("End", new Key(35, "")),
          Map.entry("Space", new Key(32, " ")));

  private final DevTools tools;
  private final PluginContext context;
  private final String browserContext;
  private final String target;
  private final String session;

  private record Key(int code, String text) {}

  private Page(
      DevTools tools, PluginContext context, String browserContext, String target, String session) {
    this.tools = tools;
    this.context = context;
    this.browserContext = browserContext;
    this.target = target;
    this.session = session;
  }

  static Page open(DevTools tools, PluginContext context)
      throws CallFailedException, InterruptedException {
    String own =
        JsonText.text(tools.call("", "Target.createBrowserContext", Map.of()), "browserContextId");
    try {
      return open(tools, context, own);
    } catch (CallFailedException | InterruptedException e) {
      dispose(tools, own);
      throw e;
    }
  }

  private static Page open(DevTools tools, PluginContext context, String own)
      throws CallFailedException, InterruptedException {
    Map<String, Object> made =
        tools.call(
            "", "Target.createTarget", Map.of("url", "about:blank", "browserContextId", own));
    String target = JsonText.text(made, "targetId");
    String session =
        JsonText.text(
            tools.call("", "Target.attachToTarget", Map.of("targetId", target, "flatten", true)),
            "sessionId");
    Page page = new Page(tools, context, own, target, session);
    Map<String, Object> _ = page.call("Page.enable", Map.of());
    Map<String, Object> _ = page.call("Inspector.enable", Map.of());
    Map<String, Object> _ =
        page.call(
            "Emulation.setDeviceMetricsOverride",
            Map.of("width", WIDTH, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
    return page;
  }

  boolean isOpen() {
    return tools.isOpen(session);
  }

  /** It cannot be used any more; waits for nothing. */
  void close() {
    dispose(tools, browserContext);
  }

  private static void dispose(DevTools tools, String browserContext) {
    tools.tell("", "Target.disposeBrowserContext", Map.of("browserContextId", browserContext));
  }

  /** An address that was judged. Returns where it led to. */
  String navigate(String url) throws CallFailedException, InterruptedException {
    String error = JsonText.text(call("Page.navigate", Map.of("url", url)), "errorText");
    if (!error.isEmpty()) {
      throw failed(
          error.equals("net::ERR_TUNNEL_CONNECTION_FAILED")
              ? "the address, or one that it leads to, cannot be connected to or is not public"
              : "the page cannot be loaded: " + error);
    }
    return settled();
  }

  String snapshot() throws CallFailedException, InterruptedException {
    return evaluateApart(Scripts.SNAPSHOT);
  }

  String click(int ref) throws CallFailedException, InterruptedException {
    String place = evaluateApart(Scripts.place(ref));
    if (place.isEmpty()) {
      throw missing(ref);
    }
    Map<String, Object> point = JsonText.object(place);
    for (String type : new String[] {"mouseMoved", "mousePressed", "mouseReleased"}) {
      Map<String, Object> event = new HashMap<>();
      event.put("type", type);
      event.put("x", JsonText.number(point, "x", 0));
      event.put("y", JsonText.number(point, "y", 0));
      event.put("button", type.equals("mouseMoved") ? "none" : "left");
      event.put("clickCount", 1);
      Map<String, Object> _ = call("Input.dispatchMouseEvent", event);
    }
    return settled();
  }

  String fill(int ref, String text) throws CallFailedException, InterruptedException {
    switch (evaluateApart(Scripts.focus(ref, text))) {
      case "" -> throw missing(ref);
      case "chosen" -> {
        return settled();
      }
      case "no option" -> throw failed("e" + ref + " has no such option");
      case "typed" -> {
        if (text.isEmpty()) {
          key("Delete", new Key(46, ""));
        } else {
          Map<String, Object> _ = call("Input.insertText", Map.of("text", text));
        }
      }
      default -> throw failed("e" + ref + " cannot be filled in");
    }
    return settled();
  }

  String press(String name) throws CallFailedException, InterruptedException {
    Key key = KEYS.get(name);
    if (key == null) {
      throw failed("there is no key " + name + " here; there are " + KEYS.keySet());
    }
    key(name, key);
    return settled();
  }

  private void key(String name, Key key) throws CallFailedException, InterruptedException {
    for (String type : new String[] {"keyDown", "keyUp"}) {
      Map<String, Object> event = new LinkedHashMap<>();
      event.put("type", type);
      event.put("key", name.equals("Space") ? " " : name);
      event.put("code", name);
      event.put("windowsVirtualKeyCode", key.code());
      if (type.equals("keyDown") && !key.text().isEmpty()) {
        event.put("text", key.text());
      }
      Map<String, Object> _ = call("Input.dispatchKeyEvent", event);
    }
  }

  String scrollTo(int ref) throws CallFailedException, InterruptedException {
    if (evaluateApart(Scripts.place(ref)).isEmpty()) {
      throw missing(ref);
    }
    return settled();
  }

  String url() throws CallFailedException, InterruptedException {
    return evaluateApart(Scripts.ADDRESS);
  }

  /** To the page {@code by} steps later, or earlier. */
  String go(int by) throws CallFailedException, InterruptedException {
    Map<String, Object> history = call("Page.getNavigationHistory", Map.of());
    int wanted = (int) JsonText.number(history, "currentIndex", 0) + by;
    List<?> entries = history.get("entries") instanceof List<?> list ? list : List.of();
    // The first is the empty page that it began with.
    if (wanted < 1
        || wanted >= entries.size()
        || !(entries.get(wanted) instanceof Map<?, ?> entry)
        || !(entry.get("id") instanceof Long id)) {
      throw failed("there is no page " + (by < 0 ? "before" : "after") + " this one");
    }
    Map<String, Object> _ = call("Page.navigateToHistoryEntry", Map.of("entryId", id));
    return settled();
  }

  /** Returns whether the text was there in time. */
  boolean awaitText(String text, Duration limit) throws CallFailedException, InterruptedException {
    long end = context.nanos() + limit.toNanos();
    while (!evaluateApart(Scripts.contains(text)).equals("yes")) {
      if (context.nanos() - end > 0) {
        return false;
      }
      context.sleep(LOOK);
    }
    return true;
  }

  /** As PNG. */
  byte[] screenshot() throws CallFailedException, InterruptedException {
    return Base64.getDecoder()
        .decode(JsonText.text(call("Page.captureScreenshot", Map.of("format", "png")), "data"));
  }

  /** In the page's own world, as a script of it. */
  String evaluate(String script) throws CallFailedException, InterruptedException {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("expression", script);
    parameters.put("returnByValue", true);
    parameters.put("awaitPromise", true);
    Map<String, Object> answer = call("Runtime.evaluate", parameters);
    if (answer.containsKey("exceptionDetails")) {
      Map<String, Object> thrown =
          JsonText.map(JsonText.map(answer, "exceptionDetails"), "exception");
      throw failed("the script failed: " + JsonText.text(thrown, "description"));
    }
    return JsonText.write(JsonText.map(answer, "result").getOrDefault("value", JsonText.NULL));
  }

  /** In a world that the scripts of the page do not reach. */
  private String evaluateApart(String script) throws CallFailedException, InterruptedException {
    Map<String, Object> world =
        call("Page.createIsolatedWorld", Map.of("frameId", target, "worldName", WORLD));
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("expression", script);
    parameters.put("returnByValue", true);
    parameters.put("contextId", (long) JsonText.number(world, "executionContextId", 0));
    Map<String, Object> answer = call("Runtime.evaluate", parameters);
    if (answer.containsKey("exceptionDetails")) {
      throw failed("the page cannot be read: it is changing, or is none");
    }
    return JsonText.text(JsonText.map(answer, "result"), "value");
  }

  /** What was done may have led to another page: waits until that is there, and names it. */
  private String settled() throws CallFailedException, InterruptedException {
    context.sleep(SETTLE);
    long end = context.nanos() + LOAD_MAX.toNanos();
    while (!evaluateApart("document.readyState").equals("complete") && context.nanos() - end < 0) {
      context.sleep(LOOK);
    }
    return evaluateApart(Scripts.TITLE);
  }

  private Map<String, Object> call(String method, Map<String, ?> parameters)
      throws CallFailedException, InterruptedException {
    return tools.call(session, method, parameters);
  }

  private static CallFailedException missing(int ref) {
    return failed("there is no element e" + ref + " any more: take a snapshot first");
  }

  private static CallFailedException failed(String why) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
