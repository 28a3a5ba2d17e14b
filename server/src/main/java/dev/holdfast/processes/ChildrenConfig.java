package dev.holdfast.processes;

import dev.holdfast.config.Check;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * How children are run.
 *
 * @param hidden files and folders that children must not see, for example the server's data; a
 *     child's own folder may lie in one of them and is seen all the same
 * @param secretFiles more of these, asked for whenever a child starts
 * @param childrenMax how many run at once; more wait for their turn, at most as long as they may
 *     run
 * @param trialFolder where the folder of the first child is made, which only tries the isolation
 * @param owner empty for whoever does not outlive them
 */
public record ChildrenConfig(
    Sandbox sandbox,
    List<Path> hidden,
    Supplier<? extends Collection<Path>> secretFiles,
    int childrenMax,
    Path trialFolder,
    Optional<ChildOwner> owner) {
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
    Path shared = Path.of(System.getProperty("java.io.tmpdir"));
    return new ChildrenConfig(
        sandbox, List.of(hidden), Set::of, CHILDREN_MAX, shared, Optional.empty());
  }

  /** With files that may become more while the server runs. */
  public ChildrenConfig hiding(Supplier<? extends Collection<Path>> files) {
    return new ChildrenConfig(sandbox, hidden, files, childrenMax, trialFolder, owner);
  }

  /** For a server: what a kill leaves, in that folder too, is removed by its next start. */
  public ChildrenConfig ofServer(ChildOwner server, Path folder) {
    return new ChildrenConfig(
        sandbox, hidden, secretFiles, childrenMax, folder, Optional.of(server));
  }
}
