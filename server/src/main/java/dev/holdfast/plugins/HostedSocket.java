package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.net.ClientSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** A WebSocket as its plugin sees it: within its limits, and without secrets in what is told. */
record HostedSocket(ClientSocket socket, PluginTexts texts) implements PluginSocket {
  private static final Duration RECEIVE_MAX = Duration.ofMinutes(10);
  private static final int TEXT_BYTES_MAX = 16 * 1024 * 1024;
  private static final int NORMAL = 1000;
  private static final int OWN_FIRST = 3000;
  private static final int OWN_LAST = 4999;

  @Override
  public Optional<Event> receive(Duration wait) throws InterruptedException {
    if (wait.isNegative() || wait.compareTo(RECEIVE_MAX) > 0) {
      throw new IllegalArgumentException("wait is out of its range");
    }
    return socket
        .receive(wait)
        .map(
            event ->
                event instanceof Closed(int code, String reason)
                    ? new Closed(code, texts.of(reason))
                    : event);
  }

  @Override
  public void send(String text) throws CallFailedException, InterruptedException {
    if (text.length() > TEXT_BYTES_MAX
        || text.getBytes(StandardCharsets.UTF_8).length > TEXT_BYTES_MAX) {
      throw new IllegalArgumentException("the text has more than 16 MiB");
    }
    try {
      socket.send(text);
    } catch (CallFailedException e) {
      throw new CallFailedException(texts.of(e.failure()), e);
    }
  }

  @Override
  public void close(int code, String reason) {
    if (code != NORMAL && (code < OWN_FIRST || code > OWN_LAST)) {
      throw new IllegalArgumentException("the code must be 1000 or from 3000 to 4999");
    }
    socket.close(code, reason);
  }
}
