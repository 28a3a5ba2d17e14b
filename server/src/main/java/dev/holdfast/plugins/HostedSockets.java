package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.net.ClientSocket;
import dev.holdfast.net.HttpCaller;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** The WebSockets of one plugin, which end with it. Thread-safe. */
final class HostedSockets {
  static final int OPEN_MAX = 64;

  /** Of the protocol: one side goes away. */
  private static final int GOING_AWAY = 1001;

  private final PluginTexts texts;
  private final Semaphore free = new Semaphore(OPEN_MAX);
  private final Set<ClientSocket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * @param texts makes of what the other side says what may be shown
   */
  HostedSockets(PluginTexts texts) {
    this.texts = texts;
  }

  /**
   * One try. Blocks until the handshake is done.
   *
   * @throws IllegalStateException when too many are open, or the plugin was stopped
   */
  PluginSocket open(HttpCaller http, PluginSocket.Request request)
      throws CallFailedException, InterruptedException {
    requireRunning();
    if (!free.tryAcquire()) {
      throw new IllegalStateException(OPEN_MAX + " sockets of the plugin are open already");
    }
    ClientSocket socket = http.connect(request, this::gone);
    open.add(socket);
    if (socket.isGone()) { // before it was in the set
      open.remove(socket);
    }
    if (closed) { // asked now: whoever closes looks at what is open after that
      socket.close(GOING_AWAY, "");
      requireRunning();
    }
    return new HostedSocket(socket, texts);
  }

  private void requireRunning() {
    if (closed) {
      throw new IllegalStateException("the plugin was stopped");
    }
  }

  private void gone() {
    open.removeIf(ClientSocket::isGone);
    free.release();
  }

  /** Closes all of them, and lets none be opened. Returns at once. */
  void close() {
    closed = true;
    open.forEach(socket -> socket.close(GOING_AWAY, ""));
  }
}
