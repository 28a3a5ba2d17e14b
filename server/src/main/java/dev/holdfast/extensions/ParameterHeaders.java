package dev.holdfast.extensions;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Arguments that a remote server wants to see in headers too, so that what stands before it can
 * tell calls apart: it marks them with {@code x-mcp-header} in the schemas that it lists.
 * Thread-safe.
 */
final class ParameterHeaders {
  private static final String MARK = "x-mcp-header";
  private static final String PREFIX = "mcp-param-";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}");
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
        find(schema, List.of(), marked);
        if (marked.isEmpty()) {
          tools.remove(name);
        } else {
          tools.put(name, List.copyOf(marked));
        }
      }
    }
  }

  private static void find(JsonObject schema, List<String> path, List<Marked> found) {
    if (!path.isEmpty()
        && schema.getValue(MARK) instanceof String header
        && NAME.matcher(header).matches()
        && found.size() < MARKS_MAX) {
      found.add(new Marked(path, header));
    }
    if (path.size() < DEPTH_MAX && schema.getValue("properties") instanceof JsonObject below) {
      for (String name : below.fieldNames()) {
        if (below.getValue(name) instanceof JsonObject property) {
          List<String> longer = new ArrayList<>(path);
          longer.add(name);
          find(property, longer, found);
        }
      }
    }
  }

  /** The headers of one call. */
  Map<String, String> of(String tool, Object arguments) {
    Map<String, String> headers = new TreeMap<>();
    for (Marked marked : tools.getOrDefault(tool, List.of())) {
      Object value = arguments;
      for (String name : marked.path()) {
        value = value instanceof JsonObject object ? object.getValue(name) : "";
      }
      boolean isPlain = value instanceof Number || value instanceof Boolean;
      if (isPlain || (value instanceof String text && !text.isEmpty())) {
        String shown = String.valueOf(value);
        if (shown.length() <= VALUE_UNITS_MAX) {
          headers.put(PREFIX + marked.header(), McpEndpoint.encoded(shown));
        }
      }
    }
    return headers;
  }
}
