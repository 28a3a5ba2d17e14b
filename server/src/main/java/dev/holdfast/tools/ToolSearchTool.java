package dev.holdfast.tools;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Finds tools by what they do, where there are too many to offer all of them. */
public final class ToolSearchTool implements Tool {
  public static final String NAME = "tool_search";

  /** In a result's facts: what was found, with a space between two names. */
  private static final String FOUND = "found";

  private static final int MATCHES_MAX = 8;
  private static final int DESCRIPTION_UNITS_SHOWN = 300;

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 500}},
       "required": ["query"],
       "additionalProperties": false}
      """;

  private static final ToolSpec SPEC =
      new ToolSpec(
          NAME,
          "Finds tools by a few words about what you want to do, or by their names. You can call"
              + " what it finds right after it, until you have given your answer.",
          SCHEMA);

  private final Supplier<List<ToolSpec>> tools;

  /** {@code tools}: what is searched. */
  ToolSearchTool(Supplier<List<ToolSpec>> tools) {
    this.tools = tools;
  }

  @Override
  public ToolSpec spec() {
    return SPEC;
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.READ;
  }

  @Override
  public String label(String argumentsJson) {
    return NAME + ": " + new JsonObject(argumentsJson).getValue("query");
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) {
    String query = new JsonObject(argumentsJson).getString("query");
    List<ToolSpec> found = ToolRanking.best(tools.get(), query, MATCHES_MAX);
    if (found.isEmpty()) {
      return ToolResult.ok("No tool fits these words. Try others.");
    }
    String text =
        found.stream()
            .map(tool -> "- " + tool.name() + ": " + shown(tool.description()))
            .collect(Collectors.joining("\n"));
    String names = found.stream().map(ToolSpec::name).collect(Collectors.joining(" "));
    return ToolResult.ok("You can call these now, the best match first:\n" + text)
        .withFacts(Map.of(FOUND, names));
  }

  private static String shown(String description) {
    String line = description.strip().replaceAll("\\s+", " ");
    return line.length() <= DESCRIPTION_UNITS_SHOWN
        ? line
        : line.substring(0, DESCRIPTION_UNITS_SHOWN) + "…";
  }

  /** The names that a call of this tool has found; none for other tools. */
  public static List<String> found(String tool, ToolResult result) {
    String names = result.facts().getOrDefault(FOUND, "");
    return tool.equals(NAME) && !names.isEmpty() ? List.of(names.split(" ")) : List.of();
  }
}
