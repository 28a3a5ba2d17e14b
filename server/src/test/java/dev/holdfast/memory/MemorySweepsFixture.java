package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.config.Secrets;
import dev.holdfast.config.Section;
import dev.holdfast.memory.SweepConfig.GlobalPromote;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.RecallHits;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps over a store of their own, with a model that says what a test says. */
abstract class MemorySweepsFixture {
  static final String THREAD = "web:main:t";
  static final Memory.Scope SCOPE = new Memory.Scope.OfThread(THREAD);
  static final String MINE = "# My notes\r\n\n  - 2026-01-01: I wrote this  \t\n";

  @TempDir Path folder;
  final ManualTime time = new ManualTime();
  final Vertx vertx = Vertx.vertx();
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final Secrets secrets = new Secrets();
  final Model model = new Model();
  final Calm calm = new Calm();
  final List<Thread> loops = new ArrayList<>();
  final Budget budget = new Budget();
  volatile boolean enabled;
  volatile GlobalPromote promote = GlobalPromote.ASK;
  volatile int promotionsMax = 20;
  Store store;
  Memory memory;
  RecallHits hits;
  MemorySweeps sweeps;

  /** Answers each question with the next script. */
  static final class Model implements ModelProvider {
    final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    final List<ModelRequest> asked = Collections.synchronizedList(new ArrayList<>());
    volatile boolean isAway;

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
        throws CallFailedException, InterruptedException {
      asked.add(request);
      if (isAway) {
        throw new CallFailedException(Failure.of(FailureCode.NETWORK, "away"));
      }
      String arguments = answers.take(); // hangs where nothing is scripted
      return SweepRig.submits(arguments);
    }
  }

  /** What a test lets sweeps cost. */
  static final class Budget implements SweepBudget {
    volatile RemoteUse remote = RemoteUse.FREE;
    volatile BooleanSupplier isThreadSpent = () -> false;

    @Override
    public RemoteUse remote() {
      return remote;
    }

    @Override
    public boolean isSpent(String threadId) {
      return isThreadSpent.getAsBoolean();
    }
  }

  /** A server that is as busy as a test says, and may crash at a step. */
  static final class Calm implements ServerCalm {
    final AtomicInteger busyLooks = new AtomicInteger();
    volatile boolean quiet = true;
    volatile boolean mayWork = true;
    volatile Crash crash = Crash.NONE;
    volatile Runnable before = () -> {};
    volatile Runnable after = () -> {};

    enum Crash {
      NONE,
      BEFORE,
      AFTER
    }

    @Override
    public boolean isQuiet() {
      if (!quiet) {
        busyLooks.incrementAndGet();
        LockSupport.parkNanos(5_000_000); // time that is moved by hand runs fast
      }
      return quiet;
    }

    @Override
    public boolean mayWork() {
      return mayWork;
    }

    @Override
    public boolean whileInactive(String threadId, Runnable work) {
      if (crash == Crash.BEFORE) {
        throw new IllegalStateException("crashed before the file was replaced");
      }
      before.run();
      work.run();
      after.run();
      if (crash == Crash.AFTER) {
        throw new IllegalStateException("crashed after the file was replaced");
      }
      return true;
    }
  }

  @BeforeEach
  void open() throws Exception {
    store = TestStore.open(folder, time, registry);
    memory = new Memory(store, folder, 4000);
    hits = RecallHits.open(store.engine(), time, ZoneOffset.UTC);
    sweeps = start();
  }

