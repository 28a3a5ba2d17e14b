package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionProgram;
import dev.holdfast.agentkit.ActionProgram.Action;
import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.agentkit.ActionResult;
import dev.holdfast.agentkit.RootFolders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What the program can do, and its command line. */
public final class NotesAgent {
  private final RootFolders roots;
  private final NoteWriter writer;

  /** {@code own}: where it keeps what it has done. */
  NotesAgent(RootFolders roots, Path own) {
    this.roots = roots;
    this.writer = new NoteWriter(own);
  }

  /** Takes its own folder, in which notes are kept when no folder is given, and the folders. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String> given = Arrays.asList(arguments);
    Path own = Path.of(given.getFirst());
    RootFolders roots = RootFolders.of(given.subList(1, given.size()), own.resolve("notes"));
    new ActionProgram(new NotesAgent(roots, own).actions()).run(System.in, System.out, System.err);
  }

  Map<String, Action> actions() {
    return Map.of(
        "create",
            request -> ActionResult.of(CreateAction.run(request, vault(request.payload()), writer)),
        "read",
            request -> ActionResult.of(ReadAction.run(request.payload(), vault(request.payload()))),
        "update",
            request -> ActionResult.of(UpdateAction.run(request, vault(request.payload()), writer)),
        "search",
            request ->
                ActionResult.of(SearchAction.run(request.payload(), vault(request.payload()))),
        "list",
            request ->
                ActionResult.of(ListAction.run(request.payload(), vault(request.payload()))));
  }

  private Vault vault(ActionPayload payload) throws ActionRefusedException {
    String name = payload.text("vault", "");
    List<RootFolders.Root> named =
        roots.roots().stream()
            .filter(root -> name.isEmpty() || root.path().endsWith(name))
            .toList();
    if (named.size() == 1) {
      return new Vault(named.getFirst());
    }
    throw new ActionRefusedException(
        ActionRefusedException.NOT_FOUND,
        "Name one of these vaults by its absolute path: %s."
            .formatted(roots.roots().stream().map(RootFolders.Root::path).toList()));
  }
}
