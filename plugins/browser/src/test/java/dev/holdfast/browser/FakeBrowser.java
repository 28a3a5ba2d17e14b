package dev.holdfast.browser;

import dev.holdfast.kit.JsonText;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Answers each command at once, with the result that was set for its method. */
final class FakeBrowser {
  private final LinkedBlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
  private final List<String> commands = new CopyOnWriteArrayList<>();
  private final Map<String, String> results;

  /** {@code results}: JSON by method; an empty object for others. */
  FakeBrowser(Map<String, String> results) {
    this.results = results;
  }

  /** Connected, and read until the end of the test. */
  DevTools connected() {
    DevTools tools = new DevTools(new Answers(), new Commands(), (_, _) -> {});
    Thread _ = Thread.ofVirtual().start(tools::read);
    return tools;
  }

  /** The methods of all commands, and the parameters of each. */
  List<String> commands() {
    return List.copyOf(commands);
  }

  private final class Commands extends OutputStream {
    @Override
    public void write(int one) {
      throw new UnsupportedOperationException("messages come whole");
    }

    @Override
    public void write(byte[] bytes) {
      Map<String, Object> command =
          JsonText.object(new String(bytes, 0, bytes.length - 1, StandardCharsets.UTF_8));
      String method = JsonText.text(command, "method");
      commands.add(method + " " + JsonText.write(JsonText.map(command, "params")));
      String answer =
          "{\"id\":%d,\"result\":%s}\0"
              .formatted(
                  (long) JsonText.number(command, "id", -1), results.getOrDefault(method, "{}"));
      answers.add(answer.getBytes(StandardCharsets.UTF_8));
    }
  }

  private final class Answers extends InputStream {
    private ByteArrayInputStream now = new ByteArrayInputStream(new byte[0]);

    @Override
    public int read() {
      throw new UnsupportedOperationException("it is read in pieces");
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      try {
        while (now.available() == 0) {
          now = new ByteArrayInputStream(answers.take());
        }
        return now.read(bytes, offset, length);
      } catch (InterruptedException _) {
        return -1;
      }
    }
  }
}
