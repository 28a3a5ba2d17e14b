package dev.holdfast.browser;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.kit.JsonText;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Offers the tools of the browser. */
public final class BrowserPlugin implements Plugin {
  private static final Duration SWEEP = Duration.ofMinutes(1);
  private static final String REF = "\"ref\":{\"type\":\"string\",\"pattern\":\"^e[0-9]{1,5}$\"}";
  private static final double WAIT_MAX = 10;
  private static final int MEMORY_MIN = 256;
  private static final int MEMORY_MAX = 65_536;
  private static final Duration MEMORY_LOOK = Duration.ofSeconds(1);

  private @Nullable Chromium chromium;
  private @Nullable JudgingProxy proxy;

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig config = context.config();
    boolean evaluates = config.flag("evaluate", false);
    boolean withoutSandbox = config.flag("without_sandbox", false);
    int memoryMegabytes = config.whole("memory_mb", 1024);
    if (memoryMegabytes < MEMORY_MIN || memoryMegabytes > MEMORY_MAX) {
      config.problem("memory_mb", "must be from " + MEMORY_MIN + " to " + MEMORY_MAX);
    }
    if ("root".equals(System.getProperty("user.name")) && !withoutSandbox) {
      throw new IllegalStateException(
          "as root, Chromium has no sandbox of its own: run the server as another user, or set"
              + " plugins.browser.without_sandbox: true");
    }
    String variable = "HOLDFAST_BROWSER";
    String path = context.secret("PATH").orElse("/usr/bin:/bin");
    Path program = BrowserProgram.find(variable, context.secret(variable).orElseThrow(), path);
    Profiles.deleteOld(context.stateFolder());
    JudgingProxy judging = JudgingProxy.open(context);
    Chromium browser =
        new Chromium(
            context,
            new Chromium.Launch(program, path, judging.port(), withoutSandbox, memoryMegabytes));
    proxy = judging;
    chromium = browser;
    PluginContext.Background _ = context.run("browser-proxy", judging::serve);
    Conversations conversations = new Conversations(browser, context);
    PluginContext.Background _ = context.every("browser-sweep", SWEEP, conversations::sweep);
    PluginContext.Background _ = context.every("browser-memory", MEMORY_LOOK, browser::checkMemory);
    tools(conversations, context).forEach(context::offer);
    if (evaluates) {
      context.offer(evaluate(conversations));
    }
  }

  @Override
  public void stop() throws InterruptedException {
    if (proxy != null) {
      proxy.close();
    }
    if (chromium != null) {
      chromium.close();
    }
  }

  private static List<Tool> tools(Conversations pages, PluginContext context) {
    List<Tool> tools = new ArrayList<>();
    tools.add(
        BrowserTool.of(
            "navigate",
            "Opens a public web page in the browser of this conversation. Returns its title and"
                + " address; browser_snapshot shows what is on it.",
            "\"url\"",
            "\"url\":{\"type\":\"string\"}",
            ReplayClass.READ,
            (arguments, call) -> {
              String url = JsonText.text(arguments, "url");
              judge(url, context);
              return pages.use(call.threadId(), true, page -> page.navigate(url));
            }));
    tools.add(
        BrowserTool.of(
            "snapshot",
            "Returns the text of the page that is open, with what can be used, such as [button e3]."
                + " The others take these names, until the page changes.",
            "",
            "",
            ReplayClass.READ,
            (_, call) -> pages.use(call.threadId(), false, Page::snapshot)));
    tools.add(
        BrowserTool.of(
            "click",
            "Clicks an element of the last snapshot.",
            "\"ref\"",
            REF,
            ReplayClass.UNSAFE,
            (arguments, call) ->
                pages.use(call.threadId(), false, page -> page.click(ref(arguments)))));
    tools.add(
        BrowserTool.of(
            "fill",
            "Puts a text into a field of the last snapshot, in place of what is there, or chooses an"
                + " option of a select.",
            "\"ref\",\"text\"",
            REF + ",\"text\":{\"type\":\"string\"}",
            ReplayClass.UNSAFE,
            (arguments, call) ->
                pages.use(
                    call.threadId(),
                    false,
                    page -> page.fill(ref(arguments), JsonText.text(arguments, "text")))));
    tools.add(
        BrowserTool.of(
            "press",
            "Presses a key where the cursor is: Enter, Tab, Escape, Space, Backspace, Delete, Home,"
                + " End, PageUp, PageDown or an arrow such as ArrowDown.",
            "\"key\"",
            "\"key\":{\"type\":\"string\"}",
            ReplayClass.UNSAFE,
            (arguments, call) ->
                pages.use(
                    call.threadId(), false, page -> page.press(JsonText.text(arguments, "key")))));
    tools.add(
        BrowserTool.of(
            "wait",
            "Waits until a text is on the page, for 5 seconds or as many as are given, at most 10.",
            "\"text\"",
            "\"text\":{\"type\":\"string\"},\"seconds\":{\"type\":\"number\",\"minimum\":0,\"maximum\":10}",
            ReplayClass.READ,
            (arguments, call) -> awaited(arguments, call, pages)));
    tools.add(
        BrowserTool.of(
            "scroll_to",
            "Scrolls until an element of the last snapshot is in the middle of the visible part.",
            "\"ref\"",
            REF,
            ReplayClass.READ,
            (arguments, call) ->
                pages.use(call.threadId(), false, page -> page.scrollTo(ref(arguments)))));
    tools.add(
        BrowserTool.looking(
            "current_url",
            "Returns the address of the page that is open.",
            (_, call) -> ToolResult.ok(pages.use(call.threadId(), false, Page::url))));
    tools.add(
        BrowserTool.looking(
            "back",
            "Goes back to the page before this one.",
            (_, call) -> ToolResult.ok(pages.use(call.threadId(), false, page -> page.go(-1)))));
    tools.add(
        BrowserTool.looking(
            "forward",
            "Goes to the page from which browser_back has come.",
            (_, call) -> ToolResult.ok(pages.use(call.threadId(), false, page -> page.go(1)))));
    tools.add(
        BrowserTool.looking(
            "screenshot",
            "Shows the visible part of the page as a picture. It is also a PNG file in the folder of"
                + " this conversation, whose path is returned.",
            (_, call) -> saved(call, pages.use(call.threadId(), false, Page::screenshot))));
    return tools;
  }

  private static Tool evaluate(Conversations pages) {
    return BrowserTool.of(
        "evaluate",
        "Runs JavaScript in the page that is open and returns its value as JSON.",
        "\"script\"",
        "\"script\":{\"type\":\"string\"}",
        ReplayClass.UNSAFE,
        (arguments, call) ->
            pages.use(
                call.threadId(), false, page -> page.evaluate(JsonText.text(arguments, "script"))));
  }

  /** Here for the sentence that says why; what the page asks for is judged by the proxy. */
  private static void judge(String url, PluginContext context)
      throws CallFailedException, InterruptedException {
    String scheme;
    try {
      scheme = String.valueOf(URI.create(url).getScheme());
    } catch (IllegalArgumentException e) {
      throw invalid("that is no address: " + url);
    }
    if (!scheme.equalsIgnoreCase("http") && !scheme.equalsIgnoreCase("https")) {
      throw invalid("only http and https addresses can be opened");
    }
    var _ = context.http().judge(url);
  }

  private static int ref(Map<String, Object> arguments) throws CallFailedException {
    String ref = JsonText.text(arguments, "ref");
    if (!ref.matches("e[0-9]{1,5}")) {
      throw invalid("ref must be the name of an element, such as e3");
    }
    return Integer.parseInt(ref.substring(1));
  }

  private static String awaited(
      Map<String, Object> arguments, ToolContext call, Conversations pages)
      throws CallFailedException, InterruptedException {
    double seconds = Math.clamp(JsonText.number(arguments, "seconds", 5), 0, WAIT_MAX);
    Duration limit = Duration.ofMillis((long) (seconds * 1000));
    String text = JsonText.text(arguments, "text");
    return pages.use(call.threadId(), false, page -> page.awaitText(text, limit))
        ? "The text is there."
        : "The text is not there.";
  }

  private static ToolResult saved(ToolContext call, byte[] picture) throws CallFailedException {
    try {
      Path file = Files.createTempFile(call.scratch(), "screenshot-", ".png");
      Files.write(file, picture);
      return ToolResult.ok("The picture is in " + file.getFileName()).withImages(List.of(file));
    } catch (IOException e) {
      throw new CallFailedException(
          Failure.of(FailureCode.IO, "the picture cannot be written: " + e.getMessage()), e);
    }
  }

  private static CallFailedException invalid(String why) {
    return new CallFailedException(Failure.of(FailureCode.INVALID_REQUEST, why));
  }
}
