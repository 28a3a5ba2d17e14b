package dev.holdfast.agentkit;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads one request, does what it asks for, and writes one answer. */
public final class ActionProgram {
  private static final int BYTES_MAX = 16 << 20;

  /** What is null says something: a property of a note without a value, for example. */
  private static final Gson JSON =
      new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

  private final Map<String, Action> actions;

  /** Something that a program can do. */
  @FunctionalInterface
  public interface Action {
    ActionResult run(ActionRequest request)
        throws ActionRefusedException, PersonAskedException, IOException, InterruptedException;
  }

  public ActionProgram(Map<String, Action> actions) {
    this.actions = Map.copyOf(actions);
  }

  /**
   * Blocks until the action has ended. Whatever goes wrong with it is an answer; what only a
   * programmer can mend is written to {@code errors} too.
   *
   * @throws IOException when there is no request that could be answered
   */
  public void run(InputStream in, PrintStream out, PrintStream errors)
      throws IOException, InterruptedException {
    byte[] bytes = in.readNBytes(BYTES_MAX + 1);
    if (bytes.length > BYTES_MAX) {
      throw new IOException("the request is longer than " + BYTES_MAX + " bytes");
    }
    ActionRequest request;
    try {
      request =
          ActionRequest.read(
              new String(bytes, StandardCharsets.UTF_8), text -> writeProgress(out, text));
    } catch (IllegalArgumentException e) {
      throw new IOException("the request cannot be read: " + e.getMessage(), e);
    }
    write(out, answer(request, errors));
  }

  private static void writeProgress(PrintStream out, String text) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("status", "progress");
    told.put("message", text);
    write(out, told);
  }

  /** Whole lines, whoever writes. */
  private static synchronized void write(PrintStream out, Map<String, Object> object) {
    out.writeBytes((JSON.toJson(object) + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private Map<String, Object> answer(ActionRequest request, PrintStream errors)
      throws InterruptedException {
    try {
      Action action = actions.get(request.action());
      if (action == null) {
        throw new ActionRefusedException(
            ActionRefusedException.UNKNOWN_ACTION, "There is no action " + request.action() + ".");
      }
      return request.success(action.run(request));
    } catch (PersonAskedException e) {
      return request.asks(e.question());
    } catch (ActionRefusedException e) {
      return request.failure(e.code(), String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException e) {
      e.printStackTrace(errors);
      return request.failure(ActionRefusedException.FAILED, "It failed: " + e);
    }
  }
}
