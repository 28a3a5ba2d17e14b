package dev.holdfast.extensions;

import java.util.List;

/**
 * What a server lists.
 *
 * @param tools that can be used, each name once
 * @param refused the others
 */
record ToolListing(List<ListedTool> tools, List<RefusedTool> refused) {
  ToolListing {
    tools = List.copyOf(tools);
    refused = List.copyOf(refused);
  }
}
