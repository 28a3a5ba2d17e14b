package dev.holdfast;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.processes.ChildOwner;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenConfig;
import dev.holdfast.time.Time;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The child processes of tools and extensions, opened when the first is needed. Thread-safe. */
final class ToolChildren {
  private static final Logger LOG = LoggerFactory.getLogger(ToolChildren.class);

  private final Settings settings;
  private final ChildOwner owner;
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Children opened;
  private boolean closed;

  /** Ends what an earlier server has left running. */
  ToolChildren(Settings settings, Time time) {
    this.settings = settings;
    this.owner = new ChildOwner(settings.dataDir());
    this.time = time;
    owner.endLeftovers();
  }

  /**
   * Blocks for some tens of milliseconds when they are opened.
   *
   * @throws CallFailedException PERMANENT when this machine cannot run any safely
   */
  Children get() throws CallFailedException, InterruptedException {
    lock.lockInterruptibly();
    try {
      if (closed) {
        throw new CallFailedException(
            Failure.of(FailureCode.OVERLOADED, "The server is stopping."));
      }
      Children known = opened;
      if (known == null) {
        known = open();
        opened = known;
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  private Children open() throws CallFailedException, InterruptedException {
    Children children =
        Children.open(
            ChildrenConfig.of(settings.config().tools().shell().sandbox(), settings.dataDir())
                .hiding(settings.secrets()::files)
                .ofServer(owner, TemporaryFolder.in(settings.dataDir()).path()),
            time);
    if (children.isUnconfinedRoot()) {
      children.close();
      throw new CallFailedException(
          Failure.of(
                  FailureCode.IO,
                  "the server runs as root and no sandbox works, so a command could do anything to"
                      + " this machine. Run the server as another user, install bubblewrap and"
                      + " allow user namespaces, or set tools.shell.enabled: false")
              .as(FailureKind.PERMANENT));
    }
    LOG.info("tools: {}", children.describe());
    return children;
  }

  /** Ends all that run. Blocks until they are gone; no more are started. */
  void close() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      closed = true;
      if (opened != null) {
        opened.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
