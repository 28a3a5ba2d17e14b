package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A tool, a channel and a provider come and go in a running server while turns use them. */
@Timeout(300)
class ServerSeamsTest {
  private static final int ROUNDS = 200;
  private static final int THREADS = 20;
  private static final Pattern ANSWER = Pattern.compile("(seam|echo): .*", Pattern.DOTALL);
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String CONFIG =
      """
      http: {port: 0}
      metrics: {port: 0}
      models:
        plugin_providers: [seam]
        levels: {operational: [seam/one, embedded/echo]}
      """;

  @TempDir Path folder;

  /** Calls of foreign code that began or still ran after its removal had been confirmed. */
  private final Queue<String> late = new ConcurrentLinkedQueue<>();

  private final AtomicInteger toolCalls = new AtomicInteger();
  private final AtomicInteger modelCalls = new AtomicInteger();

  /** The texts that were posted, by the message that they answer. */
  private final Map<String, Queue<String>> posts = new ConcurrentHashMap<>();

  /** What is registered, and whether it may still be called. */
  private class Plugin {
    private final String what;
    private final AtomicInteger running = new AtomicInteger();
    private volatile boolean confirmed;

    Plugin(String what) {
      this.what = what;
    }

    void begin() {
      running.incrementAndGet();
      if (confirmed) {
        late.add(what + " was called after its removal");
      }
    }

    void end() {
      if (confirmed) {
        late.add(what + " ended after its removal");
      }
      running.decrementAndGet();
    }

    void confirmGone() {
      confirmed = true;
      assertThat(running).as(what).hasValue(0);
    }
  }

  private final class Probe extends Plugin implements Tool {
    Probe() {
      super("the tool");
    }

    @Override
    public ToolSpec spec() {
      return new ToolSpec("probe", "for this test", "{\"type\":\"object\"}");
    }

    @Override
    public ReplayClass replay() {
      return ReplayClass.READ;
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) throws InterruptedException {
      begin();
      try {
        toolCalls.incrementAndGet();
        ServerRunner.TIME.sleep(Duration.ofMillis(2));
        return ToolResult.ok("probed");
      } finally {
        end();
      }
    }
  }

  /** Calls the tool when it is offered, then says what it got. */
  private final class Model extends Plugin implements ModelProvider {
    Model() {
      super("the provider");
    }

    @Override
    public String name() {
      return "seam";
    }

    @Override
    public boolean isLocal() {
      return true;
    }

    @Override
    public int windowTokens(String model) {
      return 100_000;
    }

    @Override
    public ModelAnswer ask(ModelRequest request, ModelListener listener)
        throws InterruptedException {
      begin();
      try {
        modelCalls.incrementAndGet();
        ServerRunner.TIME.sleep(Duration.ofMillis(2));
        return answer(request);
      } finally {
        end();
      }
    }

    private ModelAnswer answer(ModelRequest request) {
      boolean isOffered = request.tools().stream().anyMatch(tool -> tool.name().equals("probe"));
      Message last = request.messages().getLast();
      boolean calls = last instanceof Message.User && isOffered;
      String text =
          last instanceof Message.ToolResult result ? "seam: " + result.text() : "seam: no tool";
      return new ModelAnswer(
          new Message.Assistant(
              calls ? "" : text,
              calls ? List.of(new ToolCall("c1", "probe", "{}")) : List.of(),
              "",
              "seam/one"),
          calls ? ModelAnswer.StopReason.TOOL_CALLS : ModelAnswer.StopReason.END,
          TokenUsage.NONE);
    }
  }

  /** A message is {@code thread|id}. */
  private final class Platform extends Plugin implements ChannelAdapter {
    Platform() {
      super("the channel");
    }

    @Override
    public String channel() {
      return "seam";
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main");
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      begin();
      try {
        String[] parts = new String(request.body(), StandardCharsets.UTF_8).split("\\|", -1);
        return new WebhookVerdict.Messages(
            List.of(
                new InboundMessage("main", parts[0], "me", "!tool probe", List.of(), parts[1])));
      } finally {
        end();
      }
    }

    @Override
    public int textUnitsMax() {
      return 1000;
    }

    @Override
    public PostOutcome post(OutboundReply reply) throws InterruptedException {
      begin();
      try {
        ServerRunner.TIME.sleep(Duration.ofMillis(2));
        posts
            .computeIfAbsent(reply.inReplyTo(), _ -> new ConcurrentLinkedQueue<>())
            .add(reply.text());
        return new PostOutcome.Sent("");
      } finally {
        end();
      }
    }
  }

  /** One place in the server that something new is put into again and again. */
  private static final class Slot<P extends Plugin> {
    private final Supplier<P> maker;
    private final Adding<P> adding;
    private P plugin;
    private Registration registration;

