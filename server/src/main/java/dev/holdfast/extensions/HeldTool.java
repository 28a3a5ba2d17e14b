package dev.holdfast.extensions;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tool that its server lists and that is not offered until an operator approves it.
 *
 * @param name as its server calls it
 * @param changed which parts of it are not as they were approved; empty for a new tool
 * @param before as it was approved; null for a new tool, and when that was too long to be kept
 * @param now as it is listed
 */
public record HeldTool(String name, List<String> changed, @Nullable ToolText before, ToolText now) {
  public HeldTool {
    changed = List.copyOf(changed);
  }

  public boolean isNew() {
    return changed.isEmpty();
  }
}
