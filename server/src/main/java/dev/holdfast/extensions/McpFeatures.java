package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server of MCP has besides tools.
 *
 * @param resources the tool that reads its resources; empty when it has none
 */
record McpFeatures(List<ListedPrompt> prompts, Optional<ListedTool> resources) {

  private static final Logger LOG = LoggerFactory.getLogger(McpFeatures.class);
  private static final int PROMPTS_MAX = 200;
  private static final int TEMPLATES_MAX = 30;
  private static final int TEMPLATE_UNITS_MAX = 200;

  McpFeatures {
    prompts = List.copyOf(prompts);
  }

  /** Lists them, each page within {@code timeout}. What cannot be listed is left out. */
  static McpFeatures list(String id, McpClient client, Duration timeout)
      throws InterruptedException {
    McpClient.Features has = client.features();
    Listing listing = new Listing(id, client, timeout);
    return new McpFeatures(
        has.prompts()
            ? listing.read("prompts/list", "prompts", PROMPTS_MAX, ListedPrompt::read)
            : List.of(),
        has.resources()
            ? Optional.of(
                ReadResourceTool.listed(
                    listing.read(
                        "resources/templates/list",
                        "resourceTemplates",
                        TEMPLATES_MAX,
                        McpFeatures::template)))
            : Optional.empty());
  }

  private static Optional<String> template(Object listed) {
    if (!(listed instanceof JsonObject template)
        || !(template.getValue("uriTemplate") instanceof String uri)) {
      return Optional.empty();
    }
    String about =
        template.getValue("description") instanceof String text
            ? text
            : template.getValue("name") instanceof String name ? name : "";
    String line =
        Texts.visible(uri + (about.isEmpty() ? "" : " (" + about + ")")).replaceAll("\\s+", " ");
    return Optional.of(Texts.cut(line, TEMPLATE_UNITS_MAX));
  }

  private record Listing(String id, McpClient client, Duration timeout) {
    <T> List<T> read(String method, String key, int max, Function<Object, Optional<T>> reader)
        throws InterruptedException {
      List<T> all = new ArrayList<>();
      try {
        client.list(
            method,
            key,
            timeout,
            each -> {
              reader.apply(each).ifPresent(all::add);
              return all.size() < max;
            });
      } catch (CallFailedException e) {
        LOG.warn("extension {}: {} failed ({})", id, method, e.failure().code());
      }
      return all;
    }
  }

  /** Its tools with the one that reads its resources, unless it has one of that name itself. */
  List<ListedTool> with(List<ListedTool> tools) {
    List<ListedTool> all = new ArrayList<>(tools);
    resources
        .filter(reader -> tools.stream().noneMatch(tool -> tool.name().equals(reader.name())))
        .ifPresent(all::add);
    return all;
  }
}