    Slot(Supplier<P> maker, Adding<P> adding) throws RegistrationRefusedException {
      this.maker = maker;
      this.adding = adding;
      this.plugin = maker.get();
      this.registration = adding.add(plugin);
    }

    void remove() throws InterruptedException {
      registration.remove();
      assertThat(registration.awaitEnd(SOON)).as(plugin.toString()).isTrue();
      plugin.confirmGone();
    }

    void add() throws RegistrationRefusedException {
      plugin = maker.get();
      registration = adding.add(plugin);
    }
  }

  private interface Adding<P> {
    Registration add(P plugin) throws RegistrationRefusedException;
  }

  @Test
  void whatComesAndGoesLosesNothingAndFailsNobody() throws Exception {
    Server server = new ServerRunner(folder, CONFIG).start(new Opened(_ -> {}));
    try {
      List<Slot<?>> slots =
          List.of(
              new Slot<>(Probe::new, server.toolbox()::add),
              new Slot<>(Model::new, server.models()::add),
              new Slot<>(
                  Platform::new, one -> server.channels().add(one, ServerRunner.TIME.now())));
      AtomicBoolean over = new AtomicBoolean();
      List<Future<List<String>>> talks = new ArrayList<>();
      try (ExecutorService people = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < THREADS; i++) {
          String thread = "t" + i;
          boolean onWeb = i % 2 == 0;
          talks.add(
              people.submit(() -> onWeb ? chat(server, thread, over) : send(server, thread, over)));
        }
        try {
          comeAndGo(slots);
        } finally {
          over.set(true);
        }
        List<String> accepted = new ArrayList<>();
        for (Future<List<String>> talk : talks) {
          accepted.addAll(talk.get());
        }
        assertEachIsAnswered(server, accepted);
      }
      assertThat(late).isEmpty();
      assertThat(toolCalls).hasPositiveValue();
      assertThat(modelCalls).hasPositiveValue();
    } finally {
      server.stop(() -> true);
    }
  }

  private static void comeAndGo(List<Slot<?>> slots) throws Exception {
    Random random = new Random(7);
    for (int round = 0; round < ROUNDS; round++) {
      Slot<?> slot = slots.get(round % slots.size());
      slot.remove();
      ServerRunner.TIME.sleep(Duration.ofMillis(random.nextInt(20)));
      slot.add();
      ServerRunner.TIME.sleep(Duration.ofMillis(random.nextInt(20)));
    }
  }

  /** Over the API, each message after the answer to the one before. Returns nothing to wait for. */
  private static List<String> chat(Server server, String thread, AtomicBoolean over)
      throws Exception {
    int turns = 0;
    while (!over.get() || turns == 0) {
      JsonObject message =
          new JsonObject()
              .put("message", "!tool probe")
              .put("context", new JsonObject().put("thread_id", thread));
      HttpResponse<String> answer = ServerRunner.post(server, "/api/v1/chat", message.encode());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(new JsonObject(answer.body()).getString("output")).matches(ANSWER);
      turns++;
    }
    return List.of();
  }

  /** Over the channel, as platforms do: what is not taken is sent again. Returns the ids. */
  private static List<String> send(Server server, String thread, AtomicBoolean over)
      throws Exception {
    List<String> accepted = new ArrayList<>();
    while (!over.get() || accepted.isEmpty()) {
      String id = thread + "-" + accepted.size();
      int status = 503;
      while (status == 503) {
        status = ServerRunner.post(server, "/webhooks/seam/main", thread + "|" + id).statusCode();
      }
      assertThat(status).isEqualTo(200);
      accepted.add(id);
      ServerRunner.TIME.sleep(Duration.ofMillis(20));
    }
    return accepted;
  }

  private void assertEachIsAnswered(Server server, List<String> accepted) throws Exception {
    long end = ServerRunner.TIME.nanos() + Duration.ofMinutes(2).toNanos();
    while (!posts.keySet().containsAll(accepted) && ServerRunner.TIME.nanos() < end) {
      ServerRunner.TIME.sleep(Duration.ofMillis(50));
    }
    assertThat(posts.keySet()).containsExactlyInAnyOrderElementsOf(accepted);
    assertThat(posts.values())
        .allSatisfy(texts -> assertThat(texts).singleElement().asString().matches(ANSWER));
    JsonObject letters = new JsonObject(ServerRunner.get(server, "/api/v1/dead-letters").body());
    assertThat(letters.getJsonArray("dead_letters")).isEmpty();
    JsonObject status = new JsonObject(ServerRunner.get(server, "/api/v1/status").body());
    JsonObject events = status.getJsonObject("counts");
    assertThat(events.getLong("answered")).isEqualTo(events.getLong("accepted"));
  }
}
