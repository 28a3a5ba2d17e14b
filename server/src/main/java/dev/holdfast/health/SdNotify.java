package dev.holdfast.health;

import dev.holdfast.libc.Descriptors;
import dev.holdfast.libc.SocketCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Speaks to systemd as sd_notify(3) does: datagrams to the Unix socket that {@code NOTIFY_SOCKET}
 * names. The JDK has no such sockets, so this calls the C library. Without that variable nothing is
 * sent. Never throws; thread-safe.
 */
public final class SdNotify implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SdNotify.class);
  private static final String VARIABLE = "NOTIFY_SOCKET";

  /** What struct sockaddr_un has room for: two bytes of family, then the path. */
  private static final int PATH_MAX = 108;

  private static final int FAMILY_BYTES = 2;
  private static final int STATUS_MAX = 400;

  private final @Nullable Link link;

  private SdNotify(@Nullable Link link) {
    this.link = link;
  }

  /**
   * The socket is opened here and stays open: a later lack of file descriptors must not silence the
   * watchdog.
   */
  public static SdNotify from(Map<String, String> environment) {
    String path = environment.getOrDefault(VARIABLE, "");
    if (path.isEmpty()) {
      return new SdNotify(null);
    }
    try {
      return new SdNotify(Link.open(path));
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("systemd: cannot be notified ({})", e.getMessage());
      return new SdNotify(null);
    }
  }

  /** Whether somebody listens. */
  public boolean isEnabled() {
    return link != null;
  }

  /** Recovery is done and the listeners are bound. {@code false}: it could not be told. */
  public boolean ready(String status) {
    return send("READY=1\nSTATUS=" + line(status), true);
  }

  /** The sign of life. */
  public boolean watchdog() {
    return send("WATCHDOG=1", false);
  }

  /** One line for {@code systemctl status}. */
  public boolean status(String status) {
    return send("STATUS=" + line(status), false);
  }

  /** Asks for this much more time, from now, to start or to stop. */
  public boolean extendTimeout(Duration more) {
    return send("EXTEND_TIMEOUT_USEC=" + more.toNanos() / 1000, false);
  }

  /** The stop has begun. */
  public boolean stopping(String status) {
    return send("STOPPING=1\nSTATUS=" + line(status), true);
  }

  @Override
  public void close() {
    if (link != null) {
      link.close();
    }
  }

  private boolean send(String message, boolean mayWait) {
    Link open = link;
    return open != null && open.send(message, mayWait);
  }

  /** A line break would begin another assignment. */
  private static String line(String text) {
    String line = text.replaceAll("\\p{Cntrl}", " ");
    return line.length() <= STATUS_MAX ? line : line.substring(0, STATUS_MAX);
  }

  /** The open socket and where it sends to. */
  private static final class Link {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment address;
    private final int descriptor;
    private int lastErrno;
    private boolean closed;

    private Link(String path) {
      address = address(path);
      descriptor = SocketCalls.unixDatagrams();
      if (descriptor < 0) {
        throw new IllegalStateException("no socket, errno " + -descriptor);
      }
    }

    static Link open(String path) {
      return new Link(path);
    }

    /**
     * A leading {@code @} stands for the zero byte of the abstract namespace; such a name has no
     * end but its length.
     */
    private MemorySegment address(String path) {
      byte[] name = path.getBytes(StandardCharsets.UTF_8);
      boolean isAbstract = path.startsWith("@");
      if (!isAbstract && !path.startsWith("/")) {
        throw new IllegalArgumentException("unknown kind of " + VARIABLE);
      }
      int length = isAbstract ? name.length : name.length + 1;
      if (length > PATH_MAX) {
        throw new IllegalArgumentException(VARIABLE + " is longer than " + PATH_MAX + " bytes");
      }
      MemorySegment bytes =
          arena.allocate(FAMILY_BYTES + length, ValueLayout.JAVA_SHORT.byteSize());
      bytes.set(ValueLayout.JAVA_SHORT, 0, SocketCalls.AF_UNIX);
      MemorySegment.copy(name, 0, bytes, ValueLayout.JAVA_BYTE, FAMILY_BYTES, name.length);
      if (isAbstract) {
        bytes.set(ValueLayout.JAVA_BYTE, FAMILY_BYTES, (byte) 0);
      }
      return bytes;
    }

    synchronized boolean send(String message, boolean mayWait) {
      if (closed) {
        return false;
      }
      try (Arena call = Arena.ofConfined()) {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        MemorySegment text = call.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        long sent = SocketCalls.send(descriptor, text, address, mayWait);
        return sent == bytes.length || failed(sent < 0 ? (int) -sent : 0);
      }
    }

    private boolean failed(int errno) {
      if (errno != lastErrno) { // the watchdog would say it again and again
        lastErrno = errno;
        LOG.warn("systemd: a message could not be sent, errno {}", errno);
      }
      return false;
    }

    synchronized void close() {
      if (closed) {
        return;
      }
      closed = true;
      Descriptors.close(descriptor);
      arena.close();
    }
  }
}
