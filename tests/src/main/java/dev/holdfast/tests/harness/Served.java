package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * One server for many tests, with a fake platform and, if wanted, a fake model: of one class, or of
 * all classes that register the same object. A test has a chat thread of its own ({@link #thread}),
 * and reads only what belongs to that; it may kill the server. After each test the model and the
 * platform are as they began, the server runs, has nothing left to do, answers, and its equation is
 * true: whatever a test breaks for the next is a failure of that test alone, and the next gets a
 * new server.
 *
 * <p>Classes that share a server must not run at the same time: they carry a {@code @ResourceLock}
 * of one name; or {@code @Execution(SAME_THREAD)}, where a class that waits for its turn does not
 * keep one of the threads from other classes.
 */
public final class Served
    implements BeforeAllCallback,
        TestInstancePreConstructCallback,
        AfterEachCallback,
        AfterAllCallback {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(Served.class);
  private static final Duration QUIET_MAX = Duration.ofSeconds(60);
  private static final AtomicInteger TESTS = new AtomicInteger();

  private final boolean isShared;
  private final boolean hasModel;
  private final Consumer<ServerRig> configure;
  private @Nullable World world;
  private String thread = "";

  /** A server with what stands around it. */
  private static final class World implements AutoCloseable {
    private final ServerRig rig = new ServerRig();
    private final FakeModel model = new FakeModel();

    World(Served wanted) {
      if (wanted.hasModel) {
        model.asOpenAi(rig.setup());
      }
      wanted.configure.accept(rig);
      ServerRig _ = rig.start();
    }

    @Override
    public void close() {
      rig.close();
      model.close();
    }
  }

  private Served(boolean isShared, boolean hasModel, Consumer<ServerRig> configure) {
    this.isShared = isShared;
    this.hasModel = hasModel;
    this.configure = configure;
  }

  /** A server for one class; the embedded model answers. */
  public static Served alone(Consumer<ServerRig> configure) {
    return new Served(false, false, configure);
  }

  /** A server for one class; {@link #model} answers. */
  public static Served aloneWithModel(Consumer<ServerRig> configure) {
    return new Served(false, true, configure);
  }

  /** A server for all classes that register this; the embedded model answers. */
  public static Served shared(Consumer<ServerRig> configure) {
    return new Served(true, false, configure);
  }

  /** A server for all classes that register this; {@link #model} answers. */
  public static Served sharedWithModel(Consumer<ServerRig> configure) {
    return new Served(true, true, configure);
  }

  public ServerRig rig() {
    return world().rig;
  }

  public FakeModel model() {
    if (!hasModel) {
      throw new IllegalStateException("the embedded model answers here");
    }
    return world().model;
  }

  /** A chat thread, or the beginning of ids, that only the running test has; fields may ask too. */
  public String thread() {
    return thread;
  }

  /** An id that only the running test has. */
  public String id(String name) {
    return thread + "-" + name;
  }

  /** What the running test is answered in its own chat thread. */
  public String say(String event, String text) {
    return rig().converse(id(event), thread, text).text();
  }

  private World world() {
    World now = world;
    if (now == null) {
      throw new IllegalStateException("the class has not begun: @RegisterExtension static");
    }
    return now;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    begin(context);
  }

  /** Fields of the test may ask for the server and the thread. */
  @Override
  public void preConstructTestInstance(
      TestInstanceFactoryContext factory, ExtensionContext context) {
    begin(context);
  }

  /** A server, if the last test left none to go on with, and a thread. */
  private void begin(ExtensionContext context) {
    if (isShared) {
      world = store(context).getOrComputeIfAbsent(this, _ -> new World(this), World.class);
    } else if (world == null) {
      world = new World(this);
    }
    thread = "t" + TESTS.incrementAndGet() + "t"; // neither begins nor ends another one's
  }

  private static ExtensionContext.Store store(ExtensionContext context) {
    return context.getRoot().getStore(NAMESPACE);
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    World used = world();
    boolean isWell = false;
    try {
      tidyUp(used);
      isWell = true;
    } finally {
      if (!isWell) {
        used.close();
        world = null;
        Object _ = store(context).remove(this);
      }
    }
    begin(context); // an object may live for all tests of its class
  }

  private void tidyUp(World used) throws IOException {
    ServerRig rig = used.rig;
    used.model.reset();
    rig.platform().reset();
    if (!rig.server().isAlive()) {
      ServerRig _ = rig.start();
    }
    for (JsonNode plan : rig.api().get(PlanApi.PLANS + "?state=open").json().path("plans")) {
      Answer _ =
          rig.api().post(PlanApi.PLANS + "/" + plan.path("plan_id").asText() + "/cancel", Map.of());
    }
    rig.converse("well-" + thread, "well", "are you well?");
    rig.api().awaitQuiet(QUIET_MAX);
    JsonNode counts = rig.api().status().path("counts");
    if (!EquationWatch.holds(counts)) {
      throw new AssertionError("the equation does not hold: " + counts);
    }
    used.model.reset();
    rig.platform().reset();
  }

  /** A server of one class ends with it, a shared one with the run. */
  @Override
  public void afterAll(ExtensionContext context) {
    World now = world;
    if (!isShared && now != null) {
      now.close();
      world = null;
    }
  }
}
