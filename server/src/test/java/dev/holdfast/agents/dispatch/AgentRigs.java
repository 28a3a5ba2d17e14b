package dev.holdfast.agents.dispatch;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;

/**
 * Opens rigs in one temporary folder, one after the other, as a server that restarts. The last one
 * is closed after the test's own {@code @AfterEach} methods.
 */
public final class AgentRigs implements BeforeEachCallback, AfterEachCallback {
  public final ScriptedProvider model = new ScriptedProvider();
  public final AgentRig.Options options = new AgentRig.Options();
  private @Nullable Path folder;
  private volatile @Nullable AgentRig open;

  /** JUnit makes and deletes temporary folders only for what it calls itself. */
  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    Method use = AgentRigs.class.getDeclaredMethod("use", Path.class);
    context.getExecutableInvoker().invoke(use, this);
  }

  void use(@TempDir Path temporary) {
    folder = temporary;
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    close();
  }

  public Path folder() {
    return Objects.requireNonNull(folder);
  }

  /** With {@link #model} and {@link #options}. */
  public AgentRig open() throws Exception {
    return open(model, options);
  }

  /** The one that is open is closed first. */
  AgentRig open(ScriptedProvider model, AgentRig.Options options) throws Exception {
    close();
    AgentRig rig = new AgentRig(folder(), model, options);
    open = rig;
    return rig;
  }

  /** The one that is open. */
  AgentRig opened() {
    return Objects.requireNonNull(open);
  }

  /** Does nothing when none is open. */
  void close() throws Exception {
    AgentRig rig = open;
    if (rig != null) {
      rig.close();
      open = null;
    }
  }
}
