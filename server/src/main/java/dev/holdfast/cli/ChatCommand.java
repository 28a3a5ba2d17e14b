package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A conversation in the terminal, or one question from a script. */
@Command(
    name = "chat",
    description = "Talk to the running server.",
    footer = {
      "",
      "With TEXT, or text on standard input, it sends one message, prints the answer and exits:",
      "0 if it was answered, 1 if not. Without TEXT it is interactive; a line that" + " begins",
      "with / is a command to the server: /stop, /stop all, /new, /status, /help. When a tool",
      "waits for your approval, answer y or n.",
      "On a terminal the arrow keys edit the line and fetch earlier ones, Ctrl-R searches them,"
          + " and",
      "Ctrl-C stops what is running; a second one quits.",
      "Ctrl-D or /quit quits; the server keeps answering, and the next chat shows the result.",
      "",
      "Examples:",
      "  holdfast chat",
      "  holdfast chat --thread work 'Summarise our last decision'",
      "  git diff | holdfast chat --thread review"
    })
final class ChatCommand implements Callable<Integer> {
  private static final Duration SEND_TRIES_MAX = Duration.ofSeconds(60);
  private static final Duration TRY_WAIT = Duration.ofMillis(500);
  private static final int TEXT_MAX = 1 << 20;

  private final RootCommand root;

  @Option(
      names = {"-t", "--thread"},
      paramLabel = "THREAD",
      defaultValue = "cli",
      description =
          "The chat thread, any name. Default: ${DEFAULT-VALUE}, which only operators can use.")
  String thread = "cli";

  @Option(
      names = "--wait-secs",
      paramLabel = "SECS",
      defaultValue = "900",
      description = "How long to wait for the answer to one message. Default: ${DEFAULT-VALUE}.")
  long waitSecs = 900;

  @Option(
      names = "--level",
      paramLabel = "LEVEL",
      defaultValue = "",
      description = "The level whose models are to answer, where the server lets people choose.")
  String level = "";

  @Parameters(paramLabel = "TEXT", arity = "0..*", description = "One message.")
  @Nullable List<String> words;

  ChatCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException, IOException {
    boolean interactive = words == null && root.terminal().isTerminal();
    String text = interactive ? "" : words == null ? standardInput() : String.join(" ", words);
    if (!interactive && text.isBlank()) {
      throw new CliException(ExitCode.USAGE, "nothing to send: the message is empty");
    }
    root.ask(api -> api.get("/api/v1/status")); // says clearly when no server runs
    Follower follower =
        new Follower(
            root.api(),
            threadId(),
            new ConversationView(root.terminal(), outputMode(), person(), root.environment.time()));
    Thread reader = Thread.ofVirtual().name("chat-news").start(follower);
    Thread clock = Thread.ofVirtual().name("chat-clock").start(() -> tick(follower.conversation));
    try {
      follower.awaitConnection();
      return interactive ? talk(follower) : askOnce(follower, text);
    } finally {
      reader.interrupt();
      clock.interrupt();
    }
  }

  private void tick(ConversationView conversation) {
    try {
      while (true) {
        root.environment.time().sleep(Duration.ofSeconds(1));
        conversation.tick();
      }
    } catch (InterruptedException _) {
      // The command ends.
    }
  }

  private String person() {
    return root.environment.variables().getOrDefault("USER", "cli");
  }

  private ConversationView.OutputMode outputMode() {
    if (root.json) {
      return ConversationView.OutputMode.QUIET;
    }
    return root.terminal().isTerminal()
        ? ConversationView.OutputMode.LIVE
        : ConversationView.OutputMode.WHOLE;
  }

  private String threadId() {
    return thread.contains(":") ? thread : "web:main:" + thread;
  }

  private String standardInput() throws IOException, CliException {
    char[] buffer = new char[TEXT_MAX + 1];
    int length = 0;
    for (int n = 0; n >= 0 && length < buffer.length; length += Math.max(n, 0)) {
      n = root.environment.in().read(buffer, length, buffer.length - length);
    }
    if (length > TEXT_MAX) {
      throw new CliException(
          ExitCode.USAGE, "the message is longer than " + TEXT_MAX + " characters");
    }
    return new String(buffer, 0, length).strip();
  }

  private int talk(Follower follower) throws CliException, InterruptedException, IOException {
    Terminal terminal = root.terminal();
    terminal.note(
        terminal.dim(
            "Thread " + threadId() + " at " + root.serverUrl() + "; /help, or Ctrl-D to quit."));
    if (!root.environment.isRealTerminal()) {
      talk(follower, root.environment.in()::readLine);
      return ExitCode.OK;
    }
    try (LineEditor editor = LineEditor.open(root.environment.variables())) {
      terminal.use(editor);
      talk(follower, () -> editor.read(terminal.bold("> ")));
    } finally {
      terminal.leaveScreen();
    }
    return ExitCode.OK;
  }

  /** Lines that a person types; null at the end. */
  private interface Lines {
    @Nullable String next() throws IOException;
  }

  private void talk(Follower follower, Lines lines)
      throws CliException, InterruptedException, IOException {
    boolean interrupted = false;
    while (true) {
      String line = lines.next();
      if (line == null || line.strip().equals("/quit") || line.strip().equals("/exit")) {
        return;
      }
      follower.rethrow();
      boolean isInterrupt = line.equals(LineEditor.INTERRUPTED);
      if (isInterrupt && (interrupted || !follower.conversation.isAwaited())) {
        return;
      }
      interrupted = isInterrupt;
      if (isInterrupt) {
        root.terminal().note(root.terminal().dim("[stopping; press Ctrl-C again to quit]"));
      }
      if (!line.isBlank()) {
        say(follower.conversation, isInterrupt ? "/stop" : line.strip());
      }
    }
  }

