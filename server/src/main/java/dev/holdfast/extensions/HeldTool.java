package dev.holdfast.extensions;

import java.util.List;

/**
 * A tool that its server lists and that is not offered until an operator approves it.
 *
 * @param name as its server calls it
 * @param changed which parts of it are not as they were approved; empty for a new tool
 * @param before the approved description, shortened; empty for a new tool
 * @param now the description that is listed, shortened
 */
public record HeldTool(String name, List<String> changed, String before, String now) {
  public HeldTool {
    changed = List.copyOf(changed);
  }

  public boolean isNew() {
    return changed.isEmpty();
  }
}
