package dev.holdfast.extensions;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Arguments that a remote server wants to see in headers too, so that what stands before it can
 * tell calls apart: it marks them with {@code x-mcp-header} in the schemas that it lists.
 * Thread-safe.
 */
final class ParameterHeaders {
  private static final String MARK = "x-mcp-header";
  private static final String PREFIX = "mcp-param-";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");
  private static final Set<String> PLAIN_TYPES = Set.of("string", "integer", "boolean");
  private static final int TOOLS_MAX = 10_000;
  private static final int MARKS_MAX = 32;
  private static final int DEPTH_MAX = 8;
  private static final int VALUE_UNITS_MAX = 4096;

  private final Map<String, List<Marked>> tools = new ConcurrentHashMap<>();

  /** An argument by its path, and the header that it goes into. */
  private record Marked(List<String> path, String header) {}

  /** Takes in what a list of tools says. */
  void learn(JsonObject listed) {
    if (!(listed.getValue("tools") instanceof JsonArray all)) {
      return;
    }
    for (Object each : all) {
      if (each instanceof JsonObject tool
          && tool.getValue("name") instanceof String name
          && tool.getValue("inputSchema") instanceof JsonObject schema
          && tools.size() < TOOLS_MAX) {
        List<Marked> marked = new ArrayList<>();
        if (!find(schema, List.of(), marked) || marked.isEmpty()) {
          tools.remove(name);
        } else {
          tools.put(name, List.copyOf(marked));
        }
      }
    }
  }

  /**
   * Whether all marks of a schema are as the protocol demands: then only may its tool be called.
   * Each is a name of its own, whatever its case, and stands at an argument that is one text, whole
   * number, or yes or no.
   */
  static boolean areValid(JsonObject schema) {
    return find(schema, List.of(), new ArrayList<>());
  }

  /** False when one of the marks is not valid. */
  private static boolean find(JsonObject schema, List<String> path, List<Marked> found) {
    if (schema.containsKey(MARK)) {
      if (!(schema.getValue(MARK) instanceof String header)
          || !NAME.matcher(header).matches()
          || !isPlain(schema)
          || found.size() == MARKS_MAX
          || found.stream().anyMatch(other -> other.header().equalsIgnoreCase(header))) {
        return false;
      }
      found.add(new Marked(path, header));
    }
    if (path.size() < DEPTH_MAX && schema.getValue("properties") instanceof JsonObject below) {
      for (String name : below.fieldNames()) {
        if (below.getValue(name) instanceof JsonObject property) {
          List<String> longer = new ArrayList<>(path);
          longer.add(name);
          if (!find(property, longer, found)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** What says nothing of its type may be of one that is. */
  private static boolean isPlain(JsonObject schema) {
    return switch (schema.getValue("type")) {
      case null -> true;
      case String type -> PLAIN_TYPES.contains(type);
      case JsonArray types ->
          types.stream().allMatch(type -> PLAIN_TYPES.contains(type) || "null".equals(type));
      default -> false;
    };
  }

  /** The headers of one call. */
  Map<String, String> of(String tool, Object arguments) {
    Map<String, String> headers = new TreeMap<>();
    for (Marked marked : tools.getOrDefault(tool, List.of())) {
      @Nullable Object value = arguments;
      for (String name : marked.path()) {
        value = value instanceof JsonObject object ? object.getValue(name) : null;
      }
      boolean isPlain = value instanceof Number || value instanceof Boolean;
      if (isPlain || value instanceof String) {
        String shown = String.valueOf(value);
        if (shown.length() <= VALUE_UNITS_MAX) {
          headers.put(PREFIX + marked.header(), McpEndpoint.encoded(shown));
        }
      }
    }
    return headers;
  }
}