  private void say(ConversationView conversation, String line) throws InterruptedException {
    try {
      String said = conversation.meant(line);
      conversation.sending(said);
      boolean _ = conversation.sent(CliJson.text(send(said), "event_id"));
    } catch (CliException e) {
      root.terminal().note(root.terminal().bad(String.valueOf(e.getMessage())));
    }
  }

  private int askOnce(Follower follower, String text) throws CliException, InterruptedException {
    follower.conversation.sending(text);
    String event = CliJson.text(send(text), "event_id");
    follower.missed |= follower.conversation.sent(event);
    follower.catchUpIfDue(event);
    long deadline = root.environment.time().nanos() + TimeUnit.SECONDS.toNanos(waitSecs);
    while (follower.conversation.outcome(event).isEmpty()) {
      follower.rethrow();
      if (root.environment.time().nanos() > deadline) {
        throw new CliException(
            ExitCode.NOT_GOOD,
            "no answer within "
                + waitSecs
                + " s; the message is kept and will be answered. Its story: holdfast trace "
                + event);
      }
      follower.conversation.await(1000);
      follower.catchUpIfDue(event);
    }
    String outcome = follower.conversation.outcome(event);
    if (root.json) {
      root.print(answer(event, outcome));
    }
    return outcome.equals("answered") || outcome.equals("silent") ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  private ObjectNode answer(String event, String outcome)
      throws CliException, InterruptedException {
    JsonNode story = root.ask(api -> api.get("/api/v1/events/" + event));
    ObjectNode answer = CliJson.object().put("event_id", event).put("thread_id", threadId());
    answer.put("outcome", outcome);
    List<String> texts =
        CliJson.items(story, "replies").stream().map(r -> CliJson.raw(r, "text")).toList();
    answer.put("text", texts.stream().collect(Collectors.joining("\n")));
    ArrayNode replies = answer.putArray("replies");
    CliJson.items(story, "replies").forEach(replies::add);
    return answer;
  }

  /** Tries again while the server is away or full: the key makes a second delivery harmless. */
  private JsonNode send(String text) throws CliException, InterruptedException {
    ObjectNode body = CliJson.object().put("text", text);
    body.put("dedupe_key", "cli-" + UUID.randomUUID());
    body.put("user_id", person());
    if (!level.isEmpty()) {
      body.put("level", level);
    }
    String path = "/api/v1/threads/" + ApiClient.encoded(threadId()) + "/messages";
    ApiClient api = root.api();
    long triesMax = Math.min(SEND_TRIES_MAX.toNanos(), TimeUnit.SECONDS.toNanos(waitSecs));
    long deadline = root.environment.time().nanos() + triesMax;
    while (true) {
      try {
        JsonNode answer = api.post(path, body);
        root.terminal().clearProgress();
        return answer;
      } catch (ApiClient.UnavailableException e) {
        if (root.environment.time().nanos() > deadline) {
          throw new CliException(ExitCode.IO, "not sent: no server responds: " + e.getMessage());
        }
      } catch (ApiClient.RefusedException e) {
        if (!e.isPassing() || root.environment.time().nanos() > deadline) {
          throw RootCommand.refused(e);
        }
      }
      root.terminal().progress("the server is unavailable; trying again...");
      root.environment.time().sleep(TRY_WAIT);
    }
  }

  /** Reads the news on a thread of its own. */
  private final class Follower implements Runnable, EventStream.Listener {
    private final ApiClient api;
    private final String threadId;
    private final ConversationView conversation;
    private final CountDownLatch connected = new CountDownLatch(1);
    private final AtomicReference<@Nullable CliException> failure = new AtomicReference<>();
    private volatile boolean missed;
    private boolean told;

    Follower(ApiClient api, String threadId, ConversationView conversation) {
      this.api = api;
      this.threadId = threadId;
      this.conversation = conversation;
    }

    @Override
    public void run() {
      try {
        new EventStream(api, threadId, root.environment.time()).follow(this);
      } catch (ApiClient.RefusedException e) {
        failure.set(RootCommand.refused(e));
        connected.countDown();
      } catch (InterruptedException _) {
        connected.countDown(); // the command ends
      }
    }

    void awaitConnection() throws CliException, InterruptedException {
      if (!connected.await(30, TimeUnit.SECONDS)) {
        throw new CliException(ExitCode.IO, "the server's event stream does not respond");
      }
      rethrow();
    }

    void rethrow() throws CliException {
      CliException known = failure.get();
      if (known != null) {
        throw known;
      }
    }

    /** After a lost connection the answer may have come meanwhile. */
    void catchUpIfDue(String event) throws CliException, InterruptedException {
      if (!missed) {
        return;
      }
      try {
        JsonNode story = api.get("/api/v1/events/" + event);
        missed = false;
        conversation.catchUp(story);
      } catch (ApiClient.UnavailableException _) {
        // Still away; the next round asks again.
      } catch (ApiClient.RefusedException e) {
        if (!e.isPassing()) {
          throw RootCommand.refused(e);
        }
      }
    }

    @Override
    public void connected(boolean again) {
      if (told) {
        conversation.note("[reconnected]");
      }
      told = false;
      missed = missed || again;
      connected.countDown();
    }

    @Override
    public void lost(String reason) {
      if (!told && connected.getCount() == 0) {
        conversation.note("[connection lost: " + VisibleText.line(reason) + "; trying again]");
        told = true;
      }
    }

    @Override
    public void news(String kind, JsonNode details) {
      if (kind.equals("gap")) {
        missed = true;
        conversation.note("[some events were missed]");
      } else {
        conversation.news(kind, details);
      }
    }
  }
}
