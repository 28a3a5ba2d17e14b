package dev.holdfast.tools.files;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all tools for files share: arguments in, a foreseen failure as a result out. */
abstract class FileTool implements Tool {
  private static final Logger LOG = LoggerFactory.getLogger(FileTool.class);
  private static final int LABEL_CHARACTERS_MAX = 80;

  private final ToolSpec spec;
  private final ReplayClass replay;

  FileTool(ToolSpec spec, ReplayClass replay) {
    this.spec = spec;
    this.replay = replay;
  }

  /**
   * @param properties the members of {@code properties}, as JSON
   */
  static ToolSpec spec(String name, String description, List<String> required, String properties) {
    String needed = String.join("\", \"", required);
    String schema =
        "{\"type\": \"object\", \"properties\": {"
            + properties
            + "}, \"required\": ["
            + (needed.isEmpty() ? "" : "\"" + needed + "\"")
            + "], \"additionalProperties\": false}";
    return new ToolSpec(name, description, schema);
  }

  /** Does the work. */
  abstract ToolResult act(JsonObject arguments, ToolContext context)
      throws CallFailedException, IOException, InterruptedException;

  @Override
  public final ToolSpec spec() {
    return spec;
  }

  @Override
  public final ReplayClass replay() {
    return replay;
  }

  @Override
  public final String label(String argumentsJson) {
    try {
      return spec.name() + ": " + plain(about(new JsonObject(argumentsJson)));
    } catch (DecodeException | ClassCastException _) {
      return spec.name();
    }
  }

  /** What a call is about, in a few words for people. */
  String about(JsonObject arguments) {
    return arguments.getString("path", ".");
  }

  private static String plain(String text) {
    int[] points =
        text.codePoints()
            .map(point -> Character.isISOControl(point) ? ' ' : point)
            .limit(LABEL_CHARACTERS_MAX)
            .toArray();
    return new String(points, 0, points.length);
  }

  @Override
  public final ToolResult run(String argumentsJson, ToolContext context)
      throws InterruptedException {
    context.progress().doing(label(argumentsJson));
    try {
      return act(new JsonObject(argumentsJson), context);
    } catch (CallFailedException e) {
      return ToolResult.error(e.failure());
    } catch (IOException e) {
      LOG.warn("thread {}: {}: {}", context.threadId(), spec.name(), e.toString());
      boolean full = String.valueOf(e.getMessage()).contains("No space left");
      String text = full ? "The disk is full." : "The disk reported an error.";
      return ToolResult.error(Failure.of(FailureCode.IO, text));
    }
  }

  /** A name as text of one line, whatever it holds. */
  static String escaped(String name) {
    StringBuilder text = new StringBuilder();
    name.codePoints()
        .forEach(
            point -> {
              if (Character.isISOControl(point)) {
                text.append("\\x%02x".formatted(point));
              } else {
                text.appendCodePoint(point);
              }
            });
    return text.toString();
  }
}
