package dev.holdfast.processes;

import dev.holdfast.config.Check;
import java.nio.file.Path;
import java.util.List;

/**
 * How children are run.
 *
 * @param hidden files and folders that children must not see, for example the server's data; a
 *     child's own folder may lie in one of them and is seen all the same
 * @param childrenMax how many run at once; more wait for their turn, at most as long as they may
 *     run
 */
public record ChildrenConfig(Sandbox sandbox, List<Path> hidden, int childrenMax) {
  public static final int CHILDREN_MAX = 64;

  /** What the operator asks for. */
  public enum Sandbox {
    /** The strongest that works here. */
    AUTO,
    BUBBLEWRAP,
    NAMESPACES,
    /** Process groups: children see and reach what the server does. */
    NONE
  }

  public ChildrenConfig {
    Check.inRange("children_max", childrenMax, 1, 1000);
    hidden = List.copyOf(hidden);
  }

  public static ChildrenConfig of(Sandbox sandbox, Path... hidden) {
    return new ChildrenConfig(sandbox, List.of(hidden), CHILDREN_MAX);
  }
}
