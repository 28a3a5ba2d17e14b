package dev.holdfast.tools;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.FileFacts;
import dev.holdfast.media.FileNames;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.ScratchFiles;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Sends a file of the working folder with the turn's answer: a copy of it as it is now. Run again,
 * it makes the same copy: IDEMPOTENT.
 */
public final class AttachFileTool implements Tool {
  public static final String NAME = "attach_file";

  private static final String FILE = "attached_file";
  private static final String SHOWN_NAME = "attached_name";
  private static final String MEDIA_TYPE = "attached_media_type";
  private static final String BYTES = "attached_bytes";

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "path": {"type": "string", "minLength": 1, "maxLength": 4096,
           "description": "A file in your working folder."}},
       "required": ["path"],
       "additionalProperties": false}
      """;

  private final Function<String, AttachmentFolder> folders;
  private final AttachmentsConfig config;

  /** {@code folders}: of a chat thread, by its id. */
  public AttachFileTool(Function<String, AttachmentFolder> folders, AttachmentsConfig config) {
    this.folders = folders;
    this.config = config;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Sends a file of your working folder to the person, together with your answer. At most "
            + config.countMax()
            + " files in one answer, "
            + config.bytesMax()
            + " bytes each.",
        SCHEMA);
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.IDEMPOTENT;
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) {
    String path = new JsonObject(argumentsJson).getString("path");
    context.progress().doing(NAME + ": " + FileNames.shown(path));
    try {
      byte[] content = ScratchFiles.read(context.scratch(), path, config.bytesMax());
      FileFacts facts = FileFacts.of(content);
      String file = AttachmentFolder.name("out-" + context.key(), facts.type().extension());
      Path _ = folders.apply(context.threadId()).put(file, content, config.threadBytesMax());
      String name = FileNames.shown(path);
      String said = "\"" + name + "\" (" + content.length + " bytes) goes with your answer.";
      return ToolResult.ok(said)
          .withFacts(
              Map.of(
                  FILE,
                  file,
                  SHOWN_NAME,
                  name,
                  MEDIA_TYPE,
                  facts.type().mediaType(),
                  BYTES,
                  Integer.toString(content.length)));
    } catch (FileFailedException e) {
      return ToolResult.error(e.failure());
    } catch (IOException e) {
      return ToolResult.error(
          Failure.of(FailureCode.IO, "The file cannot be read or kept: " + reason(e)));
    }
  }

  /** Without the place of the file on this machine. */
  private static String reason(IOException e) {
    return e.getClass().getSimpleName().replace("Exception", "");
  }

  /** The file that a call of this tool has attached; empty for other tools and for failures. */
  public static Optional<ReplyFile> attached(String tool, ToolResult result) {
    Map<String, String> facts = result.facts();
    if (!tool.equals(NAME) || result.isError() || !facts.containsKey(FILE)) {
      return Optional.empty();
    }
    return Optional.of(
        new ReplyFile(
            facts.getOrDefault(SHOWN_NAME, "file"),
            facts.getOrDefault(MEDIA_TYPE, "application/octet-stream"),
            facts.getOrDefault(FILE, ""),
            Long.parseLong(facts.getOrDefault(BYTES, "0"))));
  }
}
