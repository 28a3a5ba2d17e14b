package dev.holdfast.git;

import dev.holdfast.agentkit.ActionProgram;
import dev.holdfast.agentkit.ActionProgram.Action;
import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.agentkit.ActionRequest;
import dev.holdfast.agentkit.ActionResult;
import dev.holdfast.agentkit.RootFolders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What the program can do, and its command line. */
public final class GitAgent {
  private final RootFolders roots;
  private final String author;

  /** Does one thing in a repository that was opened. */
  @FunctionalInterface
  private interface RepositoryAction {
    Map<String, Object> run(ActionRequest request, Repository repository)
        throws ActionRefusedException, IOException, InterruptedException;
  }

  /**
   * Makes one.
   *
   * @param author who commits, as {@code Name <address>}; empty for whom the repository names
   */
  GitAgent(RootFolders roots, String author) {
    this.roots = roots;
    this.author = author;
  }

  /** Takes the folder to use when none is given, who commits, and the folders. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String> given = Arrays.asList(arguments);
    RootFolders roots = RootFolders.of(given.subList(2, given.size()), Path.of(given.getFirst()));
    new ActionProgram(new GitAgent(roots, given.get(1)).actions())
        .run(System.in, System.out, System.err);
  }

  Map<String, Action> actions() {
    return Map.of(
        "status", in((_, repository) -> StatusAction.run(repository)),
        "diff", in((request, repository) -> DiffAction.run(request.payload(), repository)),
        "log", in((request, repository) -> LogAction.run(request.payload(), repository)),
        "add", in((request, repository) -> AddAction.run(request.payload(), repository)),
        "commit", in((request, repository) -> CommitAction.run(request, repository, author)));
  }

  private Action in(RepositoryAction action) {
    return request ->
        ActionResult.of(
            action.run(request, Repository.open(roots, request.payload().text("repo", ""))));
  }
}
