package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One server for many tests, with a fake platform and, if wanted, a fake model: of one class, or of
 * all classes that register the same object. A test has a chat thread of its own ({@link #thread}),
 * and reads only what belongs to that; it may kill the server. After each test the model and the
 * platform are as they began, the server runs, has nothing left to do, answers, and its equation is
 * true: whatever a test breaks for the next is a failure of that test.
 *
 * <p>Classes that share a server must not run at the same time: they carry a {@code @ResourceLock}
 * of one name.
 */
public final class Served implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
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
    world =
        isShared
            ? context
                .getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent(this, _ -> new World(this), World.class)
            : new World(this);
    next();
  }

  /** Before the next test's object is made. */
  private void next() {
    thread = "t" + TESTS.incrementAndGet() + "t"; // neither begins nor ends another one's
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    ServerRig rig = rig();
    world().model.reset();
    rig.platform().reset();
    if (!rig.server().isAlive()) {
      ServerRig _ = rig.start();
    }
    String before = thread;
    next();
    rig.converse("well-" + before, "well", "are you well?");
    rig.api().awaitQuiet(QUIET_MAX);
    JsonNode counts = rig.api().status().path("counts");
    if (!EquationWatch.holds(counts)) {
      throw new AssertionError("the equation does not hold: " + counts);
    }
    world().model.reset();
    rig.platform().reset();
  }

  /** A server of one class ends with it, a shared one with the run. */
  @Override
  public void afterAll(ExtensionContext context) {
    World now = world;
    if (!isShared && now != null) {
      now.close();
    }
  }
}