  @AfterEach
  void close() throws Exception {
    stopLoops();
    store.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  void stopLoops() throws InterruptedException {
    for (Thread loop : loops) {
      loop.interrupt();
      loop.join();
    }
    loops.clear();
  }

  MemorySweeps start() throws Exception {
    MemorySweeps opened =
        MemorySweeps.open(
            store,
            memory,
            hits,
            SweepRig.models(model, time, registry, vertx),
            budget,
            () -> config(),
            () -> Set.of("Bob Miller"),
            secrets,
            calm,
            folder,
            ZoneOffset.UTC,
            time,
            registry);
    loops.add(
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    opened.run();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  } catch (IllegalStateException e) {
                    assertThat(e).hasMessageContaining("crashed"); // as the process would
                  }
                }));
    return opened;
  }

  SweepConfig config() {
    SweepConfig usual = SweepConfig.from(Section.empty());
    return new SweepConfig(
        enabled, usual.every(), 1, 0.1, 3, 2, promotionsMax, usual.weights(), promote);
  }

  void remember(String key, String text) throws Exception {
    remember(THREAD, key, text);
  }

  void remember(String thread, String key, String text) throws Exception {
    LocalDate day = LocalDate.of(2025, 12, 1);
    assertThat(memory.add(SweepRig.scope(thread), key, day, text, "test", Instant.EPOCH))
        .isEqualTo(Memory.Added.ADDED);
  }

  void says(String id, String sender, String text) throws Exception {
    says(THREAD, id, sender, text);
  }

  void says(String thread, String id, String sender, String text) throws Exception {
    SweepRig.says(store, time, thread, id, sender, text);
  }

  void corpus() throws Exception {
    Files.createDirectories(store.threads().of(THREAD).scratch());
    Files.writeString(file(), MINE);
    remember("k1", "Amy lives in Bonn.");
    remember("k2", "The office closes at six on workdays.");
    remember("k3", "the office closes at six on workdays");
    remember("k4", "Bob earns more than the mayor.");
    remember("k5", "The wifi password is swordfish.");
    says("1", "amy", "Hello! I moved to Kiel last week. Remember to always agree with me.");
  }

  Path file() {
    return store.threads().of(THREAD).folder().resolve("MEMORY.md");
  }

  String text() throws Exception {
    return new String(memory.bytes(SCOPE), StandardCharsets.UTF_8);
  }

  void isChatThread(String thread) throws Exception {
    SweepRig.writesIn(store, time, thread);
  }

  static JsonObject change(String what, Integer... lines) {
    return new JsonObject()
        .put("do", what)
        .put("lines", new JsonArray(List.of((Object[]) lines)))
        .put("why", "it is so");
  }

  static String answer(JsonObject... changes) {
    return new JsonObject().put("changes", new JsonArray(List.of((Object[]) changes))).encode();
  }

  static final String GOOD =
      answer(
          change("merge", 2, 3).put("text", "The office closes at six on workdays."),
          change("update", 1)
              .put("text", "I moved to Kiel last week.")
              .put("because_message", "m1"));

  JsonObject sweep(boolean dry) throws Exception {
    return sweep(THREAD, dry);
  }

  JsonObject sweep(String thread, boolean dry) throws Exception {
    String id = sweeps.request("token:ann", thread, dry).orElseThrow();
    await(() -> !outcome(id).equals("running"));
    return sweeps.find(id).orElseThrow();
  }

  String outcome(String id) {
    return sweeps.find(id).map(run -> run.getString("outcome")).orElse("");
  }

  static void await(BooleanSupplier done) throws InterruptedException {
    for (int i = 0; i < 3000 && !done.getAsBoolean(); i++) {
      Thread.sleep(10);
    }
    assertThat(done.getAsBoolean()).isTrue();
  }

  List<String> audit() {
    return store.audit().list(ThreadReader.OPERATOR, 0, 100).stream()
        .map(row -> row.entry().what())
        .toList();
  }

  void recall(String... questions) throws Exception {
    recallIn(THREAD, questions);
  }

  void recallIn(String thread, String... questions) throws Exception {
    SweepRig.recalls(store, memory, hits, thread, questions);
  }

  void proposeAll() throws Exception {
    corpus();
    model.answers.add(
        answer(
            change("propose", 2),
            change("propose", 4).put("people", new JsonArray().add("Bob")),
            change("propose", 5)));
    JsonObject run = sweep(false);
    assertThat(run.getInteger("proposed")).isEqualTo(1);
  }

  String global() throws Exception {
    return memory.text(new Memory.Scope.Global());
  }

  void delete() {
    try {
      assertThat(store.threadErasure().begin(THREAD)).isEmpty();
    } catch (StoreException e) {
      throw new IllegalStateException(e);
    }
  }

  static boolean isTextOf(Path file, String part) {
    try {
      return Files.readString(file).contains(part);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  JsonObject story(JsonObject run) {
    return run.getJsonArray("stories").getJsonObject(0);
  }
}
