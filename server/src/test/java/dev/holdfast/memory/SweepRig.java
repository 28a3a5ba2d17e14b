package dev.holdfast.memory;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import dev.holdfast.api.ToolContext;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Secrets;
import dev.holdfast.config.Section;
import dev.holdfast.memory.SweepConfig.GlobalPromote;
import dev.holdfast.models.BudgetConfig;
import dev.holdfast.models.Levels;
import dev.holdfast.models.ModelTimeouts;
import dev.holdfast.models.Models;
import dev.holdfast.models.ModelsConfig;
import dev.holdfast.models.ProviderConfig;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.resilience.GuardConfig;
import dev.holdfast.resilience.GuardMemory;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.GuardsConfig;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import dev.holdfast.time.Time;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.RecallHits;
import dev.holdfast.tools.memory.RecallTool;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Sweeps over a data folder whose model is a function of what it reads. */
final class SweepRig implements AutoCloseable {
  private final ManualTime time = new ManualTime();
  private final Vertx vertx = Vertx.vertx();
  private final Path folder;
  final Store store;
  final Memory memory;
  final MemorySweeps sweeps;
  private final RecallHits hits;

  /**
   * @param model gives the arguments of its tool for a question
   * @param isDue whether sweeps are made without being asked for
   */
  SweepRig(Path folder, UnaryOperator<String> model, boolean isDue, Secrets secrets)
      throws Exception {
    this.folder = folder;
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    store = TestStore.open(folder, time, registry);
    memory = new Memory(store, folder, 4000);
    hits = RecallHits.open(store.engine(), time, ZoneOffset.UTC);
    SweepConfig usual = SweepConfig.from(Section.empty());
    SweepConfig config =
        new SweepConfig(
            isDue, usual.every(), 1, 0.1, 3, 2, 20, usual.weights(), GlobalPromote.AUTO);
    sweeps =
        MemorySweeps.open(
            store,
            memory,
            hits,
            models(new Submitting(model), time, registry, vertx),
            new Unlimited(),
            () -> config,
            () -> Set.of("Bob Miller"),
            secrets,
            new Idle(),
            folder,
            ZoneOffset.UTC,
            time,
            registry);
  }

  static Models models(ModelProvider model, Time time, MeterRegistry registry, Vertx vertx) {
    Guards guards =
        Guards.create(
            GuardsConfig.defaults(), GuardMemory.none(), time, registry, vertx, () -> 0.5);
    ModelsConfig config =
        new ModelsConfig(
            new Levels(Map.of("operational", List.of("openai/m")), "operational"),
            Set.of(),
            Duration.ofSeconds(15),
            GuardConfig.DEFAULT,
            new ModelTimeouts(
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofSeconds(30),
                Duration.ofMinutes(10)),
            BudgetConfig.NONE,
            Map.of("openai", new ProviderConfig(new Secret("k"), "", false, 4)),
            Set.of());
    return Models.create(config, List.of(model), guards, time, registry);
  }

  static ModelAnswer submits(String arguments) {
    return new ModelAnswer(
        new Message.Assistant(
            "", List.of(new ToolCall("c1", TidyChange.NAME, arguments)), "", "openai/m"),
        StopReason.TOOL_CALLS,
        new TokenUsage(10, 5, 0, 0));
  }

  private record Submitting(UnaryOperator<String> answers) implements ModelProvider {
    @Override
    public String name() {
      return "openai";
    }

    @Override
    public boolean isLocal() {
      return false;
    }

    @Override
    public int windowTokens(String name) {
      return 100_000;
    }

    @Override
    public ModelAnswer ask(ModelRequest request, ModelListener listener)
        throws CallFailedException {
      return submits(answers.apply(request.messages().getFirst().toString()));
    }
  }

  private static final class Unlimited implements SweepBudget {
    @Override
    public RemoteUse remote() {
      return RemoteUse.FREE;
    }

    @Override
    public boolean isSpent(String threadId) {
      return false;
    }
  }

  private static final class Idle implements ServerCalm {
    @Override
    public boolean isQuiet() {
      return true;
    }

    @Override
    public boolean mayWork() {
      return true;
    }

    @Override
    public boolean whileInactive(String threadId, Runnable work) {
      work.run();
      return true;
    }
  }

  /** A conversation with lines of a person in front of what was remembered last year. */
  void remembers(String thread, String mine, String... facts) throws Exception {
    writesIn(store, time, thread);
    Files.createDirectories(store.threads().of(thread).scratch());
    Files.writeString(store.threads().of(thread).folder().resolve(Memory.FILE), mine);
    for (int i = 0; i < facts.length; i++) {
      Memory.Added _ =
          memory.add(
              new Memory.Scope.OfThread(thread),
              "k" + i,
              LocalDate.of(2025, 12, 1),
              facts[i],
              "test",
              time.now());
    }
  }

  static void writesIn(Store store, Time time, String thread) throws Exception {
    var _ =
        store
            .inbox()
            .append(new NewEvent("web:main", thread, "k" + thread, "{}", time.now()))
            .get(10, TimeUnit.SECONDS);
  }

  void says(String thread, String id, String sender, String text) throws Exception {
    says(store, time, thread, id, sender, text);
  }

  static void says(Store store, Time time, String thread, String id, String sender, String text)
      throws Exception {
    store
        .threads()
        .of(thread)
        .log(
            new JsonObject()
                .put("id", id)
                .put("event", "e" + id)
                .put("at", time.now().toString())
                .put("role", "user")
                .put("sender", sender)
                .put("text", text)
                .encode());
  }

  void recalls(String thread, String... questions) throws Exception {
    recalls(store, memory, hits, thread, questions);
  }

  static void recalls(
      Store store, Memory memory, RecallHits hits, String thread, String... questions)
      throws Exception {
    RecallTool tool = new RecallTool(memory, List::of, hits);
    for (String question : questions) {
      var _ =
          tool.run(
              new JsonObject().put("query", question).encode(),
              new ToolContext(
                  thread,
                  "e",
                  "amy",
                  "c",
                  "k",
                  store.threads().of(thread).scratch(),
                  ToolContext.Progress.SILENT));
    }
    boolean _ = store.engine().call(_ -> true); // behind what is written later
  }

  /** Byte for byte; of all for the thread {@code ""}. */
  String text(String thread) throws Exception {
    return new String(memory.bytes(scope(thread)), StandardCharsets.UTF_8);
  }

  static Memory.Scope scope(String thread) {
    return thread.isEmpty() ? new Memory.Scope.Global() : new Memory.Scope.OfThread(thread);
  }

  List<String> audit() {
    return store.audit().list(ThreadReader.OPERATOR, 0, 100).stream()
        .map(row -> row.entry().what() + " " + row.entry().threadId())
        .sorted()
        .toList();
  }

  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    store.close();
    Void _ = vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
