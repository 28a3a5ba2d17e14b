package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.media.AttachmentsConfig;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** Lists and reads the resources of an MCP server. */
final class ReadResourceTool extends ExtensionTool {
  /** Behind the extension's id. */
  static final String NAME = "read_resource";

  private static final int LIST_UNITS_MAX = 20_000;
  private static final int ENTRY_UNITS_MAX = 300;
  private static final int CURSOR_UNITS_MAX = 2000;

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "uri": {"type": "string", "maxLength": 4000, "description": "which one; without it, they are listed"},
         "cursor": {"type": "string", "maxLength": 2000, "description": "of the list, to read on"}},
       "additionalProperties": false}
      """;

  private final Duration limit;
  private final AttachmentsConfig attachments;
  private final Caller caller;

  /** Makes the call. */
  interface Caller {
    ToolResult call(ReplayClass replay, ToolContext context, boolean structured, Exchange exchange)
        throws InterruptedException;
  }

  /** What is asked of a server. */
  interface Exchange {
    ToolResult with(McpClient client, McpInputs inputs)
        throws CallFailedException, InterruptedException;
  }

  /**
   * @param listed as {@link #listed} makes it
   * @param timeout for a whole call
   */
  ReadResourceTool(
      ExtensionConfig config,
      ListedTool listed,
      Duration timeout,
      AttachmentsConfig attachments,
      Caller caller) {
    super(
        config.id(),
        new ToolSpec(OfferedTools.name(config.id(), NAME), listed.description(), listed.schema()),
        config.tools().replay().getOrDefault(NAME, ReplayClass.READ),
        timeout);
    this.limit = config.timeouts().call();
    this.attachments = attachments;
    this.caller = caller;
  }

  /**
   * What stands for it in the list of a server's tools, so that whatever holds for them holds for
   * it.
   *
   * @param templates of addresses, a line for each
   */
  static ListedTool listed(List<String> templates) {
    String made =
        templates.isEmpty()
            ? ""
            : " Addresses may also be made from these templates: " + String.join("; ", templates);
    return new ListedTool(
        NAME,
        "Reads a resource of this extension, or lists its resources when no address is given."
            + made,
        SCHEMA,
        "",
        ToolHints.NONE);
  }

  /** Whether it is one that {@link #listed} has made. */
  static boolean isListed(ListedTool tool) {
    return tool.name().equals(NAME) && tool.schema().equals(SCHEMA);
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) throws InterruptedException {
    JsonObject given = new JsonObject(argumentsJson);
    String uri = given.getString("uri", "");
    String cursor = given.getString("cursor", "");
    return shown(
        caller.call(
            replay(),
            context,
            false,
            (client, inputs) ->
                uri.isEmpty()
                    ? page(client.resources(cursor, limit))
                    : contents(
                        client.resource(uri, limit, inputs),
                        new ResultImages(attachments, context))));
  }

  /** A page, as its server cuts it. */
  static ToolResult page(JsonObject page) {
    if (!(page.getValue("resources") instanceof JsonArray resources)) {
      return malformed("listed no resources");
    }
    StringBuilder text = new StringBuilder();
    int left = resources.size();
    for (Object each : resources) {
      String line = entry(each);
      if (text.length() + line.length() > LIST_UNITS_MAX) {
        break;
      }
      text.append(line).append('\n');
      left--;
    }
    if (left > 0) {
      text.append('(').append(left).append(" more on this page are not shown.)\n");
    }
    if (page.getValue("nextCursor") instanceof String next
        && !next.isEmpty()
        && next.length() <= CURSOR_UNITS_MAX) {
      text.append("There are more: call again with this cursor: ")
          .append(new JsonArray().add(next).encode());
    }
    return ToolResult.ok(text.isEmpty() ? "There are no resources." : text.toString().strip());
  }

  private static String entry(Object listed) {
    if (!(listed instanceof JsonObject resource)) {
      return "";
    }
    String about =
        List.of("mimeType", "name", "description").stream()
            .map(resource::getValue)
            .filter(String.class::isInstance)
            .map(String.class::cast)
            .collect(Collectors.joining(", "));
    String line = resource.getValue("uri") + (about.isEmpty() ? "" : " (" + about + ")");
    return "- " + Texts.cut(Texts.visible(line).replaceAll("\\s+", " "), ENTRY_UNITS_MAX);
  }

  /** Text and images as they are; what is neither is named and not sent. */
  static ToolResult contents(JsonObject result, ResultImages images) {
    if (!(result.getValue("contents") instanceof JsonArray contents)) {
      return malformed("returned no contents");
    }
    String text =
        contents.stream().map(one -> content(one, images)).collect(Collectors.joining("\n"));
    return ToolResult.ok(text.isBlank() ? "(empty)" : text).withImages(images.saved());
  }

  private static String content(Object content, ResultImages images) {
    if (!(content instanceof JsonObject one)) {
      return "";
    }
    if (one.getValue("text") instanceof String text) {
      return text;
    }
    int units = one.getValue("blob") instanceof String blob ? blob.length() : 0;
    return images
        .save(one.getValue("blob"))
        .map(McpResult::shown)
        .orElseGet(
            () ->
                "[%s: %s, about %d bytes, which are not shown]"
                    .formatted(
                        one.getValue("uri"), one.getValue("mimeType", "binary"), units / 4L * 3));
  }

  private static ToolResult malformed(String what) {
    return ToolResult.error(
        Failure.of(FailureCode.BACKEND_FAILURE, "The extension " + what + ".")
            .as(FailureKind.INVALID));
  }
}
